import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChildTransport } from '../../src/proxy/wires/child-process.js';
import { fixture, type ProcessTracker, run, start, trackProcesses } from './run.js';

let tracker: ProcessTracker;
beforeEach(async () => {
  tracker = await trackProcesses();
});
afterEach(() => tracker.close());

const stubborn = () => ['node', fixture('stubborn.mjs'), tracker.port] as const;
const POLICY = ['--policy', 'policies/vault.yaml'] as const;

// Each process keeps a connection open until it ends (see stubborn.mjs).
describe('a server that ignores signals, and its child process', () => {
  it('are stopped if the server does not answer in time', async () => {
    const ended = run('list', ...POLICY, '--timeout', '2', '--', ...stubborn());
    // On a busy machine the first process may be stopped before it starts the second.
    await Promise.race([tracker.present(2), ended]);
    expect((await ended).code).toBe(2);
    await tracker.gone();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('are stopped after %s', async (signal, code) => {
    const { child, ended } = start('list', ...POLICY, '--', ...stubborn());
    await tracker.present(2);
    child.kill(signal);
    expect(await ended).toEqual({ code, stdout: '', stderr: '' });
    await tracker.gone();
  });

  it('are stopped at once after a second signal', async () => {
    const { child, ended } = start('list', ...POLICY, '--', ...stubborn());
    await tracker.present(2);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect([130, 143]).toContain((await ended).code);
    await tracker.gone();
  });

  it('are stopped if the server dies before its child process', async () => {
    const transport = new ChildTransport('node', stubborn().slice(1));
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await tracker.present(2);
    process.kill(transport.pid ?? 0, 'SIGKILL');
    await closed;
    expect(transport.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await transport.close();
    await tracker.gone();
  });
});

it.skipIf(process.platform === 'win32')(
  'a server that ignores the end of its stdin ends after serve was killed (skipped on Windows, which has no groups)',
  async () => {
    const { child, ended } = start('serve', '--stdio', ...POLICY, '--', ...stubborn());
    // The server starts for a host.
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'host', version: '1' },
    };
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
    await tracker.present(2);
    child.kill('SIGKILL');
    await ended;
    await tracker.gone();
  },
);

it('waits for a server that ends when its stdin ends', async () => {
  const transport = new ChildTransport('node', [
    '-e',
    'process.stdin.resume().on("end", () => process.exit(7))',
  ]);
  await transport.start();
  await Promise.all([transport.close(), transport.close()]);
  expect(transport.ended).toEqual({ code: 7, signal: null });
});

it('closes a transport that could not start', async () => {
  const transport = new ChildTransport('no-such-command-here');
  await expect(transport.start()).rejects.toMatchObject({ code: 'ENOENT' });
  await transport.close();
});

it('does not fail if the reader of stdout closes it', async () => {
  const { child, ended } = start('compile', 'policies/playwright.yaml', '-o', '-');
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});
