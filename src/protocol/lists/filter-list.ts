import {
  type ConcernWarning,
  type Configuration,
  describeConfiguration,
} from '../../engine/configuration.js';
import type { HiddenCounts } from '../../engine/hidden.js';
import { fromNumber, type Primitive } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { bindCatalog, type Catalog, type Selection, select } from '../../engine/select.js';
import { type Era, EXTENSION_ID, read } from '../messages/wire.js';

/** Why a client does not get all of a list. */
export interface HiddenReport extends HiddenCounts {
  /** What its own filter left out of what it may see. */
  readonly filter?: number;
}

/** A server's whole list: the bound primitives, and everything else that its first page held. */
export interface ListCatalog {
  readonly bound: Catalog<Primitive>;
  readonly rest: Record<string, unknown>;
}

/**
 * Whether a list can differ from the server's own. If not, it passes byte for byte.
 *
 * @param policy the policy
 * @param configuration what is in effect
 */
export function canChange(policy: Policy, configuration: Configuration): boolean {
  const { rules, settings } = policy;
  return configuration.active || rules.length > 0 || settings.unmapped === 'hide' || settings.transparency;
}

/** @returns the primitives of a list result; nothing if it holds no such list */
export function itemsOf(kind: Kind, result: unknown): readonly Primitive[] | undefined {
  const items = read(result, kind);
  return Array.isArray(items) ? items.filter((item) => typeof item === 'object' && item !== null) : undefined;
}

/** Binds the pages of one list to the policy. */
export function catalogOf(
  policy: Policy,
  kind: Kind,
  pages: readonly Record<string, unknown>[],
): ListCatalog {
  const items = pages.flatMap((page) => itemsOf(kind, page) ?? []);
  const { [kind]: _items, nextCursor: _cursor, ...rest } = pages[0] ?? {};
  return { bound: bindCatalog(policy, kind, items), rest };
}

/** Why a client does not get all of a list. */
export interface HiddenReport extends HiddenCounts {
  /** What its own filter left out of what it may see. */
  readonly filter?: number;
}

/** A filtered list, in the parts that make its result: pages are cut from `items`. */
export interface FilteredList {
  /** What the configuration shows, before the client's own filter, as the server lists it. */
  readonly kept: readonly Primitive[];
  /** How many the client gets on all pages. */
  readonly shown: number;
  /** The same as the host gets it: with values in `_meta` under `transparency`. */
  readonly items: readonly object[];
  readonly total: number;
  /** Why the client does not get the others. */
  readonly hidden: HiddenReport;
  readonly rest: Record<string, unknown>;
  readonly meta: { readonly _meta?: object };
  readonly warnings: readonly ConcernWarning[];
}

/**
 * Filters a list: what the configuration shows, and of that what the client's own filter keeps, in the server's order.
 *
 * @param catalog the server's list
 * @param configuration what is in effect
 * @param warnings what was noticed while the configuration was read
 * @param narrow the client's own filter
 * @returns the parts of the result, with `_meta` as the extension defines it
 */
export function filterList(
  { bound, rest }: ListCatalog,
  configuration: Configuration,
  warnings: readonly ConcernWarning[],
  narrow: (shown: readonly Primitive[]) => readonly Primitive[],
): FilteredList {
  const { policy, kind, items: all } = bound;
  const { enforcement, transparency } = policy.settings;
  const shadow = enforcement === 'shadow';
  const selection = select(bound, configuration);
  const { total } = selection;
  const listed = narrow(shadow ? all : selection.kept);
  const shown = shadow ? narrow(selection.kept).length : listed.length;
  const filter = selection.kept.length - shown;
  const noticed = [...warnings, ...unknownValues(bound), ...(shadow ? [] : emptied(kind, selection))];
  const own = {
    ...(configuration.active && !shadow
      ? {
          concerns: describeConfiguration(policy, configuration),
          shown: listed.length,
          // How many are hidden is a hint of what is.
          ...(enforcement === 'enforce' ? {} : { total }),
        }
      : {}),
    ...(noticed.length > 0 ? { warnings: noticed } : {}),
  };
  return {
    kept: shadow ? all : selection.kept,
    shown,
    items: transparency ? withValues(bound, listed) : listed,
    total,
    hidden: filter === 0 ? selection.hidden : { ...selection.hidden, filter },
    rest,
    meta: annotated(rest, own),
    warnings: noticed,
  };
}

/**
 * Modern clients keep lists by their method alone, for as long as `ttlMs` says: a list with other concerns would be
 * answered from there.
 *
 * @returns the result of a list as it may be kept: not at all, and by nobody else
 */
export function unshared(era: Era, result: Record<string, unknown>): Record<string, unknown> {
  if (era === 'legacy' || (result.ttlMs === 0 && result.cacheScope === 'private')) return result;
  return { ...result, ttlMs: 0, cacheScope: 'private' };
}

/** @returns a result whose `_meta` says what was noticed; the same result if nothing was */
export function withWarnings(
  result: Record<string, unknown>,
  warnings: readonly ConcernWarning[],
): Record<string, unknown> {
  return warnings.length === 0 ? result : { ...result, ...annotated(result, { warnings }) };
}

function annotated(result: Record<string, unknown>, own: object): { _meta?: object } {
  if (Object.keys(own).length === 0) return {};
  return { _meta: { ...(result._meta as object | undefined), [EXTENSION_ID]: own } };
}

/** An empty list looks like a broken server: say what emptied it. */
function emptied(kind: Kind, { kept, total, hidden }: Selection<Primitive>): ConcernWarning[] {
  if (kept.length > 0 || total === 0) return [];
  const { concerns = {}, rules = {}, unmapped = 0 } = hidden;
  const reasons: [string, number][] = [
    ...Object.entries(concerns),
    ...Object.entries(rules).map(([id, count]): [string, number] => [`rule ${id}`, count]),
    ['', unmapped],
  ];
  const [most] = reasons.sort(([, a], [, b]) => b - a);
  const because = most?.[0] ? `${most[0]} hides most of them` : 'nothing maps them';
  return [{ code: 'empty-list', message: `The list of ${kind} is empty: ${because}.` }];
}

function unknownValues({ kind, unknown }: Catalog<Primitive>): ConcernWarning[] {
  return unknown.map((value) => ({
    code: 'unknown-meta-value',
    message: `The server's ${kind} carry a value in _meta.concerns that the policy does not declare (${value}); ignored.`,
  }));
}

/** Transparency: the values that the policy gives a primitive, in its `_meta.concerns`. */
function withValues(
  { policy, items, classOf, classes }: Catalog<Primitive>,
  shown: readonly Primitive[],
): object[] {
  const positions = new Map(items.map((item, position) => [item, position]));
  return shown.map((item) => {
    const mapping = classes[classOf[positions.get(item) ?? -1] ?? -1];
    const values = (mapping?.offers ?? []).flatMap((offer, index) => {
      const name = policy.concerns[index]?.name;
      if (offer === undefined || name === undefined) return [];
      const words = offer.offered.map((number) => fromNumber(policy, index, number));
      return [[name, words.length === 1 ? words[0] : words]];
    });
    return {
      ...item,
      _meta: { ...(item._meta as object | undefined), concerns: Object.fromEntries(values) },
    };
  });
}
