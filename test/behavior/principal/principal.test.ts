import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalDynamo, startDynamo } from '../../session/dynamo.js';
import { play } from './play.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

it('shows each caller its own latest choice, in both eras and in every environment', async () => {
  const { stale, foreign, inconsistentReads, principalReads, acts } = await play(dynamo, 90, 1);
  expect(stale).toEqual([]);
  expect(foreign).toEqual([]);
  expect(inconsistentReads).toBe(0);
  expect(principalReads).toBeGreaterThan(60);
  expect(acts).toBeGreaterThan(10);
});
