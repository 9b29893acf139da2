import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { McpServer } from './host.js';
import { installPackages } from './install.js';
import type { Place } from './place.js';

const MAIN = resolve('dist/cli/main.js');

/** Five servers from npm, which need no account, by the key that they get in the host's file. */
const SERVERS = {
  everything: '@modelcontextprotocol/server-everything',
  files: '@modelcontextprotocol/server-filesystem',
  memory: '@modelcontextprotocol/server-memory',
  thinking: '@modelcontextprotocol/server-sequential-thinking',
  browser: '@playwright/mcp',
} as const;

/** The keys of all servers; `dead` ends as soon as it starts. */
export const KEYS = [...Object.keys(SERVERS), 'dead'];

/** Several servers as one entry of a host's file, with `serve --servers`. */
export interface Endpoint {
  readonly server: McpServer;
  /** Ends the process of one server, as a crash does, and returns how many processes it ended. */
  kill(key: string): number;
}

/** Writes a file with six servers, and a policy for them with `init`. */
export function endpointOf(place: Place): Endpoint {
  const { folder, programs } = installPackages(Object.values(SERVERS));
  const own = { files: [place.work] } as Partial<Record<string, string[]>>;
  const entries = Object.entries(SERVERS).map(([key, name]) => [
    key,
    { command: process.execPath, args: [programs.get(name), ...(own[key] ?? [])] },
  ]);
  const file = join(place.work, '.mcp.json');
  const dead = { command: process.execPath, args: ['-e', 'process.exit(3)'] };
  writeFileSync(file, JSON.stringify({ mcpServers: { ...Object.fromEntries(entries), dead } }));
  const policy = join(place.work, 'policy.yaml');
  runMain(place, 'init', '--servers', file, '--output', policy);
  return {
    server: {
      via: 'stdio',
      command: process.execPath,
      args: [MAIN, 'serve', '--stdio', '--servers', file, '--policy', policy, '--concern', 'preset=look'],
      env: { ...place.env, XDG_STATE_HOME: join(place.home, 'state') },
    },
    kill: (key) => {
      const program = programs.get(SERVERS[key as keyof typeof SERVERS]) ?? folder;
      const found = processesWith(program, place.work);
      for (const id of found) process.kill(id, 'SIGKILL');
      return found.length;
    },
  };
}

/** Runs the command line as the person would, and returns what it prints. */
export function runMain(place: Place, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    cwd: place.work,
    env: place.env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`"${args.join(' ')}" ended with ${status}: ${stderr}`);
  return stdout;
}

/** The ids of the processes that run a program in a folder. Only Linux tells. */
function processesWith(program: string, folder: string): number[] {
  const told = (path: string): string => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      // It ended meanwhile.
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => told(`/proc/${id}/cmdline`).split('\0').includes(program))
    .filter((id) => told(`/proc/${id}/environ`).includes(folder.replace(/\/work$/, '/home')))
    .map(Number);
}

/** @returns how many tools of each server the names are of, for example `files 14, memory 9` */
export function perServer(names: readonly string[]): string {
  const counts = KEYS.map((key) => [key, names.filter((name) => name.includes(`${key}__`)).length] as const);
  return counts.map(([key, count]) => `${key} ${count}`).join(', ');
}
