import { expect, it } from 'vitest';
import { nowOrLater } from '../../src/wire/serial-queue.js';

it.each([1, undefined, null])('returns what is known immediately: %j', (value) => {
  expect(nowOrLater((then) => then(value))).toBe(value);
});

it('returns a promise of what is known later', async () => {
  const thens: ((value: string) => void)[] = [];
  const later = nowOrLater<string>((then) => thens.push(then));
  expect(later).toBeInstanceOf(Promise);
  for (const then of thens) then('late');
  expect(await later).toBe('late');
});
