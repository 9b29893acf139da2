import type { Policy } from '../../src/index.js';
import { policyFromText } from '../policy-text.js';
import type { Random } from './random.js';

export type Kind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';
export type Level = 'low' | 'high';

export interface Thing {
  readonly kind: Kind;
  /** Its name, URI or URI template. */
  readonly identity: string;
  /** A text that only the server's answers about it contain. */
  readonly secret: string;
  /** The gate has something of this name itself, unless `settings.panel` is off. */
  readonly isReserved?: true;
}

const thing = (kind: Kind, identity: string, index: number): Thing => ({
  kind,
  identity,
  secret: `secret-${kind}-${index}-end`,
});
const things = (kind: Kind, identities: readonly string[]): Thing[] =>
  identities.map((identity, index) => thing(kind, identity, index));

/** What the server has. No identity is a part of another one, so that finding one in a text is unambiguous. */
export const THINGS: readonly Thing[] = [
  ...things('tools', ['tool-a', 'tool-b', 'tool-c', 'tool-d', 'tool-e', 'unlike-others']),
  ...things('prompts', ['prompt-a', 'prompt-b', 'prompt-c']),
  ...things('resources', ['r://d/one', 'r://d/two', 'file:///d/three', 'file:///d/four', 'r://t/listed']),
  ...things('resourceTemplates', ['r://t/{id}', 'r://u/{id}', 'file:///v/{id}']),
  thing('resources', 'ui://page/one', 5),
  thing('resources', 'ui://page/two', 6),
];

/** What a hostile server lists besides, to get what a person does in the panel. Their names are parts of other texts. */
export const RESERVED: readonly Thing[] = (
  [
    ['tools', 'concerns'],
    ['tools', 'concerns_read'],
    ['tools', 'concerns_update'],
    ['prompts', 'concerns'],
    ['prompts', 'concerns-low'],
    ['prompts', 'concerns-other'],
    ['resources', 'ui://concerns/panel.html'],
    ['resources', 'ui://concerns/other.html'],
  ] as const
).map(([kind, identity], index) => ({
  kind,
  identity,
  secret: `secret-reserved-${index}-end`,
  isReserved: true,
}));

/** A tool that only pages can call. */
export const FOR_PAGES = 'tool-b';

/** The pages of tools (MCP Apps), by the name of the tool. */
export const PAGES: Readonly<Record<string, object>> = {
  'tool-a': { ui: { resourceUri: 'ui://page/one' } },
  [FOR_PAGES]: { ui: { resourceUri: 'ui://page/two', visibility: ['app'] } },
  'tool-c': { 'ui/resourceUri': 'ui://page/two' },
};

/** What the server says of its own tools in `_meta.concerns`. It may hide a tool, and never maps it. */
export const OWN_VALUES: Readonly<Record<string, Values>> = {
  'tool-c': { level: 'high' },
  'tool-d': { level: 'low' },
  'unlike-others': { level: 'low' },
};

/** What a policy says, as plain data: the oracle reads this, and the gate the policy that is written from it. */
export interface Plan {
  readonly mode: 'advisory' | 'shadow' | 'enforce';
  readonly unmapped: 'show' | 'hide';
  readonly panel: 'on' | 'narrow' | 'read-only' | 'off';
  /** What a model may change. Without it, nothing. */
  readonly model?: 'narrow' | 'free' | undefined;
  readonly entries: ReadonlyMap<string, Values>;
  readonly patterns: ReadonlyMap<string, Values>;
}

interface Values {
  readonly level?: Level;
  /** Only callers with a claim see a value of this concern, and no caller of the fuzz has one. */
  readonly tier?: 'pro';
}

const PATTERNS: Readonly<Record<string, Kind>> = {
  'tool-*': 'tools',
  'prompt-*': 'prompts',
  'r://d/*': 'resources',
  'r://*': 'resourceTemplates',
  'ui://page/*': 'resources',
};
const VALUES: readonly [Values, ...Values[]] = [{ level: 'low' }, { level: 'high' }, { tier: 'pro' }, {}];

export function randomPlan(random: Random): Plan {
  const entries = new Map<string, Values>();
  for (const { identity } of THINGS) if (random.chance(0.6)) entries.set(identity, random.pick(VALUES));
  const patterns = new Map<string, Values>();
  for (const pattern of Object.keys(PATTERNS)) {
    if (random.chance(0.2)) patterns.set(pattern, random.pick([{ level: 'low' }, { level: 'high' }]));
  }
  return {
    mode: random.pick(['enforce', 'enforce', 'enforce', 'enforce', 'advisory', 'shadow']),
    unmapped: random.pick(['show', 'hide']),
    panel: random.pick(['off', 'off', 'on', 'on', 'narrow', 'read-only']),
    entries,
    patterns,
  };
}

/** Writes a plan as the text of a policy, and loads it. */
export function policyOf({ mode, unmapped, panel, model, entries, patterns }: Plan): Policy {
  const ofKind = (kind: Kind) =>
    Object.fromEntries(
      THINGS.filter((each) => each.kind === kind).flatMap(({ identity }) => {
        const values = entries.get(identity);
        return values === undefined ? [] : [[identity, values]];
      }),
    );
  const patternsOf = (kind: Kind) =>
    Object.fromEntries([...patterns].filter(([pattern]) => PATTERNS[pattern] === kind));
  const byKind = <T>(make: (kind: Kind) => T) => ({
    tools: make('tools'),
    prompts: make('prompts'),
    resources: make('resources'),
    resourceTemplates: make('resourceTemplates'),
  });
  const concerns = {
    level: { values: ['low', 'high'], ...(model === undefined ? {} : { model }) },
    tier: { values: ['free', 'pro'], 'set-by': 'operator', claim: 'tier' },
  };
  const settings = { enforcement: mode, unmapped, panel };
  const presets = { low: { level: 'low' }, high: { level: 'high' } };
  const content = {
    version: 1,
    concerns,
    presets,
    primitives: byKind(ofKind),
    patterns: byKind(patternsOf),
    settings,
  };
  // Every JSON text is YAML.
  return policyFromText(JSON.stringify(content));
}

/** The preference for `level` that is in effect; `undefined` for none, `lost` if nobody knows it any more. */
type Wanted = Level | 'lost' | undefined;
/** The preferences that are in effect: a level, and the tools that a person hid one by one. Equal views are equal values. */
export type View = Wanted | `${Level | 'any'} without ${string}`;
export const VIEWS: readonly Wanted[] = [undefined, 'low', 'high'];

const partsOf = (view: View): readonly [Wanted, readonly string[]] => {
  const [level, hidden = ''] = view?.split(' without ') ?? [];
  const wanted = level === 'low' || level === 'high' || level === 'lost' ? level : undefined;
  return [wanted, hidden === '' ? [] : hidden.split(' ')];
};

export const levelOf = (view: View): Wanted => partsOf(view)[0];

/** The view with another level, and the same tools hidden. */
export function withLevel(view: View, level: Wanted): View {
  const [, hidden] = partsOf(view);
  return hidden.length === 0 || level === 'lost' ? level : `${level ?? 'any'} without ${hidden.join(' ')}`;
}

/** The view with one more tool hidden. */
export function without(view: View, tool: string): View {
  const [level, hidden] = partsOf(view);
  const names = [...new Set([...hidden, tool])].sort().join(' ');
  return level === 'lost' ? level : `${level ?? 'any'} without ${names}`;
}

/** The oracle: whether lists show a thing. `shadow` filters nothing, but what the gate adds takes the place of the server's. */
export const isListed = (plan: Plan, each: Thing, view: View): boolean =>
  !isTaken(plan, each) && (plan.mode === 'shadow' || fits(plan, each, view));

/** The oracle: whether a client may use a thing or see anything of it. Only `enforce` hides more than lists. */
export const isAllowed = (plan: Plan, each: Thing, view: View): boolean =>
  !isTaken(plan, each) && (plan.mode !== 'enforce' || fits(plan, each, view));

/** The oracle: whether a person may learn that a thing exists, because some preference shows it. */
export const isReachable = (plan: Plan, each: Thing): boolean =>
  !isTaken(plan, each) && VIEWS.some((level) => fits(plan, each, level));

/** Whether an entry of the policy alone says whether a thing is hidden. Own values of the server are only in its lists. */
export const isKnownByEntry = ({ entries }: Plan, { identity }: Thing): boolean =>
  entries.has(identity) && OWN_VALUES[identity] === undefined;

/** The oracle: whether an entry of the policy hides a thing, which the gate then knows before it has any list. */
export const isHiddenByEntry = (plan: Plan, each: Thing, view: View): boolean =>
  plan.mode === 'enforce' && plan.entries.has(each.identity) && !fits(plan, each, levelOf(view), {});

const isTaken = ({ panel }: Plan, { isReserved }: Thing): boolean => isReserved === true && panel !== 'off';

/** Whether a thing fits the preferences. It shares no code with the product. */
function fits(
  plan: Plan,
  { kind, identity }: Thing,
  view: View,
  own: Values = OWN_VALUES[identity] ?? {},
): boolean {
  const [level, hidden] = partsOf(view);
  if (kind === 'tools' && hidden.includes(identity)) return false;
  const applied: Values[] = [];
  for (const [pattern, values] of plan.patterns) {
    if (PATTERNS[pattern] === kind && identity.startsWith(pattern.slice(0, -1))) applied.push(values);
  }
  const covering = kind === 'resources' && identity.startsWith('r://t/') ? 'r://t/{id}' : identity;
  const entry = plan.entries.get(identity) ?? plan.entries.get(covering);
  if (entry !== undefined) applied.push(entry);
  if (applied.length === 0 && plan.unmapped === 'hide') return false;
  const values: Values = Object.assign({}, own, ...applied);
  if (values.tier !== undefined) return false;
  return level === undefined || values.level === undefined || values.level === level;
}
