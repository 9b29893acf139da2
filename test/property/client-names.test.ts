import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { decide } from '../../src/core/engine/evaluate.js';
import { mapPrimitive } from '../../src/core/engine/mapping.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { parsePolicy } from '../../src/core/policy/compile/parse.js';
import { sample } from '../sample.js';

const paths = fc.constantFrom('client.name', 'client.title', 'client.version');
const texts = fc.constantFrom('cursor', 'code', 'sor', '1');
const read = paths.map((path) => ({ var: path }));
const comparison = fc.oneof(
  fc.tuple(fc.constantFrom('===', '!==', 'starts-with', 'contains'), read, texts),
  fc.tuple(
    fc.constantFrom('===', '!=='),
    read,
    fc.constantFrom({ var: 'claims.app' }, { var: 'client.title' }),
  ),
  fc.tuple(fc.constantFrom('===', '!=='), read, fc.constant(null)),
  fc.tuple(fc.constant('in'), read, fc.subarray<string | null>(['cursor', 'code', null], { minLength: 1 })),
  fc.tuple(
    fc.constant('==='),
    paths.map((path) => ({ var: [path, 'cursor'] })),
    texts,
  ),
);
const leaf = fc.oneof(
  { weight: 5, arbitrary: comparison.map(([operator, ...operands]) => ({ [operator]: operands })) },
  { weight: 1, arbitrary: read },
  { weight: 1, arbitrary: paths.map((path) => ({ missing: [path] })) },
  { weight: 1, arbitrary: fc.constant({ '===': [{ var: 'primitive.name' }, 'a'] }) },
  { weight: 1, arbitrary: fc.constant({ '!!': { var: 'client.capabilities.roots' } }) },
);
const { when } = fc.letrec<{ when: unknown }>((tie) => {
  const few = fc.array(tie('when'), { minLength: 1, maxLength: 3 });
  return {
    when: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'when' },
      leaf,
      few.map((and) => ({ and })),
      few.map((or) => ({ or })),
      tie('when').map((not) => ({ '!': not })),
      tie('when').map((set) => ({ '!!': set })),
      fc.tuple(tie('when'), tie('when'), tie('when')).map((parts) => ({ if: parts })),
    ),
  };
});
const rule = fc.record({ effect: fc.constantFrom('hide', 'show'), when });

const texted = fc.option(fc.constantFrom('cursor', 'code', '1', 'other'), { nil: undefined });
const client = fc.record({
  name: fc.constantFrom('cursor', 'code', 'other'),
  title: texted,
  version: texted,
});
/** Its name is in no condition. */
const OTHER = { name: 'other' };

function policyWith(rules: readonly { readonly effect: string; readonly when: unknown }[]) {
  const written = rules.map(({ effect, when: condition }, index) => ({
    id: `r${index}`,
    [effect]: ['tools'],
    when: condition,
  }));
  const document = {
    version: 1,
    concerns: { access: { values: ['read', 'write'], default: 'read' } },
    primitives: { tools: { a: { access: 'write' }, b: { access: 'read' } } },
    rules: written,
    settings: { defaults: 'always' },
  };
  return parsePolicy(new Map([['policy.yaml', JSON.stringify(document)]]));
}

it('rules without findings show no client more because of its name, and a client without a name nothing more', () => {
  let narrowing = 0;
  fc.assert(
    fc.property(fc.array(rule, { minLength: 1, maxLength: 2 }), client, (rules, named) => {
      const { compiled, findings } = policyWith(rules);
      if (compiled === undefined) return;
      const policy = preparePolicy(compiled);
      const shownTo = (sent: object | undefined) =>
        ['a', 'b'].filter((name) => {
          const caller = { client: sent, capabilities: {} };
          const mapping = mapPrimitive(policy, 'tools', { name });
          return decide(mapping, resolveConfiguration(policy, [], caller)).effect === 'show';
        });
      const [unnamed, others, own] = [undefined, OTHER, named].map(shownTo);
      // Whatever was found, and also under advisory.
      for (const name of unnamed ?? []) expect(own).toContain(name);
      if (findings.some(({ code }) => code === 'unverified-show')) return;
      for (const name of own ?? []) expect(others).toContain(name);
      if (own?.join() !== others?.join()) narrowing++;
    }),
    // Of a hundred policies, one depends on the name. Each check of a policy searches for callers that see more than others.
    { numRuns: sample(1600) },
  );
  expect(narrowing).toBeGreaterThan(0);
});
