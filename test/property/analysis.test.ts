import fc from 'fast-check';
import { expect, it } from 'vitest';
import { analyze, canShowWithout } from '../../src/core/analysis/analyze.js';
import { decide } from '../../src/core/engine/evaluate.js';
import { isTruthy } from '../../src/core/engine/expression/evaluate.js';
import {
  type Configuration,
  type Policy,
  type Primitive,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { allConfigurations, mappingsOf, smallPolicies } from '../engine/small-policies.js';
import { sample } from '../sample.js';

const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name).sort();

/** The result of `analyze`, found by trying every configuration. */
function tryAll(policy: Policy, tools: readonly Primitive[]) {
  const configurations = allConfigurations(policy).map(({ configuration }) => configuration);
  // With a default, a caller sees nothing because its claim matches no value: that is what such a claim is for.
  const isMeant = ({ effective }: Configuration) =>
    effective.some((value, index) => value === 'denied' && policy.concerns[index]?.default !== undefined);
  const mappings = mappingsOf({ policy, tools });
  const table = mappings.map((mapping) =>
    configurations.map((configuration) => decide(mapping, configuration).effect === 'show'),
  );
  const pick = (keep: (row: readonly boolean[], index: number) => boolean) =>
    tools.filter((_tool, index) => keep(table[index] ?? [], index)).map(({ name }) => name);
  const rules = policy.rules.map((rule) => {
    const fires = mappings
      .filter(({ kind }) => rule.kinds.includes(kind))
      .flatMap(({ slots }) => configurations.map(({ data }) => isTruthy(rule.fires(data, slots))));
    return fires.includes(true) ? (fires.includes(false) ? 'sometimes' : 'always') : 'never';
  });
  return {
    neverVisible: pick((row) => !row.includes(true)),
    alwaysVisible: pick(
      (row, index) => !row.includes(false) && (mappings[index]?.offers.some((offer) => offer) ?? false),
    ),
    rules,
    empty: configurations.some(
      (configuration, at) => !isMeant(configuration) && table.every((row) => row[at] === false),
    ),
  };
}

it('the analysis finds for random policies what each configuration shows, tried one by one', () => {
  fc.assert(
    fc.property(smallPolicies, ({ policy, tools }) => {
      const expected = tryAll(policy, tools);
      const { neverVisible, alwaysVisible, rules, showsNothing, unanswered } = analyze(policy, { tools });
      expect(unanswered).toEqual([]);
      expect({
        neverVisible: names(neverVisible),
        alwaysVisible: names(alwaysVisible),
        rules: rules.map(({ fires }) => fires),
        empty: showsNothing !== undefined,
      }).toEqual(expected);
      if (showsNothing === undefined) return;
      // A host can send this configuration and an operator can claim it.
      const { tier, ...concerns } = showsNothing;
      const claims = new Map(tier === undefined || tier === 'no matching claim' ? [] : [['tier', tier]]);
      const all = Object.fromEntries(policy.concerns.map(({ name }) => [name, null]));
      const sources = [{ from: 'session', concerns: { ...all, ...concerns } }] as const;
      const configuration = resolveConfiguration(policy, sources, { claims });
      expect(configuration.warnings.filter(({ code }) => code !== 'operator-concern')).toEqual([]);
      for (const mapping of mappingsOf({ policy, tools })) {
        expect(decide(mapping, configuration).effect).toBe('hide');
      }
    }),
    { numRuns: sample(1000) },
  );
});

it('one primitive can be shown without another exactly if some configuration does so', () => {
  fc.assert(
    fc.property(smallPolicies, ({ policy, tools }) => {
      const [first, second] = mappingsOf({ policy, tools });
      if (first === undefined) return;
      const isSeparated = (hidden: typeof first, shown?: typeof first) =>
        allConfigurations(policy).some(
          ({ configuration }) =>
            decide(hidden, configuration).effect === 'hide' &&
            (shown === undefined || decide(shown, configuration).effect === 'show'),
        );
      expect(canShowWithout(policy, undefined, first)).toBe(isSeparated(first));
      expect(canShowWithout(policy, first, first)).toBe(false);
      if (second !== undefined)
        expect(canShowWithout(policy, second, first)).toBe(isSeparated(first, second));
    }),
    { numRuns: sample(500) },
  );
});
