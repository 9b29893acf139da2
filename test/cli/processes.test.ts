import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChildTransport } from '../../src/upstream/child-process.js';
import { callRoll, fixture, type Roll, run, start } from './run.js';

let roll: Roll;
beforeEach(async () => {
  roll = await callRoll();
});
afterEach(() => roll.close());

const stubborn = () => ['node', fixture('stubborn.mjs'), roll.port] as const;
const POLICY = ['--policy', 'policies/vault.yaml'] as const;

// Nothing but the end of a process ends its connection: see stubborn.mjs.
describe('a server that will not end, and what it started', () => {
  it('are gone when the server did not answer in time', async () => {
    const ended = run('list', ...POLICY, '--timeout', '2', '--', ...stubborn());
    // On a machine that is busy enough the second is not there yet when the first has to go.
    await Promise.race([roll.present(2), ended]);
    expect((await ended).code).toBe(2);
    await roll.gone();
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('are gone after %s', async (signal, code) => {
    const { child, ended } = start('list', ...POLICY, '--', ...stubborn());
    await roll.present(2);
    child.kill(signal);
    expect(await ended).toEqual({ code, stdout: '', stderr: '' });
    await roll.gone();
  });

  it('are gone at once for somebody who has no patience', async () => {
    const { child, ended } = start('list', ...POLICY, '--', ...stubborn());
    await roll.present(2);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect([130, 143]).toContain((await ended).code);
    await roll.gone();
  });

  it('are gone when the first of them dies and leaves the other behind', async () => {
    const transport = new ChildTransport('node', stubborn().slice(1));
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.start();
    await roll.present(2);
    process.kill(transport.pid ?? 0, 'SIGKILL');
    await closed;
    expect(transport.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await transport.close();
    await roll.gone();
  });
});

it('a server that ends when its stdin does is left to it', async () => {
  const transport = new ChildTransport('node', [
    '-e',
    'process.stdin.resume().on("end", () => process.exit(7))',
  ]);
  await transport.start();
  await Promise.all([transport.close(), transport.close()]);
  expect(transport.ended).toEqual({ code: 7, signal: null });
});

it('a transport that could not start can be closed', async () => {
  const transport = new ChildTransport('no-such-command-here');
  await expect(transport.start()).rejects.toMatchObject({ code: 'ENOENT' });
  await transport.close();
});

it('a reader that goes away is no error', async () => {
  const { child, ended } = start('compile', 'policies/playwright.yaml', '-o', '-');
  child.stdout.destroy();
  expect(await ended).toMatchObject({ code: 0, stderr: '' });
});
