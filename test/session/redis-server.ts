import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';

/** The program of Redis or Valkey on this machine. */
export const REDIS = ['redis-server', 'valkey-server'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
);

/** The reason to skip a test, for its title. */
export const WITHOUT_REDIS = 'skipped where neither redis-server nor valkey-server is installed';

export interface RedisServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** Lets time pass for all keys. */
  advance(seconds: number): Promise<void>;
  /** Forgets everything. */
  empty(): Promise<void>;
  /** Takes the rights to read and to write from its user, also on connections that are open. */
  deny(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a real server, which keeps what it knows in memory. */
export async function startRedis(port?: number): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'));
  const chosen = port ?? (await freePort());
  const options = ['--port', String(chosen), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const child = spawn(REDIS ?? '', options, { stdio: ['ignore', 'pipe', 'ignore'] });
  let log = '';
  for await (const text of child.stdout) {
    log += text;
    if (/Ready to accept connections/.test(log)) break;
  }
  const url = `redis://127.0.0.1:${chosen}`;
  const admin = createClient({ url });
  admin.on('error', () => undefined);
  await admin.connect();
  return {
    url,
    child,
    async advance(seconds) {
      for (const key of await admin.keys('*')) {
        const left = (await admin.pTTL(key)) - seconds * 1000;
        if (left > 0) await admin.pExpire(key, left);
        else await admin.del(key);
      }
    },
    empty: async () => void (await admin.flushAll()),
    deny: async () =>
      void (await admin.sendCommand(['ACL', 'SETUSER', 'default', '-@read', '-@write', '-@scripting'])),
    async close() {
      admin.destroy();
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}
