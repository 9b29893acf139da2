import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failures, type HostEra } from './checks.js';

const CLI = 'dist/cli/main.js';
const SERVER = 'test/eras/fixtures/server.mjs';
const POLICY = `
version: 1
concerns: { risk: { values: [low, high], match: at-most } }
rules:
  - id: never
    hide: [tools]
    when: { "===": [{ var: primitive.name }, hidden] }
    reason: It is hidden from everybody.
settings: { enforcement: enforce }
`;

export const SERVERS = ['legacy', 'modern', 'both'] as const;

/** One combination of host, endpoint and server. */
export interface SetUp {
  readonly host: HostEra;
  readonly server: (typeof SERVERS)[number];
  readonly behind: 'stdio' | 'url';
  readonly front: 'http' | 'stdio';
  readonly isolation: 'per-session' | 'shared' | 'per-request';
}

/** Serves a server with the packaged command, and runs all checks. Returns those that fail. */
export async function run({ host, server, behind, front, isolation }: SetUp): Promise<string[]> {
  const policy = join(mkdtempSync(join(tmpdir(), 'eras-')), 'policy.yaml');
  writeFileSync(policy, POLICY);
  const children: ChildProcess[] = [];
  try {
    const remote = behind === 'url' ? await started(children, [SERVER, server, 'http'], /^(\d+)/) : '';
    const input =
      behind === 'url'
        ? ['--url', `http://127.0.0.1:${remote}/mcp`]
        : ['--', process.execPath, SERVER, server, 'stdio'];
    const options = ['--no-project', '--panel', 'off', '--isolation', isolation, '--policy', policy];
    if (front === 'stdio') {
      const command = [process.execPath, CLI, 'serve', '--stdio', ...options, ...input];
      return await failures(host, { command });
    }
    const url = await started(children, [CLI, 'serve', '--port', '0', ...options, ...input], / on (http\S+)/);
    return await failures(host, { url });
  } finally {
    for (const child of children.reverse()) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await ended;
    }
  }
}

/** Starts a program, and waits for what it prints when it is ready. */
function started(children: ChildProcess[], args: readonly string[], ready: RegExp): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const found = ready.exec(out)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`${args.join(' ')} ended: ${err}`)));
  });
}
