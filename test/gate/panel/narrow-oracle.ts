/**
 * An oracle for what a model may narrow: its own small reading of a policy, which shares no code with the engine. The
 * policy is written from the same description.
 */

export type Value = string | number | readonly string[] | null;
export type Values = Readonly<Record<string, Value>>;

export interface ConcernSpec {
  readonly values: readonly string[] | { readonly min: number; readonly max: number };
  readonly match: 'exact' | 'at-least' | 'at-most';
  readonly multiple?: boolean;
  readonly default?: string;
  readonly model: 'none' | 'narrow';
}

export interface RuleSpec {
  readonly effect: 'hide' | 'show';
  readonly concern: string;
  /** Fires if this is the value in effect. */
  readonly is: string;
}

export interface PolicySpec {
  readonly concerns: Readonly<Record<string, ConcernSpec>>;
  readonly rules: readonly RuleSpec[];
  readonly defaults: 'aware' | 'always' | 'never';
  /** The values of each primitive. */
  readonly primitives: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
}

/** The policy as YAML, without topics. Tools, prompts and resources have the same names and values. */
export function yamlOf({ concerns, rules, defaults, primitives: whole }: PolicySpec): string {
  const entries = Object.entries(whole).map(
    ([name, { topic: _topic, ...values }]) => [name, values] as const,
  );
  const primitives = Object.fromEntries(entries);
  const resources = Object.fromEntries(entries.map(([name, values]) => [`test://${name}`, values]));
  const parts = {
    concerns,
    primitives: { tools: primitives, prompts: primitives, resources },
    rules: rules.map(({ effect, concern, is }, index) => ({
      id: `rule-${index}`,
      [effect]: ['tools', 'prompts', 'resources'],
      when: { '===': [{ var: `concerns.${concern}` }, is] },
    })),
    settings: { panel: 'on', enforcement: 'enforce', defaults },
  };
  return Object.entries(parts)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('');
}

/** Values that the policy accepts. Others count as if they were not there. */
export function accepted({ concerns }: PolicySpec, values: Values): Values {
  const kept = Object.entries(values).flatMap(([name, value]): [string, Value][] => {
    const spec = concerns[name];
    if (spec === undefined) return [];
    const all = spec.values;
    if (value === null) return [[name, null]];
    if (!Array.isArray(all)) return typeof value === 'number' ? [[name, value]] : [];
    const names = [value]
      .flat()
      .filter((each) => all.includes(String(each)))
      .map(String);
    if (names.length === 0) return [];
    return [[name, spec.multiple === true ? names : (names[0] ?? null)]];
  });
  return Object.fromEntries(kept);
}

/** In place of a value that the policy accepted once, and does not know any more: what has a value for the concern is hidden. */
const LOST = 'a value that the policy lost';

/** What the person set that the policy does not know any more. It stays until the person sets the concern again. */
export function lost(policy: PolicySpec, person: Values): Values {
  const known = accepted(policy, person);
  const left = Object.entries(person).filter(
    ([name, value]) => value !== null && name in policy.concerns && !(name in known),
  );
  return Object.fromEntries(left);
}

/** The values in effect for the person, with the defaults that apply. */
export function inEffect(policy: PolicySpec, person: Values): Values {
  const given = accepted(policy, person);
  const gone = lost(policy, person);
  const hasValue = Object.values(given).some((value) => value !== null);
  const applies = policy.defaults === 'always' || (policy.defaults === 'aware' && hasValue);
  const all = Object.entries(policy.concerns).map(([name, spec]): [string, Value] => {
    if (name in gone) return [name, LOST];
    const value = name in given ? given[name] : applies ? spec.default : null;
    return [name, value ?? null];
  });
  return Object.fromEntries(all);
}

/** Whether a primitive is shown under values in effect. */
export function shows({ concerns, rules, primitives }: PolicySpec, name: string, values: Values): boolean {
  const fires = (rule: RuleSpec) => values[rule.concern] === rule.is;
  if (rules.some((rule) => rule.effect === 'hide' && fires(rule))) return false;
  if (rules.some((rule) => rule.effect === 'show' && fires(rule))) return true;
  return Object.entries(primitives[name] ?? {}).every(([concern, own]) => {
    const wanted = values[concern] ?? null;
    const spec = concerns[concern];
    if (wanted === null || spec === undefined) return true;
    if (wanted === LOST) return false;
    const names = spec.values;
    const rank = (value: unknown) => (Array.isArray(names) ? names.indexOf(String(value)) : Number(value));
    if (spec.multiple === true) return [wanted].flat().includes(String(own));
    if (spec.match === 'at-least') return rank(own) >= rank(wanted);
    if (spec.match === 'at-most') return rank(own) <= rank(wanted);
    return rank(own) === rank(wanted);
  });
}

/** Whether a primitive is shown to a person whose model has narrowed. */
export function isShown(policy: PolicySpec, name: string, person: Values, model: Values): boolean {
  const own = inEffect(policy, person);
  const narrowing = Object.entries(accepted(policy, model)).filter(
    ([concern, value]) => value !== null && policy.concerns[concern]?.model === 'narrow',
  );
  const narrowed = { ...own, ...Object.fromEntries(narrowing) };
  return shows(policy, name, own) && shows(policy, name, narrowed);
}
