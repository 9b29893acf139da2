import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KINDS, type Policy, preparePolicy, type ServerCatalog } from '../../src/core/engine/index.js';
import { ownConcerns } from '../../src/core/engine/mapping.js';
import { read } from '../../src/core/wire/messages.js';
import { reportOf } from '../policy/author.js';
import { decisionsOf, type StoredCase, type StoredRequest } from './stored/stored-case.js';

/** The first line has the catalogs, every other line a case. */
const [first = '', ...lines] = readFileSync(
  join(import.meta.dirname, 'stored/old-policies.jsonl'),
  'utf8',
).split('\n');
const catalogs: readonly ServerCatalog[] = JSON.parse(first);
const cases: readonly StoredCase[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line));

const hasOddClaim = (policy: Policy, { claims = {} }: StoredRequest): boolean =>
  policy.concerns.some(({ claim = '', multiple, values }) => {
    const value = claims[String(claim)];
    if (value === undefined || 'min' in values) return value !== undefined;
    if (Array.isArray(value) && !multiple) return true;
    return ![value].flat().some((each) => values.includes(String(each)));
  });

/** Values that the server itself gives a primitive do not map it any more, so it is hidden under `unmapped: hide`. */
function isHiddenNow(catalog: ServerCatalog, now = '', then = ''): boolean {
  const primitives = KINDS.flatMap((kind) => catalog[kind] ?? []);
  const from = then.indexOf(' ') + 1;
  return (
    now.length === then.length &&
    now.slice(0, from) === then.slice(0, from) &&
    primitives.every((primitive, index) => {
      const [before, after] = [then[from + index], now[from + index]];
      return (
        before === after || (before === '.' && after === 'u' && ownConcerns(primitive._meta) !== undefined)
      );
    })
  );
}

/** Returns whether a rule reads a claim, or a concern with a claim, that the caller does not have. */
function lacksClaim({ concerns, rules }: StoredPolicy, { claims = {} }: StoredRequest): boolean {
  const reads = (path: string, before = '"'): boolean =>
    JSON.stringify(rules ?? []).includes(`${before}${path}`);
  const ofConcerns = Object.entries(concerns ?? {}).flatMap(([name, { claim }]) =>
    claim !== undefined && reads(`concerns.${name}`) ? [String(claim)] : [],
  );
  const own = [...JSON.stringify(rules ?? []).matchAll(/"claims\.([^"]+)/g)].map(([, name = '']) => name);
  return [...ofConcerns, ...own].some((path) => {
    const value = read(claims, ...path.split('.'));
    // Nothing can be in a text: where a rule reads a list, a text counts as no claim.
    return value === undefined || (typeof value === 'string' && reads(`claims.${path}"}]`, IN_LIST));
  });
}

/** What stands before the path of a list in which a rule looks for a group. */
const IN_LIST = '{"in":["staff",{"var":"';

interface StoredPolicy {
  readonly concerns?: Readonly<Record<string, { readonly claim?: unknown }>>;
  readonly rules?: readonly unknown[];
}

/** What a rule reads and a caller lacks counts as what hides most now: what was hidden stays hidden. */
function hidesAtLeast(now = '', then = ''): boolean {
  const from = then.indexOf(' ') + 1;
  const isShown = (letter = '') => /[.a-t]/.test(letter);
  return (
    now.length === then.length &&
    now.slice(0, from) === then.slice(0, from) &&
    [...now.slice(from)].every((letter, index) => !isShown(letter) || isShown(then[from + index]))
  );
}

describe('a policy that was written before the language grew', () => {
  it('decides as it did then', () => {
    const different = cases.flatMap(({ policy, catalog, requests, decisions }, index): object[] => {
      const { compiled, findings } = reportOf({ 'policy.yaml': JSON.stringify(policy) });
      if (compiled === undefined) return [{ index, findings }];
      const prepared = preparePolicy(compiled);
      const now = requests.map((request) => decisionsOf(prepared, catalogs[catalog] ?? {}, request));
      // A claim that no value matches is denied now, also null, and a list of one element counts as that element.
      const differs = requests.some(
        (request, at) =>
          !isHiddenNow(catalogs[catalog] ?? {}, now[at], decisions[at]) &&
          !hasOddClaim(prepared, request) &&
          !(lacksClaim(policy as StoredPolicy, request) && hidesAtLeast(now[at], decisions[at])),
      );
      return differs ? [{ index, now, decisions }] : [];
    });
    expect(different).toEqual([]);
    expect(cases.length).toBe(110);
  });

  it('is tested with every kind of decision', () => {
    const letters = new Set(cases.flatMap(({ decisions }) => decisions).join(''));
    expect([...letters].sort().join('')).toBe(' .012ABCabcu');
  });
});
