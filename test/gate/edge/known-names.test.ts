import { describe, expect, it } from 'vitest';
import { KnownNames } from '../../../src/core/gate/edge/outcomes.js';

describe('the names that reports may contain', () => {
  it('are those of lists, by the identity of their kind', () => {
    const names = new KnownNames();
    names.learn('tools', [{ name: 'a', uri: 'no' }, { name: 'b' }]);
    names.learn('resources', [{ name: 'no', uri: 'file:///c' }]);
    expect(['a', 'b', 'file:///c', 'no', 'other'].map((name) => names.has(name))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('are those that were added', () => {
    const names = new KnownNames();
    expect(names.has('a')).toBe(false);
    names.add('a');
    expect(names.has('a')).toBe(true);
  });

  it('have at most 256 characters', () => {
    const names = new KnownNames();
    names.add('x'.repeat(256));
    names.add('y'.repeat(257));
    expect(names.has('x'.repeat(256))).toBe(true);
    expect(names.has('y'.repeat(257))).toBe(false);
  });

  it('are at most 20,000', () => {
    const names = new KnownNames();
    names.learn(
      'tools',
      Array.from({ length: 19_999 }, (_, index) => ({ name: `t${index}` })),
    );
    names.add('last');
    names.add('one more');
    expect(names.has('last')).toBe(true);
    expect(names.has('one more')).toBe(false);
    expect(names.has('t0')).toBe(true);
  });

  it('are learned once from each list', () => {
    const names = new KnownNames();
    const items = [{ name: 'a' }];
    names.learn('tools', items);
    items.push({ name: 'b' });
    names.learn('tools', items);
    expect(names.has('b')).toBe(false);
    names.learn('tools', [...items]);
    expect(names.has('b')).toBe(true);
  });
});
