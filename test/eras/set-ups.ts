import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failures } from './checks.js';
import { type FunctionServer, startFunction } from './functions.js';
import type { Front, HostKind } from './hosts.js';
import { lostChecks } from './lost.js';
import { Programs } from './programs.js';
import { CLI, FIXTURES, SERVER, startServer } from './servers.js';

/** It hides one tool from everybody. */
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

/** What a server behind `serve` speaks, and how it is reached. */
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

/** Servers that filter their own lists, by their SDK. */
export const ATTACHED = ['attached v1', 'attached v2'] as const;

/** One combination of an endpoint and a server, for all hosts. */
export interface SetUp {
  readonly server: (typeof SERVERS)[number] | FunctionServer | (typeof ATTACHED)[number];
  /** How hosts reach it. A function is behind HTTP, and sends a response as a whole or in parts. */
  readonly front: 'HTTP' | 'stdio' | 'buffered' | 'stream';
  readonly mode: 'advisory' | 'enforce';
  /** Of a server behind `serve`. Defaults to `per-session`. */
  readonly isolation?: 'shared' | 'per-request';
}

/** Serves a server with the packaged code, and runs all checks of each host. Returns those that fail, by host. */
export async function run<Kind extends HostKind>(
  setUp: SetUp,
  hosts: readonly Kind[],
): Promise<ReadonlyMap<Kind, readonly string[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'eras-'));
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, policyUnder(setUp.mode));
  const programs = new Programs();
  try {
    const failed = new Map<Kind, readonly string[]>();
    let front: Front | undefined;
    for (const host of hosts) {
      // A host starts a program of its own. What earlier hosts left in environments of a function would be counted.
      if (front === undefined || setUp.front !== 'HTTP') front = await frontOf(setUp, policy, programs);
      failed.set(host, await failures(host, front, setUp.mode, lostChecks(host, setUp)));
    }
    return failed;
  } finally {
    await programs.close();
    rmSync(folder, { recursive: true });
  }
}

async function frontOf(setUp: SetUp, policy: string, programs: Programs): Promise<Front> {
  const { server, front, mode, isolation = 'per-session' } = setUp;
  if (front === 'buffered' || front === 'stream') {
    return { url: await startFunction(server as FunctionServer, policyUnder(mode), front, programs) };
  }
  const isStdio = front === 'stdio';
  const options = ['--no-project', '--panel', 'off', '--isolation', isolation, '--policy', policy];
  const args = server.startsWith('attached')
    ? [join(FIXTURES, 'attached.mjs'), server, front, policy]
    : [CLI, 'serve', ...(isStdio ? ['--stdio'] : ['--port', '0']), ...options];
  const input = server.startsWith('attached') ? [] : await inputOf(server, programs);
  if (isStdio) return { command: [process.execPath, ...args, ...input] };
  return { url: await programs.start([...args, ...input], /(?:^| on )(http\S+)/m) };
}

/** @returns the arguments of `serve` that name the server, which is started if it has a URL */
async function inputOf(server: SetUp['server'], programs: Programs): Promise<readonly string[]> {
  const [kind = '', way] = server.split(' ');
  if (way === 'module') return ['--server', join(FIXTURES, `${kind}-module.mjs`)];
  if (way === 'stdio') return ['--', process.execPath, SERVER, kind, 'stdio'];
  return ['--url', await startServer(kind, programs)];
}
