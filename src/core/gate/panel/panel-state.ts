import {
  type Configuration,
  describeAccepted,
  describeConfiguration,
  describeModel,
  describeOrigins,
  resolveConfiguration,
} from '../../engine/configuration.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import { type Concern, KINDS, type Policy } from '../../engine/policy.js';
import { ADDED_TOOLS, HIDDEN_TOOLS } from '../../engine/preference-source.js';
import { type Catalog, decideItem, select } from '../../engine/select.js';
import { getOrMake } from '../../once.js';
import type { Decided } from '../request/kept-preferences.js';
import { hidingConcern, needsEngine } from './item-classes.js';
import type {
  PanelConcern,
  PanelCount,
  PanelOption,
  PanelPreferences,
  PanelPreset,
  PanelState,
  PanelValue,
} from './panel-document.js';
import { asListed, describeItems, type ItemsInput, type Preferences } from './panel-items.js';

/** What the document says of its page and its connection. */
type PanelFrame = Pick<
  PanelState,
  'revision' | 'server' | 'session' | 'sessions' | 'readOnly' | 'onlyNarrows' | 'warnings' | 'missing'
>;

/** Everything that the document is computed from. */
export interface PanelInput extends ItemsInput, PanelFrame {
  /** For a page that can only show less: whether a change shows less. */
  readonly allows?: ((change: Preferences) => boolean) | undefined;
  /** Whether to name also what only the operator can show. For the author of a policy, never for a host. */
  readonly forAuthor?: boolean;
}

/**
 * Computes the document that a page shows. Every count, decision and reason comes from the engine.
 *
 * @param input the preferences, the server's lists, and the sessions
 * @returns the document; it names no primitive that only the operator can show, except for an author
 * @throws {RangeError} if a list is bound to another policy
 * @example
 * panelState({ preferences: { security: 'high' }, configure, catalogs, tokensOf, ...connection }).shown.tools; // 10
 */
export function panelState(input: PanelInput): PanelState {
  const { caller: _caller, redact: _redact, allows = () => true, forAuthor = false, ...given } = input;
  const { preferences, configure, catalogs, tokensOf: counter, ...frame } = given;
  const tokensOf = remembered(counter);
  const reachable = new Set<Primitive>(forAuthor ? KINDS.flatMap((kind) => catalogs[kind]?.items ?? []) : []);
  const count = (changed: Preferences, decided: Decided = []): PanelCount => {
    const configuration = configure(changed, decided);
    for (const kind of KINDS) {
      const catalog = catalogs[kind];
      if (catalog !== undefined) for (const item of select(catalog, configuration).kept) reachable.add(item);
    }
    if (catalogs.tools === undefined) return countOf([], tokensOf);
    const { kept } = select(catalogs.tools, configuration);
    return countOf(asListed(catalogs.tools, kept, configuration), tokensOf);
  };

  const now = configure(preferences);
  const { policy } = now;
  const shown = count(preferences);
  const none = withoutValues(policy);
  const everything = count(none, 'all');
  // What the person hid with its own switch can be shown by it again.
  const { [HIDDEN_TOOLS]: _hidden, ...unhidden } = preferences;
  count(unhidden);
  const widens = (change: Preferences) => (allows(change) ? {} : ({ widens: true } as const));
  const concerns = describeConcerns(
    now,
    addedTools(now, catalogs.tools),
    (name, value) => count({ ...preferences, [name]: value }, [name]),
    allows,
  );
  const presets = describePresets(now, (chosen) => count({ ...none, ...chosen }, 'all')).map((preset) => ({
    ...preset,
    ...widens({ preset: preset.name }),
  }));
  const open = configure(none, 'all');
  const { items, classes } = describeItems({ ...input, tokensOf }, now, open, {
    reachable,
    allows,
    toolsAfter: (change) => count({ ...preferences, ...change }, Object.keys(change)).tools,
  });
  const all = KINDS.reduce((sum, kind) => sum + (catalogs[kind]?.items.length ?? 0), 0);
  const tools = catalogs.tools?.items.filter((item) => reachable.has(item)) ?? [];
  const most = catalogs.tools === undefined ? [] : asListed(catalogs.tools, tools, open);
  return {
    format: 1,
    ...frame,
    policy: {
      enforcement: policy.settings.enforcement,
      ...(policy.settings.lists === 'stable' ? { lists: 'stable' } : {}),
    },
    concerns,
    presets,
    shown,
    everything: { ...everything, ...widens({ ...none, [ADDED_TOOLS]: null, [HIDDEN_TOOLS]: null }) },
    total: countOf(most, tokensOf),
    items,
    classes,
    ...(needsEngine(now) ? { rulesDecide: true } : {}),
    // Under `enforce`, the number of hidden primitives reveals that there are some.
    withheld: policy.settings.enforcement === 'enforce' ? 0 : all - items.length,
  };
}

/**
 * Completes a change to preferences that state every host concern. Otherwise a weaker source, such as the URL, would
 * decide about the concerns that the change leaves out.
 *
 * @param configuration the values in effect before the change
 * @param change the concerns to change; a `preset` replaces all of them
 * @returns a value or `null` for each host concern, and the entries of the change as they are
 * @example
 * completeChange(configuration, { cost: 'minimal' }); // { security: 'high', cost: 'minimal' }
 */
export function completeChange(
  configuration: Configuration,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const none = withoutValues(configuration.policy);
  if (change.preset === undefined) return { ...none, ...hostValues(configuration), ...change };
  // Entries of the change are stronger than its preset, so the other concerns of the preset must be left out here.
  const values =
    typeof change.preset === 'string' ? configuration.policy.presets.get(change.preset) : undefined;
  return { ...none, ...(values === undefined ? {} : Object.fromEntries(values)), ...change };
}

/** @returns `null` for each concern that the host sets */
function withoutValues({ concerns }: Policy): Record<string, null> {
  const host = concerns.filter(({ setBy }) => setBy === 'host');
  return Object.fromEntries(host.map(({ name }) => [name, null]));
}

function hostValues(configuration: Configuration): Record<string, PanelValue | PanelValue[]> {
  const isHost = new Set(Object.keys(withoutValues(configuration.policy)));
  const values = Object.entries(describeConfiguration(configuration));
  return Object.fromEntries(values.filter(([name]) => isHost.has(name)));
}

type Counter = PanelInput['tokensOf'];

/**
 * The tokens of each definition. Each counter has its own: the page of `serve` counts with a tokenizer, a page in a
 * conversation estimates.
 */
const countedBy = new WeakMap<Counter, WeakMap<object, number>>();

function remembered(tokensOf: Counter): Counter {
  const counted = getOrMake(countedBy, tokensOf, () => new WeakMap<object, number>());
  return (definition) => getOrMake(counted, definition, () => tokensOf(definition));
}

const countOf = (tools: readonly Primitive[], tokensOf: Counter): PanelCount => ({
  tools: tools.length,
  tokens: tools.reduce((sum, tool) => sum + tokensOf(tool), 0),
});

/** @returns the tools that a model added, by the index of the concern that hides each of them */
function addedTools({ added, ...now }: Configuration, catalog: Catalog<Primitive> | undefined) {
  const found = new Map<number, string[]>();
  if (added === undefined || catalog === undefined) return found;
  catalog.items.forEach((item, position) => {
    const name = identityOf('tools', item);
    if (!added.names.has(name) || decideItem(catalog, position, added.open).effect === 'hide') return;
    const hiding = hidingConcern(catalog, position, now);
    if (hiding !== undefined) getOrMake(found, hiding.concern, () => []).push(name);
  });
  return found;
}

function describeConcerns(
  now: Configuration,
  added: ReadonlyMap<number, readonly string[]>,
  count: (name: string, value: PanelPreferences[string]) => PanelCount,
  allows: (change: PanelPreferences) => boolean,
): PanelConcern[] {
  const inEffect = describeConfiguration(now);
  const origins = describeOrigins(now);
  const model = describeModel(now);
  return now.policy.concerns.map((concern, index) => {
    const tools = added.get(index);
    const { name, description, match, multiple, setBy, values } = concern;
    const origin = origins[name];
    const chosen = inEffect[name] === undefined ? [] : [inEffect[name]].flat();
    return {
      name,
      ...(description === undefined ? {} : { description }),
      match,
      multiple,
      setBy,
      inEffect: chosen,
      ...(origin === undefined ? {} : { origin }),
      ...(model[name] === undefined ? {} : { model: [model[name]].flat() }),
      ...(tools === undefined ? {} : { added: tools }),
      ...('min' in values
        ? { range: values, ...reachOf(concern, values, chosen) }
        : setBy === 'host'
          ? { options: options(concern, values, chosen) }
          : {}),
    };
  });

  function options(
    { name, multiple, valueDescriptions }: Concern,
    values: readonly string[],
    chosen: readonly PanelValue[],
  ): PanelOption[] {
    const described = new Map(Object.entries(valueDescriptions ?? {}));
    const about = (description: string | undefined) => (description === undefined ? {} : { description });
    return [...values, null].map((value) => ({
      value,
      ...about(described.get(value ?? '')),
      ...count(name, multiple && value !== null ? [value] : value),
      ...(allows({ [name]: multiple ? toggled(value, chosen) : value }) ? {} : { widens: true as const }),
    }));
  }

  function reachOf({ name, match }: Concern, { min, max }: Range, [value]: readonly PanelValue[]) {
    if (allows({ [name]: null }) && allows({ [name]: min }) && allows({ [name]: max })) return {};
    const now = Number(value ?? (match === 'at-least' ? min : max));
    return { reach: { min: allows({ [name]: min }) ? min : now, max: allows({ [name]: max }) ? max : now } };
  }
}

type Range = NonNullable<PanelConcern['range']>;

/** What is chosen after a click on one of several values. */
function toggled(value: PanelValue | null, chosen: readonly PanelValue[]): readonly PanelValue[] | null {
  if (value === null) return null;
  const next = chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
  return next.length === 0 ? null : next;
}

function describePresets(
  now: Configuration,
  count: (preferences: PanelPreferences) => PanelCount,
): PanelPreset[] {
  const active = keyOf(hostValues(now));
  return [...now.policy.presets.keys()].map((name) => {
    const expanded = resolveConfiguration(now.policy, [{ from: 'session', concerns: { preset: name } }]);
    // Without defaults: a page states every concern, so a default never applies.
    const accepted = Object.entries(describeAccepted(expanded)).filter(([, value]) => value !== null);
    const preferences: PanelPreferences = Object.fromEntries(accepted);
    return { name, preferences, active: keyOf(preferences) === active, ...count(preferences) };
  });
}

/** Preferences are described in the order of the policy, so those that are equal have the same key. */
const keyOf = (preferences: PanelPreferences): string => JSON.stringify(preferences);
