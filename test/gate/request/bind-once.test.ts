import { describe, expect, it } from 'vitest';
import { bindOnce } from '../../../src/gate/request/whole-list.js';
import { policyOf } from '../gate-harness.js';

const CONCERNS = 'concerns: { security: { values: [low, high] } }\n';
const tools = () => [{ name: 'a', _meta: { concerns: { security: 'low' } } }, { name: 'b' }];

describe('a list that is bound once', () => {
  it('keeps its binding if an equal list of the same kind comes next', () => {
    const policy = policyOf(CONCERNS);
    const bound = bindOnce(policy, 'tools', tools());
    expect(bindOnce(policy, 'tools', tools())).toBe(bound);
  });

  it.each([
    ['has another order of members', () => [{ _meta: tools()[0]?._meta, name: 'a' }, { name: 'b' }]],
    ['has one item more', () => [...tools(), { name: 'c' }]],
    [
      'has another value',
      () => [{ ...tools()[0], _meta: { concerns: { security: 'high' } } }, { name: 'b' }],
    ],
  ])('is bound again if it %s', (_what, changed) => {
    const policy = policyOf(CONCERNS);
    const bound = bindOnce(policy, 'tools', tools());
    expect(bindOnce(policy, 'tools', changed()).items).toEqual(changed());
    expect(bindOnce(policy, 'tools', changed())).not.toBe(bound);
  });

  it('is bound for each kind and each policy', () => {
    const [one, other] = [policyOf(CONCERNS), policyOf(CONCERNS)];
    const bound = bindOnce(one, 'tools', tools());
    expect(bindOnce(one, 'prompts', tools()).kind).toBe('prompts');
    expect(bindOnce(other, 'tools', tools()).policy).toBe(other);
    expect(bindOnce(one, 'tools', tools())).toBe(bound);
  });

  it('is bound each time if it cannot be written', () => {
    const policy = policyOf(CONCERNS);
    const circular: Record<string, unknown> = { name: 'a' };
    circular.self = circular;
    expect(bindOnce(policy, 'tools', [circular]).items).toEqual([circular]);
    expect(bindOnce(policy, 'tools', [circular]).items).toEqual([circular]);
  });
});
