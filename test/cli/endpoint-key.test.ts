import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectOverHttp, toolNames } from '../clients.js';
import { type Running, start } from './run.js';

const SERVE = [
  ...['serve', '--port', '0', '--panel', 'off'],
  ...['--server', 'build/vault/server.js', '--policy', 'policies/vault.yaml'],
];
const before = process.env.XDG_STATE_HOME;
const running: Running[] = [];
let state = '';
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'state-'));
  process.env.XDG_STATE_HOME = state;
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(state, { recursive: true });
  if (before === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = before;
});

async function serve(...args: string[]): Promise<URL> {
  const started = start(...SERVE, ...args);
  running.push(started);
  const welcome = await started.until('stdout', /to stop\.\n/);
  return new URL(/on (http:\S+)/.exec(welcome)?.[1] ?? '');
}

describe('the key in the path of the endpoint of serve', () => {
  it('is the same for all processes of a user, also when they start at once and after a restart', async () => {
    const urls = await Promise.all([serve(), serve(), serve()]);
    const [first] = urls;
    expect(first?.pathname).toMatch(/^\/mcp\/[\w-]{24}$/);
    expect([...urls, await serve()].map(({ pathname }) => pathname)).toEqual(Array(4).fill(first?.pathname));
    const folder = join(state, 'mcp-concerns');
    expect(readdirSync(folder).sort()).toEqual(['endpoint-key', 'session-key']);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('is required: /mcp alone is not found, and no answer hints at it', async () => {
    const url = await serve();
    const client = await connectOverHttp(url.href);
    expect(await toolNames(client)).toContain('encryptData');
    await client.close();
    const response = await fetch(new URL('/mcp', url), { method: 'POST', body: '{}' });
    expect([response.status, await response.text()]).toEqual([404, 'Not found.\n']);
  });

  it('is left out with --open', async () => {
    const url = await serve('--open');
    expect(url.pathname).toBe('/mcp');
    const client = await connectOverHttp(url.href);
    expect(await toolNames(client)).toContain('encryptData');
    await client.close();
    expect(readdirSync(state)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')(
    'is not taken from a file that others can read, or that holds something else (skipped on Windows, which has no modes)',
    async () => {
      const file = join(state, 'mcp-concerns', 'endpoint-key');
      mkdirSync(join(state, 'mcp-concerns'));
      writeFileSync(file, 'x'.repeat(24), { mode: 0o600 });
      chmodSync(file, 0o644);
      const open = await start(...SERVE).ended;
      expect(open).toMatchObject({ code: 2, stdout: '' });
      expect(open.stderr).toContain('endpoint-key is open to other users. Remove it');
      chmodSync(file, 0o600);
      writeFileSync(file, '../');
      const wrong = await start(...SERVE).ended;
      expect(wrong.stderr).toContain('endpoint-key does not contain a key. Remove it');
    },
  );
});

describe('a session that a host kept over a restart of serve', () => {
  const post = (url: URL, method: string, params: object, session: Record<string, string> = {}) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
  const initialize = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'host', version: '1' },
  };
  const afterRestart = async (args: readonly string[], between: () => void): Promise<number> => {
    const first = await post(await serve(...args), 'initialize', initialize);
    await first.text();
    between();
    const session = { 'mcp-session-id': first.headers.get('mcp-session-id') ?? '' };
    const second = await post(await serve(...args), 'tools/list', {}, session);
    await second.text();
    return second.status;
  };

  it('continues', async () => {
    expect(await afterRestart([], () => {})).toBe(200);
  });

  /** Does something with a session, and returns the status of a list in the next process. */
  const later = async (
    act: (url: URL, session: Record<string, string>) => Promise<Response>,
    args: string[] = [],
  ) => {
    const url = await serve(...args);
    const first = await post(url, 'initialize', initialize);
    await first.text();
    const session = { 'mcp-session-id': first.headers.get('mcp-session-id') ?? '' };
    await (await act(url, session)).text();
    const next = await post(await serve(), 'tools/list', {}, session);
    await next.text();
    return next.status;
  };

  it('is unknown if it was switched, which is not in the id', async () => {
    const change = { concerns: { security: 'high' } };
    expect(await later((url, session) => post(url, 'updateConcerns', change, session))).toBe(404);
  });

  it('is unknown if its host ended it, also while no process had it', async () => {
    const end = (url: URL, headers: Record<string, string>) => fetch(url, { method: 'DELETE', headers });
    expect(await later(end)).toBe(404);
    expect(await later(async (_url, headers) => end(await serve(), headers))).toBe(404);
  });

  it('is unknown if it ended to make room for another', async () => {
    const fill = (url: URL) => post(url, 'initialize', initialize);
    expect(await later(fill, ['--sessions', '1'])).toBe(404);
  });

  it('is unknown to an endpoint that does not have the key of the user', async () => {
    expect(await afterRestart([], () => rmSync(join(state, 'mcp-concerns', 'session-key')))).toBe(404);
    expect(await afterRestart(['--open'], () => {})).toBe(404);
  });
});
