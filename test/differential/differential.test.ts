import { describe, expect, it } from 'vitest';
import { KEEPS_NUMBERS } from '../../src/core/exact-json.js';
import { CASES } from './cases.js';
import { differenceOf, REASONS } from './compare.js';
import { alone, behindGate } from './play.js';

/** Node.js before 22 cannot write the text of a number. */
const plays = CASES.map((each) => [each.name, each] as const).filter(
  ([name]) => KEEPS_NUMBERS || !name.startsWith('numbers'),
);

describe('an answer over stdio under enforce', () => {
  it.concurrent.each(plays)(
    'is that of the server alone, or has a reason to differ: %s',
    async (_name, played) => {
      const [expected, gate] = await Promise.all([
        alone(played),
        behindGate(played, { mode: 'enforce', front: 'stdio', server: 'process' }),
      ]);
      expect(expected).toHaveLength(played.lines.length);
      expect([undefined, ...Object.keys(REASONS)]).toContain(differenceOf(played, 'enforce', expected, gate));
    },
  );
});

describe('the comparison', () => {
  const [list, call] = [CASES[0], CASES[1]];
  if (list === undefined || call === undefined) throw new Error('no cases');
  const answer = (result: string): string[] => [`{"jsonrpc":"2.0","id":1,"result":${result}}`];

  it.each([
    ['a number with another text', '{"a":1.0}', '{"a":1}'],
    ['a member that is missing', '{"a":1,"b":null}', '{"a":1}'],
    ['a tool that the policy does not hide', '{"tools":[{"name":"a"}]}', '{"tools":[]}'],
    ['an error in place of a result', '{}', 'null'],
  ])('sees %s', (_what, one, other) => {
    expect(differenceOf(call, 'enforce', answer(one), answer(other))).toBe('unexplained');
  });

  it('sees an answer that is missing, and one too many', () => {
    expect(differenceOf(list, 'wide', answer('{}'), [])).toBe('unexplained');
    expect(differenceOf(list, 'wide', answer('{}'), [...answer('{}'), ...answer('{}')])).toBe('unexplained');
  });

  it('does not see blanks, the order of members, and what the policy hides', () => {
    const [one, other] = ['{"a": 1, "tools":[{"name":"secret_b"}]}', '{"tools":[],"a":1}'];
    expect(differenceOf(list, 'enforce', answer(one), answer(other))).toBeUndefined();
    expect(differenceOf(list, 'wide', answer(one), answer(other))).toBe('unexplained');
  });
});
