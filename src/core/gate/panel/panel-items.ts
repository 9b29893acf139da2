import { smallestChange } from '../../analysis/smallest-change.js';
import { configurationFor } from '../../engine/added-tools.js';
import {
  type Caller,
  type Configuration,
  describeConfiguration,
  describeModel,
  describeOrigins,
} from '../../engine/configuration.js';
import { type Decision, evaluate } from '../../engine/evaluate.js';
import { identityOf, type Mapping, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { KINDS, type Kind } from '../../engine/policy.js';
import { ADDED_TOOLS } from '../../engine/preference-source.js';
import { type Catalog, type NarrowedTool, select } from '../../engine/select.js';
import { insideOf } from '../../engine/servers/outside-names.js';
import { getOrMake } from '../../once.js';
import { narrowDefinitions } from '../enforce/narrow-definitions.js';
import type { Decided } from '../request/kept-preferences.js';
import { describeClass } from './item-classes.js';
import type { PanelClass, PanelItem, PanelPreferences, PanelReason, PanelState } from './panel-document.js';

/** Preferences as a session keeps them, unchecked. */
export type Preferences = Readonly<Record<string, unknown>>;

/** What the primitives of the document are computed from. */
export interface ItemsInput {
  /** What the person prefers: the strongest source. */
  readonly preferences: Preferences;
  /**
   * Resolves the values that are in effect if the person prefers something else. The values that a model has set for the
   * concerns that the person decides about do not count.
   */
  readonly configure: (preferences: Preferences, decided?: Decided) => Configuration;
  readonly caller?: Caller;
  /** The server's lists, bound to the policy. */
  readonly catalogs: { readonly [K in Kind]?: Catalog<Primitive> | undefined };
  /** Counts the tokens of a definition. */
  readonly tokensOf: (definition: object) => number;
  /** Removes from definitions what only the operator can show. Without it, they stay as the server wrote them. */
  readonly redact?:
    | ((bound: Catalog<Primitive>, shown: readonly Primitive[], open: Configuration) => readonly Primitive[])
    | undefined;
}

/** What the whole document decides about its primitives. */
interface Reach {
  /** Those that the document names. */
  readonly reachable: ReadonlySet<Primitive>;
  readonly allows: (change: PanelPreferences) => boolean;
  /** How many tools are shown after a change. */
  readonly toolsAfter: (change: PanelPreferences) => number;
}

/**
 * Describes the primitives that the document names, and what decides about those with equal values.
 *
 * @param input the preferences, and the server's lists
 * @param now the values in effect
 * @param open what the host can show: descriptions may name all of it
 * @param reach which primitives are named, and what changes do
 */
export function describeItems(
  input: ItemsInput,
  now: Configuration,
  open: Configuration,
  { reachable, allows, toolsAfter }: Reach,
): Pick<PanelState, 'items' | 'classes'> {
  const { catalogs, tokensOf } = input;
  const describe = describeClass(now);
  const described: PanelClass[] = [];
  const all = KINDS.flatMap((kind) => {
    const catalog = catalogs[kind];
    if (catalog === undefined) return [];
    const { items, classOf, classes } = catalog;
    const named = catalog.items.filter((item) => reachable.has(item));
    const definitions = input.redact?.(catalog, named, open) ?? named;
    const [selection, most] = [select(catalog, now), select(catalog, open)];
    const ofItems = (definitions: readonly Primitive[]) =>
      new Map(named.map((item, index) => [item, definitions[index] ?? item]));
    const written = ofItems(definitions);
    const ofShown = ofItems(asListed(catalog, named, now));
    const ofHidden = ofItems(asListed(catalog, named, open));
    // Items of one class share every decision, so they share the change that reverses it.
    const changes = new Map<number | undefined, PanelPreferences | undefined>();
    const positions = new Map<number | undefined, number>();
    return items.flatMap((item, position): PanelItem[] => {
      if (!reachable.has(item)) return [];
      const number = classOf[position];
      const mapping = classes[number ?? -1] ?? mapPrimitive(now.policy, kind, item);
      const name = identityOf(kind, item);
      const { effect, reason } = evaluate(mapping, configurationFor(now, kind, name));
      const isByValue = effect === 'hide' && reason.code !== 'person';
      if (isByValue && !changes.has(number)) changes.set(number, changeThatShows(input, mapping, now));
      const change = isByValue ? changes.get(number) : undefined;
      const of = getOrMake(positions, number, () => described.push(describe(mapping)) - 1);
      const server = insideOf(item)?.slug;
      const left = leftInWords(selection.narrowed.get(item), most.narrowed.get(item));
      return [
        {
          kind,
          name,
          ...texts(written.get(item) ?? item),
          tokens: kind === 'tools' ? tokensOf((effect === 'show' ? ofShown : ofHidden).get(item) ?? item) : 0,
          shown: effect === 'show',
          ...(left.length === 0 ? {} : { left }),
          of,
          ...(server === undefined ? {} : { server }),
          ...(kind === 'tools' && isSwitched(now, name) ? { alone: true as const } : {}),
          ...(mapping.change === undefined ? {} : { definition: mapping.change }),
          reason: withoutPlaces(reason),
          ...(change === undefined || !allows(change) ? {} : { change, after: toolsAfter(change) }),
        },
      ];
    });
  });
  return { items: all, classes: described };
}

/** Returns the definitions of some items as a list has them: of a tool of which not every call is left, a part. */
export const asListed = (
  bound: Catalog<Primitive>,
  items: readonly Primitive[],
  configuration: Configuration,
): readonly Primitive[] =>
  narrowDefinitions(
    select(bound, configuration),
    items,
    items,
    bound.policy.settings.enforcement === 'enforce',
  );

/**
 * Says what is left of the arguments of a tool, of that which preferences can show: what only the operator hides is not told.
 *
 * @param now what the configuration leaves
 * @param most what the host can show
 */
function leftInWords(now: NarrowedTool | undefined, most: NarrowedTool | undefined): readonly string[] {
  return (now?.left.parts ?? []).flatMap((part, at) => {
    const { argument, values, canBeAbsent } = part;
    const { name, domain } = argument;
    const whole = most?.left.parts[at];
    if (
      part.fill !== undefined ||
      JSON.stringify(values) === JSON.stringify(whole?.values ?? { type: 'all' })
    )
      return canBeAbsent || argument.isRequired || whole?.canBeAbsent === false
        ? []
        : [`${name} is required`];
    if (values.type === 'none') return [`without ${name}`];
    if (values.type !== 'values' || domain.type !== 'closed') return [`some values of ${name}`];
    const all = whole?.values.type === 'values' ? whole.values.values : domain.values;
    return [`${values.values.length} of ${all.length} values of ${name}`];
  });
}

const isSwitched = ({ switched }: Configuration, name: string): boolean =>
  switched?.shown.has(name) === true || switched?.hidden.has(name) === true;

/**
 * Returns the smallest change of the person's preferences that shows a primitive. What the model narrows counts only if that
 * is not enough: then the person decides about these concerns too, with the values that are the person's own.
 */
function changeThatShows(
  { caller, configure, preferences }: ItemsInput,
  mapping: Mapping,
  now: Configuration,
): PanelPreferences | undefined {
  const { narrowed, ...own } = now;
  const isHidden = evaluate(mapping, own).effect === 'hide';
  const change = isHidden ? smallestChange(mapping, own, caller) : {};
  if (narrowed === undefined || change === undefined) return change;
  const values = describeConfiguration(own);
  const byModel = Object.keys(describeModel(now)).filter(
    (name) => name !== ADDED_TOOLS && describeOrigins(own)[name] !== 'model',
  );
  const undone = byModel.map((name): PanelPreferences => ({ [name]: values[name] ?? null }));
  const tries = [{}, ...undone, Object.assign({}, ...undone)];
  return tries
    .map((undoing: PanelPreferences) => ({ ...undoing, ...change }))
    .find((tried) => {
      const changed = configure({ ...preferences, ...tried }, Object.keys(tried));
      return evaluate(mapping, changed).effect === 'show';
    });
}

function withoutPlaces(reason: Decision['reason']): PanelReason {
  if (reason.code === 'concern-mismatch') {
    const { source: _place, ...rest } = reason;
    return rest;
  }
  if (reason.code !== 'rule') return { code: reason.code === 'scope-missing' ? 'fits' : reason.code };
  const { code, rule, reason: text } = reason;
  return text === undefined ? { code, rule } : { code, rule, reason: text };
}

const MAX_DESCRIPTION = 160;

/** @returns the title, and the first line of the description: a page has no room for more */
function texts(
  item: Primitive & { readonly description?: unknown },
): Pick<PanelItem, 'title' | 'description'> {
  const { title, description } = item;
  const [line = ''] = typeof description === 'string' ? description.trim().split('\n') : [];
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(line === '' ? {} : { description: line.slice(0, MAX_DESCRIPTION) }),
  };
}
