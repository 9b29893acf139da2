import {
  type ConcernWarning,
  type Configuration,
  describeConfiguration,
} from '../../engine/configuration.js';
import { fromNumber, type Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { type Catalog, type Selection, select } from '../../engine/select.js';
import { EXTENSION_ID } from '../../wire/messages.js';
import { redactDefinitions, redactRest } from '../enforce/definitions.js';
import { narrowDefinitions } from '../enforce/narrow-definitions.js';
import type { HiddenReport } from '../request/report.js';
import type { WholeList } from '../request/whole-list.js';

/** What of a list a client gets, and what the log says about it. */
export interface FilteredList {
  /** The primitives that the configuration shows, before the client's own filter. */
  readonly kept: readonly Primitive[];
  /** How many primitives the client gets on all pages together. */
  readonly shown: number;
  /** The primitives for the client. Under `transparency` their values are in `_meta`. */
  readonly items: readonly Primitive[];
  readonly total: number;
  /** How many primitives the client does not get, by reason. */
  readonly hidden: HiddenReport;
  readonly rest: Record<string, unknown>;
  readonly meta: { readonly _meta?: object };
  /** For the log: the client gets fewer, in `meta`. */
  readonly warnings: readonly ConcernWarning[];
}

/**
 * Filters a list, first by the configuration, then by the client's own filter. The order stays the server's.
 *
 * @param list the server's whole list
 * @param configuration the values in effect
 * @param warnings warnings about the configuration
 * @param narrow applies the client's own filter
 * @returns the parts of the result, with `_meta` as the extension defines it
 * @example
 * const { items, meta } = filterList(list, configuration, [], (shown) => applyListFilter('tools', shown, filter));
 */
export function filterList(
  { bound, rest: written, warnings: ofList }: WholeList,
  configuration: Configuration,
  warnings: readonly ConcernWarning[],
  narrow: (shown: readonly Primitive[]) => readonly Primitive[],
): FilteredList {
  const { policy, kind, items: all } = bound;
  const { enforcement, transparency, texts } = policy.settings;
  const shadow = enforcement === 'shadow';
  const selection = select(bound, configuration);
  const { total } = selection;
  const listed = narrow(shadow ? all : selection.kept);
  const enforced = enforcement === 'enforce';
  const definitions = enforced && texts !== 'keep' ? redactDefinitions(bound, listed, configuration) : listed;
  const left = shadow ? definitions : narrowDefinitions(selection, listed, definitions, enforced);
  const shown = shadow ? narrow(selection.kept).length : listed.length;
  const filter = selection.kept.length - shown;
  const rest = enforced ? redactRest(bound, written, configuration) : written;
  const { unknown, weakened } = bound;
  const emptiedBy = shadow ? [] : emptied(kind, selection);
  // Under `enforce`, the client does not learn which reason hides the rest. Unknown values are for the operator's log.
  const told = [...warnings, ...(enforced ? [] : emptiedBy)];
  return {
    kept: shadow ? all : selection.kept,
    shown,
    items: transparency ? withValues(bound, listed, left) : left,
    total,
    hidden: filter === 0 ? selection.hidden : { ...selection.hidden, filter },
    rest,
    meta: metaOf(rest, configuration, { shown: listed.length, total }, told),
    warnings: [
      ...warnings,
      ...ofList,
      ...unknown.map((value) => ({
        code: 'unknown-meta-value',
        message: `A value in _meta.concerns of the server's ${kind} is ignored, because the policy does not declare it (${value}).`,
      })),
      ...warnOfDefinitions(bound),
      // Hosts run tools without asking because of hints.
      ...(weakened.length === 0
        ? []
        : [
            {
              code: 'weaker-hint',
              message: `Hints in "present" promise less harm than the server does, so they are left out: ${weakened.join(', ')} (${kind}). Run "mcp-concerns check" with the server.`,
            },
          ]),
      ...emptiedBy,
    ],
  };
}

/**
 * Makes what the gate tells about a list, in the `_meta` of its result.
 *
 * @param result the result, whose own `_meta` stays
 * @param configuration the values in effect
 * @param counts how much the client is shown of how much, as far as that is known
 * @param warnings for the client
 * @returns the member `_meta`; nothing if there is nothing to tell
 * @example
 * metaOf({}, configuration, { shown: 2, total: 3 }, []);
 */
export function metaOf(
  result: Record<string, unknown>,
  configuration: Configuration,
  { shown, total }: { readonly shown: number; readonly total?: number },
  warnings: readonly ConcernWarning[],
): { _meta?: object } {
  const { enforcement } = configuration.policy.settings;
  // The number of what is hidden reveals that there is something.
  const counts = total === undefined || enforcement === 'enforce' ? { shown } : { shown, total };
  const isTold = configuration.active && enforcement !== 'shadow';
  return annotated(result, {
    ...(isTold ? { concerns: describeConfiguration(configuration), ...counts } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  });
}

/** Returns the result with the warnings in `_meta`; the same object if there are none. */
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

/** An empty list looks like a broken server, so a warning gives the main reason. */
function emptied(kind: Kind, { kept, total, hidden }: Selection<Primitive>): ConcernWarning[] {
  if (kept.length > 0 || total === 0) return [];
  const { concerns = {}, rules = {}, arguments: args = {}, unmapped = 0, changed = 0 } = hidden;
  const byRule = Object.entries(rules).map(([id, count]) => [`rule ${id}`, count] as const);
  const reasons = [
    ...Object.entries(concerns),
    ...byRule,
    ...Object.entries(args).map(([name, count]) => [`argument ${name}`, count] as const),
    ['', unmapped],
    ['settings.changed', changed],
  ] as const;
  const [most] = reasons.toSorted(([, a], [, b]) => b - a);
  const reason = most?.[0] ? `${most[0]} hides most of them` : 'the policy maps none of them';
  return [{ code: 'empty-list', message: `The list of ${kind} is empty: ${reason}.` }];
}

function warnOfDefinitions({ policy, kind, changed }: Catalog<Primitive>): ConcernWarning[] {
  if (changed.length === 0) return [];
  const names = changed.map((name) => JSON.stringify(name.slice(0, MAX_NAME))).join(', ');
  const effect = policy.pins?.changed === 'hide' ? ', so they are hidden' : '';
  return [
    {
      code: 'definition-changed',
      message: `The definitions of these ${kind} are not the pinned ones${effect}: ${names}. Review them with "mcp-concerns pin --review".`,
    },
  ];
}

/** In characters: the server chooses its names. */
const MAX_NAME = 100;

/** Returns the primitives with the values that the policy gives them, in `_meta.concerns`. */
function withValues(
  { policy, items, classOf, classes }: Catalog<Primitive>,
  shown: readonly Primitive[],
  definitions: readonly Primitive[],
): Primitive[] {
  const positions = new Map(items.map((item, position) => [item, position]));
  return shown.map((item, index) => {
    const mapping = classes[classOf[positions.get(item) ?? -1] ?? -1];
    const values = (mapping?.offers ?? []).flatMap((offer, index) => {
      const concern = policy.concerns[index];
      if (offer === undefined || concern === undefined) return [];
      const words = offer.offered.map((number) => fromNumber(concern, number));
      return [[concern.name, words.length === 1 ? words[0] : words]];
    });
    return {
      ...definitions[index],
      _meta: { ...(definitions[index]?._meta as object | undefined), concerns: Object.fromEntries(values) },
    };
  });
}
