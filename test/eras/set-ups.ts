import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failures } from './checks.js';
import type { HostKind } from './hosts.js';

const CLI = 'dist/cli/main.js';
const FIXTURES = 'test/eras/fixtures';
const policyUnder = (mode: string): string => `
version: 1
concerns: { risk: { values: [low, high], match: at-most } }
rules:
  - id: never
    hide: [tools]
    when: { "===": [{ var: primitive.name }, hidden] }
    reason: It is hidden from everybody.
settings: { enforcement: ${mode} }
`;

/** What a server speaks, and how it is reached. */
export const SERVERS = [
  'v1 module',
  'v2 module',
  'legacy stdio',
  'legacy URL',
  'modern stdio',
  'modern URL',
  'both stdio',
  'both URL',
] as const;

/** One combination of an endpoint and a server, for all hosts. */
export interface SetUp {
  readonly server: (typeof SERVERS)[number];
  readonly front: 'HTTP' | 'stdio';
  readonly mode: 'advisory' | 'enforce';
  readonly isolation: 'per-session' | 'shared' | 'per-request';
}

/** Serves a server with the packaged command, and runs all checks of each host. Returns those that fail, by host. */
export async function run<Kind extends HostKind>(
  { server, front, mode, isolation }: SetUp,
  hosts: readonly Kind[],
): Promise<ReadonlyMap<Kind, readonly string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'eras-'));
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, policyUnder(mode));
  const children: ChildProcess[] = [];
  try {
    const options = ['--no-project', '--panel', 'off', '--isolation', isolation, '--policy', policy];
    const failed = new Map<Kind, readonly string[]>();
    let url: string | undefined;
    for (const host of hosts) {
      if (front === 'stdio') {
        const command = [process.execPath, CLI, 'serve', '--stdio', ...options];
        const input = await inputOf(server, children);
        failed.set(host, await failures(host, { command: [...command, ...input] }, mode));
        continue;
      }
      url ??= await started(
        children,
        [CLI, 'serve', '--port', '0', ...options, ...(await inputOf(server, children))],
        / on (http\S+)/,
      );
      failed.set(host, await failures(host, { url }, mode));
    }
    return failed;
  } finally {
    for (const child of children.reverse()) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await ended;
    }
    rmSync(folder, { recursive: true });
  }
}

/** @returns the arguments of `serve` that name the server, which is started if it has a URL */
async function inputOf(server: SetUp['server'], children: ChildProcess[]): Promise<readonly string[]> {
  const [kind = '', way] = server.split(' ');
  if (way === 'module') return ['--server', join(FIXTURES, `${kind}-module.mjs`)];
  const program = join(FIXTURES, 'server.mjs');
  if (way === 'stdio') return ['--', process.execPath, program, kind, 'stdio'];
  const port = await started(children, [program, kind, 'http'], /^(\d+)/);
  return ['--url', `http://127.0.0.1:${port}/mcp`];
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
