import { expect, it } from 'vitest';
import { PassedRequests } from '../../../src/gate/edge/passed-requests.js';

it('expects as many answers to an id as the client used it', () => {
  const passed = new PassedRequests();
  for (const id of [1, 'a', 1]) passed.add(id);
  expect([passed.take(1), passed.has(1), passed.take(1), passed.has(1), passed.take(1)]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect([passed.take('1'), passed.take('a')]).toEqual([false, true]);
});

it('forgets the oldest of more than 1,000 requests', () => {
  const passed = new PassedRequests();
  for (let id = 0; id <= 1000; id++) passed.add(id);
  expect([passed.has(0), passed.has(1), passed.has(1000)]).toEqual([false, true, true]);
});
