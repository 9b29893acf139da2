import { expect, it } from 'vitest';
import { abortSignalOf, CallController } from '../../src/upstream/call-signal.js';

it('aborts a call once, and tells whoever still listens', () => {
  const controller = new CallController();
  const told: string[] = [];
  const removed = () => told.push('removed');
  controller.addEventListener('abort', removed);
  controller.addEventListener('abort', () => told.push(String(controller.reason)));
  controller.removeEventListener('abort', removed);
  expect(controller.aborted).toBe(false);
  controller.abort('The person left.');
  controller.abort('later');
  expect(controller.aborted).toBe(true);
  expect(told).toEqual(['The person left.']);
});

it('makes a signal that fetch takes, aborted with the call or already before', () => {
  const controller = new CallController();
  const signal = abortSignalOf(controller);
  expect(signal.aborted).toBe(false);
  controller.abort('left');
  const late = abortSignalOf(controller);
  expect([signal, late].map(({ aborted, reason }) => [aborted, reason])).toEqual([
    [true, 'left'],
    [true, 'left'],
  ]);
});

it('gives a signal of Node.js as it is', () => {
  const { signal } = new AbortController();
  expect(abortSignalOf(signal)).toBe(signal);
});
