import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { decide } from '../../src/core/engine/evaluate.js';
import { mapPrimitive } from '../../src/core/engine/mapping.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { reportOf } from '../policy/author.js';
import { sample } from '../sample.js';

const TOOLS = [{ name: 't', _meta: { unit: 'x' } }, { name: 'u' }];

const claim = fc.constantFrom('a', 'b').map((name) => ({ var: `claims.${name}` }));
const text = fc.constantFrom('x', 'y');
const number = fc.constantFrom(0, 3);
const list = fc.constantFrom(['x'], ['x', 'y'], []);

/** Conditions that do not speak about absence: no `missing`, no fallback, no scopes and no capabilities. */
const part: fc.Arbitrary<unknown> = fc.oneof(
  fc
    .tuple(fc.constantFrom('===', '!==', 'starts-with', 'ends-with', 'contains'), claim, text)
    .map(([op, a, b]) => ({ [op]: [a, b] })),
  fc.tuple(fc.constantFrom('<', '<=', '>', '>='), claim, number).map(([op, a, b]) => ({ [op]: [a, b] })),
  fc.tuple(fc.constantFrom('<', '<='), number, claim, number).map(([op, a, b, c]) => ({ [op]: [a, b, c] })),
  fc.tuple(fc.constantFrom('===', '!=='), claim, claim).map(([op, a, b]) => ({ [op]: [a, b] })),
  fc.tuple(text, claim).map((operands) => ({ in: operands })),
  fc.tuple(claim, list).map((operands) => ({ in: operands })),
  claim.map((each) => ({ in: [{ var: 'primitive.name' }, each] })),
  claim.map((each) => ({ '===': [{ var: 'primitive.meta.unit' }, each] })),
  claim.map((each) => ({ '!==': [each, null] })),
  claim,
  fc
    .tuple(fc.constantFrom('some', 'all', 'none'), claim, text)
    .map(([op, each, value]) => ({ [op]: [each, { '===': [{ var: '' }, value] }] })),
  fc
    .tuple(fc.constantFrom('===', '!=='), fc.constantFrom('m', 'n'))
    .map(([op, value]) => ({ [op]: [{ var: 'concerns.role' }, value] })),
  fc.tuple(claim, claim).map(([a, b]) => ({ '===': [{ var: [a.var, b] }, 'x'] })),
  // One of the two reads has no fallback.
  claim.map((each) => ({ '===': [{ var: [each.var, 'x'] }, each] })),
  // The fallback null is none.
  claim.map((each) => ({ '===': [{ var: [each.var, null] }, 'x'] })),
);
const { condition } = fc.letrec<{ condition: unknown }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'condition' },
    part,
    tie('condition').map((each) => ({ '!': each })),
    tie('condition').map((each) => ({ '!!': each })),
    fc
      .tuple(fc.constantFrom('and', 'or'), tie('condition'), tie('condition'))
      .map(([op, a, b]) => ({ [op]: [a, b] })),
    fc.tuple(tie('condition'), tie('condition'), tie('condition')).map((operands) => ({ if: operands })),
  ),
}));
const rules = fc.array(fc.tuple(fc.constantFrom('hide' as const, 'show' as const), condition), {
  minLength: 1,
  maxLength: 3,
});
const value = fc.constantFrom<unknown>(
  'x',
  'y',
  'z',
  '',
  0,
  2,
  4,
  true,
  false,
  null,
  ['x'],
  ['y', 'x'],
  [],
  {},
);
const claims = fc.record(
  { a: value, b: value, role: fc.constantFrom('m', 'n', 'other') },
  { requiredKeys: [] },
);

const { compiled: base } = reportOf({
  'policy.yaml':
    'version: 1\nconcerns: { role: { values: [m, n], set-by: operator, claim: role } }\nprimitives: { tools: { t: { role: m } } }\n',
});

/** Pairs of a caller and the same caller with a claim less. */
const PAIRS = sample(100_000, 1000);
/** A caller is in one pair for each of its claims, of which it has half of three. */
const CALLERS = 2;
const POLICIES = Math.ceil(PAIRS / (1.25 * CALLERS));
const TIMEOUT_MS = 900_000;

it('shows nothing more to a caller that has a claim less', { timeout: TIMEOUT_MS }, () => {
  let pairs = 0;
  fc.assert(
    fc.property(
      rules,
      fc.constantFrom('show' as const, 'hide' as const),
      fc.array(claims, { minLength: CALLERS, maxLength: CALLERS }),
      (given, unmapped, callers) => {
        if (base === undefined) throw new Error('The policy of this test has errors.');
        const policy = preparePolicy({
          ...base,
          settings: { ...base.settings, unmapped },
          rules: given.map(([effect, when], index) => ({
            id: `r${index}`,
            effect,
            kinds: ['tools'],
            when,
            file: 0,
            line: 1,
          })),
        });
        const shownTo = (each: object) => {
          const configuration = resolveConfiguration(policy, [], { claims: new Map(Object.entries(each)) });
          return TOOLS.filter(
            (tool) => decide(mapPrimitive(policy, 'tools', tool), configuration).effect === 'show',
          );
        };
        for (const caller of callers) {
          const shown = shownTo(caller);
          for (const name of Object.keys(caller)) {
            pairs += 1;
            const { [name as keyof typeof caller]: _gone, ...less } = caller;
            for (const tool of shownTo(less)) expect(shown).toContain(tool);
          }
        }
      },
    ),
    { numRuns: POLICIES },
  );
  expect(pairs).toBeGreaterThan(PAIRS);
});
