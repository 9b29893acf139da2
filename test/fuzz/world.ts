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
  ...things('tools', ['tool-a', 'tool-b', 'tool-c', 'tool-d', 'tool-e', 'another']),
  ...things('prompts', ['prompt-a', 'prompt-b', 'prompt-c']),
  ...things('resources', ['r://d/one', 'r://d/two', 'file:///d/three', 'file:///d/four', 'r://t/listed']),
  ...things('resourceTemplates', ['r://t/{id}', 'r://u/{id}', 'file:///v/{id}']),
];

/** What a policy says, as plain data: the oracle reads this, and the gate the policy that is written from it. */
export interface Plan {
  readonly mode: 'advisory' | 'shadow' | 'enforce';
  readonly unmapped: 'show' | 'hide';
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
    entries,
    patterns,
  };
}

/** Writes a plan as the text of a policy, and loads it. */
export function policyOf({ mode, unmapped, entries, patterns }: Plan): Policy {
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
    level: { values: ['low', 'high'] },
    tier: { values: ['free', 'pro'], 'set-by': 'operator', claim: 'tier' },
  };
  const settings = { enforcement: mode, unmapped };
  const content = {
    version: 1,
    concerns,
    primitives: byKind(ofKind),
    patterns: byKind(patternsOf),
    settings,
  };
  // Every JSON text is YAML.
  return policyFromText(JSON.stringify(content));
}

/** The oracle: whether lists show a thing. `shadow` filters nothing. */
export const isListed = (plan: Plan, each: Thing, level: Level | undefined): boolean =>
  plan.mode === 'shadow' || fits(plan, each, level);

/** The oracle: whether a client may use a thing or see anything of it. Only `enforce` hides more than lists. */
export const isAllowed = (plan: Plan, each: Thing, level: Level | undefined): boolean =>
  plan.mode !== 'enforce' || fits(plan, each, level);

/** Whether a thing fits the preferences. It shares no code with the product. */
function fits(plan: Plan, { kind, identity }: Thing, level: Level | undefined): boolean {
  const applied: Values[] = [];
  for (const [pattern, values] of plan.patterns) {
    if (PATTERNS[pattern] === kind && identity.startsWith(pattern.slice(0, -1))) applied.push(values);
  }
  const covering = kind === 'resources' && identity.startsWith('r://t/') ? 'r://t/{id}' : identity;
  const entry = plan.entries.get(identity) ?? plan.entries.get(covering);
  if (entry !== undefined) applied.push(entry);
  if (applied.length === 0) return plan.unmapped === 'show';
  const values: Values = Object.assign({}, ...applied);
  if (values.tier !== undefined) return false;
  return level === undefined || values.level === undefined || values.level === level;
}
