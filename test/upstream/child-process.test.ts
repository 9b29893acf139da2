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

/** Starts a process that uses the processor until it has used half a second. Both stay until their stdin ends. */
const WORKS = `const work = "while (process.cpuUsage().user < 500_000); process.stdin.resume()";
require('child_process').spawn(process.execPath, ['-e', work], { stdio: ['pipe', 'ignore', 'inherit'] });
process.stdin.on('end', () => process.exit()).resume();`;

it.skipIf(process.platform !== 'linux')(
  'tells the processor time of all processes of a server, and of no other server (only Linux says it)',
  async () => {
    const [working, waiting] = [WORKS, 'process.stdin.resume()'].map(
      (code) => new ChildTransport(process.execPath, ['-e', code]),
    );
    expect(working?.processorMs()).toBeUndefined();
    await Promise.all([working?.start(), waiting?.start()]);
    await expect.poll(() => working?.processorMs()).toBeGreaterThanOrEqual(500);
    expect(waiting?.processorMs()).toBeLessThan(500);
    await Promise.all([working?.close(), waiting?.close()]);
  },
);
