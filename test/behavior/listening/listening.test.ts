import { expect, it } from 'vitest';
import { play } from './play.js';

it('lists do not depend on earlier requests, and streams are told of what changes elsewhere', async () => {
  const { different, wrong, announced } = await play(25, 7);
  expect(different).toEqual([]);
  expect(wrong).toEqual([]);
  expect(announced).toBeGreaterThan(5);
});
