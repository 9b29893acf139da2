import { expect, it } from 'vitest';
import { CallController } from '../../src/proxy/bridged-server.js';
import { abortSignalOf } from '../../src/proxy/call.js';
import { RemoteTransport } from '../../src/proxy/wires/remote.js';

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

it('ends the request to a modern server at a URL when its client leaves', async () => {
  const controller = new CallController();
  const wire = new RemoteTransport(
    new URL('http://localhost/mcp'),
    {},
    async (_url, init) => {
      controller.abort('left');
      expect(init?.signal?.reason).toBe('left');
      return Response.json({});
    },
    'modern',
  );
  await wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/call' }, { signal: controller });
  expect.assertions(1);
});
