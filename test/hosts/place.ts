import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { registryFolder } from '../../src/cli/control/registry.js';
import { runningProcesses, switchSession } from '../../src/cli/control/running-process.js';
import type { McpServer } from './host.js';
import { type Running, startProcess } from './processes.js';

const MAIN = resolve('dist/cli/main.js');
const SERVE = [
  'serve',
  '--server',
  resolve('build/vault/server.js'),
  '--policy',
  resolve('policies/vault.yaml'),
];

/** Folders of one measurement: a home and a project for the host, and a registry of running servers. */
export interface Place {
  readonly home: string;
  readonly work: string;
  /** The whole environment of the host. Nothing of the real user is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** The server that the host starts itself. */
  stdioServer(...args: string[]): McpServer;
  /** Starts the server over HTTP. `hostUrls` are those that it prints for two hosts. */
  serveHttp(): Promise<{
    readonly url: string;
    readonly hostUrls: readonly string[];
    readonly running: Running;
  }>;
  /** Runs `mcp-concerns switch` and returns its output. */
  switchTo(...args: string[]): Promise<string>;
  /** Switches every session as the page does: by a request to the control channel for each. */
  switchAsPage(concerns: Readonly<Record<string, unknown>>): Promise<void>;
  remove(): void;
}

/** Creates the folders of one measurement. */
function createPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), 'host-'));
  const folder = (name: string): string => {
    const path = join(root, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  };
  const [home, work, runtime] = [folder('home'), folder('work'), folder('run')];
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_RUNTIME_DIR: runtime,
    TERM: 'dumb',
    NO_COLOR: '1',
    LANG: 'C.UTF-8',
  };
  const start = (...args: string[]): Running =>
    startProcess(process.execPath, [MAIN, ...args], { cwd: work, env, longest: 600_000 });
  return {
    home,
    work,
    env,
    stdioServer: (...args) => ({
      via: 'stdio',
      command: process.execPath,
      args: [MAIN, ...SERVE, '--stdio', '--quiet', ...args],
      env: { XDG_RUNTIME_DIR: runtime, PATH: env.PATH },
    }),
    serveHttp: async () => {
      const running = start(...SERVE, '--port', '0');
      const welcome = await running.until(/to stop\.\n/);
      const url = /on (http:\S+)/.exec(welcome)?.[1] ?? '';
      const printed = [/concerns '(http:[^']+)'/, /another host: +(http:\S+)/];
      const hostUrls = printed.map((pattern) =>
        (pattern.exec(welcome)?.[1] ?? '').replace(/&concerns=.*/, ''),
      );
      return { url, hostUrls, running };
    },
    switchTo: async (...args) => {
      // As a person at a terminal: without one, a switch can only show less.
      const terminal = ['--import', 'data:text/javascript,process.stdin.isTTY=true'];
      const options = { cwd: work, env, longest: 600_000 };
      const person = startProcess(process.execPath, [...terminal, MAIN, 'switch', ...args], options);
      const { code, stdout, stderr } = await person.ended;
      if (code !== 0) throw new Error(`"switch ${args.join(' ')}" ended with ${code}: ${stderr}`);
      return stdout;
    },
    switchAsPage: async (concerns) => {
      for (const { entry, states = [] } of await runningProcesses(
        registryFolder({ XDG_RUNTIME_DIR: runtime }),
      ))
        for (const { session } of states) await switchSession(entry, session, concerns);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Creates the folders of one measurement, and removes them afterwards. */
export async function inPlace<T>(run: (place: Place) => Promise<T>): Promise<T> {
  const place = createPlace();
  try {
    return await run(place);
  } finally {
    place.remove();
  }
}
