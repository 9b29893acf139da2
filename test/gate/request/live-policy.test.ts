import { describe, expect, it } from 'vitest';
import { LivePolicy, policyInForce } from '../../../src/core/gate/request/live-policy.js';
import { policyOf } from '../gate-harness.js';

const one = policyOf('concerns: { a: { values: [b, c] } }\n');
const same = { ...one };
const other = policyOf('concerns: { a: { values: [b, d] } }\n');

describe('a policy that can be replaced', () => {
  it('is the one that it was given, until it is replaced', () => {
    const live = new LivePolicy(one);
    expect(live.current).toBe(one);
    expect(policyInForce(live)).toBe(one);
    live.replace(other);
    expect(live.current).toBe(other);
    expect(policyInForce(live)).toBe(other);
    expect(policyInForce(one)).toBe(one);
  });

  it('tells each listener of the old policy, when the new one is in force', () => {
    const live = new LivePolicy(one);
    const told: unknown[] = [];
    live.onReplace((before) => told.push(['first', before === one, live.current === other]));
    const stop = live.onReplace((before) => told.push(['second', before === one]));
    live.replace(other);
    expect(told).toEqual([
      ['first', true, true],
      ['second', true],
    ]);
    stop();
    live.replace(one);
    expect(told.slice(2)).toEqual([['first', false, false]]);
  });

  it('tells nobody if the policy stays the same', () => {
    const live = new LivePolicy(one);
    live.onReplace(() => expect.unreachable());
    live.replace(same);
    expect(live.current).toBe(one);
  });

  it('tells listeners that another one removes, and none that another one adds', () => {
    const live = new LivePolicy(one);
    const told: string[] = [];
    live.onReplace(() => {
      told.push('first');
      stop();
      live.onReplace(() => told.push('late'));
    });
    const stop = live.onReplace(() => told.push('second'));
    live.replace(other);
    expect(told).toEqual(['first', 'second']);
  });
});
