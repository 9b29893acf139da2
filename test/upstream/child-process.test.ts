import { expect, it } from 'vitest';
import { read } from '../../src/core/wire/messages.js';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';

/** Tells for each read of its stdin how many messages that had. */
const COUNTS = `process.stdin.on('data', (part) => {
  const messages = String(part).trim().split('\\n').length;
  console.log(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/got', params: { messages } }));
});`;

async function counting() {
  const child = new ChildTransport(process.execPath, ['-e', COUNTS]);
  const got: unknown[] = [];
  let next = (): void => undefined;
  child.onmessage = (message) => {
    got.push(read(message, 'params', 'messages'));
    next();
  };
  await child.start();
  const heard = (): Promise<void> =>
    new Promise((resolve) => {
      next = resolve;
    });
  const send = () => child.send({ jsonrpc: '2.0', method: 'notifications/sent' });
  const first = heard();
  await send();
  await first;
  return { child, got, heard, send };
}

it('writes the messages of one turn to a child process at once', async () => {
  const { child, got, heard, send } = await counting();
  const second = heard();
  await Promise.all(Array.from({ length: 400 }, send));
  await second;
  await child.close();
  expect(got).toEqual([1, 400]);
});

it('writes what was sent before the child process is closed', async () => {
  const { child, got, send } = await counting();
  void send();
  await child.close();
  expect(got).toEqual([1, 1]);
});
