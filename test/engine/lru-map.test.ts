import { expect, it } from 'vitest';
import { LruMap } from '../../src/engine/lru-map.js';

it('removes the entry that was not used for the longest time', () => {
  const map = new LruMap<number>({ maxEntries: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
});

it('counts a write as a use', () => {
  const map = new LruMap<number>({ maxEntries: 2 });
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
});

it('keeps the sum of the sizes under its bound', () => {
  const map = new LruMap<string>({ maxEntries: 10, maxSize: 5, sizeOf: ({ length }) => length });
  map.set('a', 'xx');
  map.set('b', 'xx');
  map.set('b', 'xxx');
  expect([map.get('a'), map.get('b')]).toEqual(['xx', 'xxx']);
  map.set('c', 'xxx');
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, undefined, 'xxx']);
});

it('does not store a value that is larger than the bound, and forgets what the key had', () => {
  const map = new LruMap<string>({ maxEntries: 10, maxSize: 2, sizeOf: ({ length }) => length });
  map.set('a', 'x');
  map.set('b', 'x');
  map.set('a', 'xxx');
  expect([map.get('a'), map.get('b')]).toEqual([undefined, 'x']);
});

it('has room again after an entry is deleted', () => {
  const map = new LruMap<string>({ maxEntries: 10, maxSize: 2, sizeOf: ({ length }) => length });
  map.set('a', 'xx');
  map.delete('a');
  map.delete('unknown');
  map.set('b', 'x');
  map.set('c', 'x');
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([undefined, 'x', 'x']);
});

it('is empty after it is cleared', () => {
  const map = new LruMap<string>({ maxEntries: 10, maxSize: 2, sizeOf: ({ length }) => length });
  map.set('a', 'xx');
  map.clear();
  expect([map.size, map.get('a')]).toEqual([0, undefined]);
  map.set('b', 'xx');
  expect(map.get('b')).toBe('xx');
});

it('keeps the order of use when the same entry is read again and again', () => {
  const map = new LruMap<number>({ maxEntries: 2 });
  map.set('a', 1);
  map.set('b', 2);
  for (const key of ['a', 'a', 'b', 'b', 'a', 'a']) map.get(key);
  map.delete('a');
  map.set('c', 3);
  map.set('d', 4);
  expect([map.get('a'), map.get('b'), map.get('c'), map.get('d')]).toEqual([undefined, undefined, 3, 4]);
});
