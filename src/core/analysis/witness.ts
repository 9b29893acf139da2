import { withClaim } from '../engine/claims.js';
import { type Caller, resolveConfiguration } from '../engine/configuration.js';
import { decide } from '../engine/evaluate.js';
import { readPath } from '../engine/expression/evaluate.js';
import { childrenOf, type Expression, readsCaller, readsPrimitive } from '../engine/expression/expression.js';
import { involvedIn, type Mapping, ruleFacts } from '../engine/mapping.js';
import type { Policy, Rule } from '../engine/policy.js';
import { type Lack, lacks, SCOPES } from './lacks.js';

/** Two callers that differ in what one of them lacks, with the preferences of their host. */
export interface Pair {
  readonly more: Caller;
  readonly less: Caller;
  readonly preferences: Readonly<Record<string, unknown>>;
}

/** What a policy decides about a pair: the rule because of which the caller that has less sees more. */
export interface Witness {
  readonly pair: Pair;
  readonly rule: Rule | undefined;
}

/**
 * How many pairs are tried for one primitive. Of 300 generated policies with up to three rules about two claims, scopes, a
 * capability and two concerns, this many leave 16 without an answer, as 3,000 do, and take a quarter less time; 600 leave 18 and
 * take a tenth less. What is left are pairs that no caller is, so more pairs only take longer.
 */
const MAX_PAIRS = 1200;

/** Its multiples, without their whole part, are spread evenly. Equal steps would try some values of a part never. */
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Searches for a caller that does not see a primitive, and sees it without something that it has. The proof compares conditions, and
 * can find a pair that no caller is; these are callers.
 *
 * @param policy the policy
 * @param mapping the primitive
 * @param lack what the second caller does not have
 * @param suspects the rules that may show more then
 * @param known pairs that were found for other primitives, which are tried first
 * @returns the two callers; `undefined` if none of the pairs that were tried shows it
 */
export function findWitness(
  policy: Policy,
  mapping: Mapping,
  lack: Lack,
  suspects: readonly Rule[],
  known: readonly Pair[],
): Witness | undefined {
  for (const pair of known) {
    const rule = opensFor(policy, mapping, pair);
    if (rule !== undefined) return rule;
  }
  const parts = partsOf(policy, mapping, lack, suspects);
  const total = parts.reduce(
    (product, { length }) => Math.min(product * length, Number.MAX_SAFE_INTEGER / 4096),
    1,
  );
  for (let tried = 0; tried < Math.min(total, MAX_PAIRS); tried++) {
    // The parts of the suspects vary first. If there are too many combinations, every second one is spread over all of them.
    const at = total > MAX_PAIRS && tried % 2 === 1 ? Math.floor(((tried * GOLDEN) % 1) * total) : tried;
    const pair = pairAt(parts, at, lack);
    const found = pair === undefined ? undefined : opensFor(policy, mapping, pair);
    if (found !== undefined) return found;
  }
  return undefined;
}

function opensFor(policy: Policy, mapping: Mapping, pair: Pair): Witness | undefined {
  const sources = [{ from: 'request', concerns: pair.preferences }] as const;
  const more = resolveConfiguration(policy, sources, pair.more);
  // A claim that no value matches is denied on purpose.
  const isUnderstood = !more.origins.some(
    (origin) => origin === 'unmatched-claim' || origin === 'several-claims',
  );
  const hidden = isUnderstood ? decide(mapping, more) : undefined;
  if (hidden?.effect !== 'hide') return undefined;
  const shown = decide(mapping, resolveConfiguration(policy, sources, pair.less));
  if (shown.effect !== 'show') return undefined;
  const reason = [hidden.reason, shown.reason].find((each) => typeof each === 'object' && 'rule' in each);
  return {
    pair,
    rule: typeof reason === 'object' && 'rule' in reason ? policy.rules[reason.rule] : undefined,
  };
}

/** One thing that callers or hosts can differ in: each choice changes them. */
type Part = readonly ((draft: Draft) => Draft)[];

interface Draft {
  readonly caller: Caller & { readonly claims: Map<string, unknown>; readonly scopes: readonly string[] };
  readonly preferences: Readonly<Record<string, unknown>>;
}

function partsOf(policy: Policy, mapping: Mapping, lack: Lack, suspects: readonly Rule[]): Part[] {
  const { kind } = mapping;
  const involved = involvedIn(mapping);
  const rules = [...new Set([...suspects, ...policy.rules.filter(({ kinds }) => kinds.includes(kind))])];
  const constants = (path: string): readonly unknown[] => [
    ...new Set(
      rules
        .filter(({ paths }) => paths.includes(path))
        .flatMap(({ when, paths }) => [
          ...literalsIn(when),
          ...paths
            .filter(readsPrimitive)
            .flatMap((each) => involved.map((one) => readPath(ruleFacts(one), each))),
        ]),
    ),
  ];
  const read = [...new Set(rules.flatMap(({ paths }) => paths))];
  const paths = read.filter(readsCaller).sort((a, b) => Number(lacks(lack, b)) - Number(lacks(lack, a)));
  const concerns = policy.concerns.flatMap((concern, index): Part[] => {
    const isRead = read.includes(`concerns.${concern.name}`);
    if (involved.every(({ offers }) => offers[index] === undefined) && !isRead) return [];
    const { values, name } = concern;
    const some =
      'min' in values ? [values.min, values.max, ...constants(`concerns.${name}`).filter(isNumber)] : values;
    if (concern.setBy === 'host') {
      return [
        [
          same,
          ...some.map(
            (value) =>
              (draft: Draft): Draft => ({ ...draft, preferences: { ...draft.preferences, [name]: value } }),
          ),
        ],
      ];
    }
    return [
      [
        ...some.map((value) => ({ caller, ...draft }: Draft): Draft => {
          const { claims, ...rest } = withClaim(caller, concern, [value]);
          return { ...draft, caller: { ...caller, ...rest, claims: new Map(claims) } };
        }),
        same,
      ],
    ];
  });
  return [...paths.flatMap((path) => partOf(path, constants(path), lack)), ...concerns];
}

const same = (draft: Draft): Draft => draft;
const isNumber = (value: unknown): value is number => typeof value === 'number';

function partOf(path: string, constants: readonly unknown[], lack: Lack): Part[] {
  const texts = [...constants.filter((each) => typeof each === 'string'), 'another text'].slice(0, 6);
  const name = path.slice(path.indexOf('.') + 1);
  if (path === SCOPES) {
    const own = lack.type === 'scope' ? [lack.name] : [];
    const others = texts.filter((text) => !own.includes(text));
    const sets = [
      own,
      ...others.map((text) => [...own, text]),
      [...own, ...others.slice(0, 2)],
      [...own, ...others],
      [],
    ];
    return [sets.map((scopes) => (draft: Draft) => ({ ...draft, caller: { ...draft.caller, scopes } }))];
  }
  if (path.startsWith('client.capabilities')) {
    const key = name.split('.')[1] ?? 'sampling';
    const all = [{ [key]: {} }, {}, undefined];
    return [all.map((capabilities) => (draft: Draft) => withCapabilities(draft, capabilities, key))];
  }
  if (path.startsWith('client.')) {
    const change = (text: string | undefined) => (draft: Draft) => {
      const client = {
        name: 'a client',
        ...(typeof draft.caller.client === 'object' ? draft.caller.client : {}),
      };
      return { ...draft, caller: { ...draft.caller, client: { ...client, [name]: text } } };
    };
    return [[...texts.map(change), ...(name === 'name' ? [] : [change(undefined)])]];
  }
  if (path === 'protocol.era') {
    return [
      (['legacy', 'modern'] as const).map((era) => (draft: Draft) => ({
        ...draft,
        caller: { ...draft.caller, era },
      })),
    ];
  }
  const numbers = constants
    .filter(isNumber)
    .slice(0, 3)
    .flatMap((number) => [number, number + 1, number - 1]);
  const lists = [...texts.map((text) => [text]), texts.slice(0, 2), []];
  const values = [...texts, ...numbers, true, ...lists];
  const change = (value: unknown) => (draft: Draft) => ({
    ...draft,
    caller: { ...draft.caller, claims: new Map(draft.caller.claims).set(name, value) },
  });
  return [lacks(lack, path) ? values.map(change) : [same, ...values.map(change)]];
}

function withCapabilities(
  draft: Draft,
  capabilities: Readonly<Record<string, unknown>> | undefined,
  key: string,
): Draft {
  const before = draft.caller.capabilities;
  const known = typeof before === 'object' && before !== null ? before : {};
  const joined = capabilities === undefined ? undefined : { ...known, ...capabilities };
  return {
    ...draft,
    caller: { ...draft.caller, capabilities: key in known && capabilities === undefined ? before : joined },
  };
}

function pairAt(parts: readonly Part[], at: number, lack: Lack): Pair | undefined {
  let rest = at;
  let draft: Draft = { caller: { claims: new Map(), scopes: [], era: 'legacy' }, preferences: {} };
  for (const part of parts) {
    draft = (part[rest % part.length] ?? same)(draft);
    rest = Math.floor(rest / part.length);
  }
  const { caller: more, preferences } = draft;
  return { more, less: lesser(more, lack), preferences };
}

/** @returns the caller without what it lacks */
function lesser(caller: Draft['caller'], lack: Lack): Caller {
  const { type, name } = lack;
  const claims = new Map([...caller.claims].filter(([key]) => !lacks(lack, `claims.${key}`)));
  switch (type) {
    case 'scope':
      return { ...caller, scopes: caller.scopes.filter((scope) => scope !== name) };
    case 'claim':
      return { ...caller, claims };
    case 'client': {
      const { client, ...rest } = caller;
      if (name === 'client.name' || typeof client !== 'object' || client === null) return rest;
      return { ...rest, client: { ...client, [name.slice('client.'.length)]: undefined } };
    }
    case 'capability': {
      const { capabilities, ...rest } = caller;
      const [, , key] = name.split('.');
      if (key === undefined || typeof capabilities !== 'object' || capabilities === null) return rest;
      return { ...rest, capabilities: { ...capabilities, [key]: undefined } };
    }
    case 'everything':
      return { claims: new Map(), scopes: [], ...(caller.era === undefined ? {} : { era: caller.era }) };
  }
}

/** @returns the constants of an expression, without paths */
function literalsIn(expression: Expression): readonly unknown[] {
  if (expression.type === 'literal') return [expression.value];
  return childrenOf(expression).flatMap(literalsIn);
}
