import { smallestChange } from '../../analysis/smallest-change.js';
import {
  type Caller,
  type Configuration,
  describeAccepted,
  describeConfiguration,
  describeModel,
  describeOrigins,
  resolveConfiguration,
} from '../../engine/configuration.js';
import { type Decision, evaluate } from '../../engine/evaluate.js';
import { identityOf, type Mapping, mapPrimitive, type Primitive } from '../../engine/mapping.js';
import { type Concern, KINDS, type Kind, type Policy } from '../../engine/policy.js';
import { type Catalog, type Selection, select } from '../../engine/select.js';
import type { Decided } from '../request/kept-preferences.js';
import type {
  PanelConcern,
  PanelCount,
  PanelItem,
  PanelOption,
  PanelPreferences,
  PanelPreset,
  PanelReason,
  PanelState,
  PanelValue,
} from './panel-document.js';

/** Preferences as a session keeps them, unchecked. */
type Preferences = Readonly<Record<string, unknown>>;

/** Everything that the document is computed from. */
export interface PanelInput
  extends Pick<PanelState, 'revision' | 'server' | 'session' | 'sessions' | 'warnings'> {
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
  readonly readOnly?: string | undefined;
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
  const { preferences, configure, catalogs, tokensOf, readOnly } = input;
  const reachable = new Set<Primitive>(
    input.forAuthor === true ? KINDS.flatMap((kind) => catalogs[kind]?.items ?? []) : [],
  );
  const count = (changed: Preferences, decided: Decided = []): PanelCount => {
    const configuration = configure(changed, decided);
    for (const kind of KINDS) {
      const catalog = catalogs[kind];
      if (catalog !== undefined) for (const item of select(catalog, configuration).kept) reachable.add(item);
    }
    return countTools(catalogs.tools, configuration, tokensOf);
  };

  const now = configure(preferences);
  const { policy } = now;
  const shown = count(preferences);
  const none = withoutValues(policy);
  const everything = count(none, 'all');
  const concerns = describeConcerns(now, (name, value) => count({ ...preferences, [name]: value }, [name]));
  const presets = describePresets(now, (chosen) => count({ ...none, ...chosen }, 'all'));
  const items = describeItems(
    input,
    now,
    reachable,
    (change) => count({ ...preferences, ...change }, Object.keys(change)).tools,
  );
  const all = KINDS.reduce((sum, kind) => sum + (catalogs[kind]?.items.length ?? 0), 0);
  const tools = catalogs.tools?.items.filter((item) => reachable.has(item)) ?? [];
  return {
    format: 1,
    revision: input.revision,
    server: input.server,
    policy: { digest: policy.digest, enforcement: policy.settings.enforcement },
    session: input.session,
    sessions: input.sessions,
    concerns,
    presets,
    shown,
    everything,
    total: { tools: tools.length, tokens: sumOfTokens(tools, tokensOf) },
    items,
    // Under `enforce`, the number of hidden primitives reveals that there are some.
    withheld: policy.settings.enforcement === 'enforce' ? 0 : all - items.length,
    ...(readOnly === undefined ? {} : { readOnly }),
    warnings: input.warnings,
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
  return Object.fromEntries(
    Object.entries(describeConfiguration(configuration)).filter(([name]) => isHost.has(name)),
  );
}

/**
 * The tokens of a selection, which the engine remembers by configuration. Each counter has its own: the page of `serve`
 * counts with a tokenizer, a page in a conversation estimates.
 */
const tokensOfSelection = new WeakMap<PanelInput['tokensOf'], WeakMap<Selection<Primitive>, number>>();

function countTools(
  catalog: Catalog<Primitive> | undefined,
  configuration: Configuration,
  tokensOf: PanelInput['tokensOf'],
): PanelCount {
  if (catalog === undefined) return { tools: 0, tokens: 0 };
  const selection = select(catalog, configuration);
  const known = tokensOfSelection.get(tokensOf) ?? new WeakMap<Selection<Primitive>, number>();
  tokensOfSelection.set(tokensOf, known);
  const tokens = known.get(selection) ?? sumOfTokens(selection.kept, tokensOf);
  known.set(selection, tokens);
  return { tools: selection.kept.length, tokens };
}

const sumOfTokens = (items: readonly Primitive[], tokensOf: PanelInput['tokensOf']): number =>
  items.reduce((sum, item) => sum + tokensOf(item), 0);

function describeConcerns(
  now: Configuration,
  count: (name: string, value: PanelPreferences[string]) => PanelCount,
): PanelConcern[] {
  const inEffect = describeConfiguration(now);
  const origins = describeOrigins(now);
  const model = describeModel(now);
  return now.policy.concerns.map((concern) => {
    const { name, description, match, multiple, setBy, values } = concern;
    const origin = origins[name];
    return {
      name,
      ...(description === undefined ? {} : { description }),
      match,
      multiple,
      setBy,
      inEffect: inEffect[name] === undefined ? [] : [inEffect[name]].flat(),
      ...(origin === undefined ? {} : { origin }),
      ...(model[name] === undefined ? {} : { model: [model[name]].flat() }),
      ...('min' in values
        ? { range: values }
        : setBy === 'host'
          ? { options: options(concern, values) }
          : {}),
    };
  });

  function options({ name, multiple, valueDescriptions }: Concern, values: readonly string[]): PanelOption[] {
    const described = new Map(Object.entries(valueDescriptions ?? {}));
    const about = (description: string | undefined) => (description === undefined ? {} : { description });
    return [...values, null].map((value) => ({
      value,
      ...about(described.get(value ?? '')),
      ...count(name, multiple && value !== null ? [value] : value),
    }));
  }
}

function describePresets(
  now: Configuration,
  count: (preferences: PanelPreferences) => PanelCount,
): PanelPreset[] {
  const active = keyOf(hostValues(now));
  return [...now.policy.presets.keys()].map((name) => {
    const expanded = resolveConfiguration(now.policy, [{ from: 'session', concerns: { preset: name } }]);
    // Without defaults: a page states every concern, so a default never applies.
    const preferences: PanelPreferences = Object.fromEntries(
      Object.entries(describeAccepted(expanded)).filter(([, value]) => value !== null),
    );
    return { name, preferences, active: keyOf(preferences) === active, ...count(preferences) };
  });
}

/** Preferences are described in the order of the policy, so those that are equal have the same key. */
const keyOf = (preferences: PanelPreferences): string => JSON.stringify(preferences);

function describeItems(
  input: PanelInput,
  now: Configuration,
  reachable: ReadonlySet<Primitive>,
  toolsAfter: (change: PanelPreferences) => number,
): PanelItem[] {
  const { catalogs, tokensOf } = input;
  return KINDS.flatMap((kind) => {
    const catalog = catalogs[kind];
    if (catalog === undefined) return [];
    const { items, classOf, classes } = catalog;
    // Items of one class share every decision, so they share the change that reverses it.
    const changes = new Map<number | undefined, PanelPreferences | undefined>();
    return items.flatMap((item, position): PanelItem[] => {
      if (!reachable.has(item)) return [];
      const number = classOf[position];
      const mapping = classes[number ?? -1] ?? mapPrimitive(now.policy, kind, item);
      const { effect, reason } = evaluate(mapping, now);
      if (effect === 'hide' && !changes.has(number))
        changes.set(number, changeThatShows(input, mapping, now));
      const change = effect === 'hide' ? changes.get(number) : undefined;
      return [
        {
          kind,
          name: identityOf(kind, item),
          ...texts(item),
          tokens: kind === 'tools' ? tokensOf(item) : 0,
          shown: effect === 'show',
          reason: withoutPlaces(reason),
          ...(change === undefined ? {} : { change, after: toolsAfter(change) }),
        },
      ];
    });
  });
}

/**
 * Returns the smallest change of the person's preferences that shows a primitive. What the model narrows counts only if that
 * is not enough: then the person decides about these concerns too, with the values that are the person's own.
 */
function changeThatShows(
  { caller, configure, preferences }: PanelInput,
  mapping: Mapping,
  now: Configuration,
): PanelPreferences | undefined {
  const { narrowed, ...own } = now;
  const isHidden = evaluate(mapping, own).effect === 'hide';
  const change = isHidden ? smallestChange(mapping, own, caller) : {};
  if (narrowed === undefined || change === undefined) return change;
  const values = describeConfiguration(own);
  const byModel = Object.keys(describeModel(now)).filter((name) => describeOrigins(own)[name] !== 'model');
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
  switch (reason.code) {
    case 'concern-mismatch': {
      const { source: _place, ...rest } = reason;
      return rest;
    }
    case 'rule':
      return {
        code: reason.code,
        rule: reason.rule,
        ...(reason.reason === undefined ? {} : { reason: reason.reason }),
      };
    default:
      return { code: reason.code };
  }
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
