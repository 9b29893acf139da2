import { fileURLToPath } from 'node:url';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { type Policy, preparePolicy } from '../engine/policy.js';
import { attachConcerns } from '../protocol/attach.js';
import { LivePolicy } from '../protocol/live-policy.js';
import { type LocalEndpoint, listenLocally, serveLocally } from '../serve/local.js';
import type { RequestLog } from '../serve/log.js';
import { proxySessions, proxyTo, type ServerProxy } from '../serve/proxy.js';
import { createMemoryStore } from '../session/memory.js';
import { readArguments } from './arguments.js';
import { COMMON_HELP, COMMON_OPTIONS, readCommon } from './common.js';
import { UsageError } from './errors.js';
import { aborted, interruptible } from './interrupt.js';
import { readPolicyInput } from './policy-input.js';
import { reportLine, requestLines } from './request-line.js';
import { readServed, type Served } from './served.js';
import { splitCommand } from './source.js';
import { packageFile } from './version.js';
import { watchPolicy } from './watch-policy.js';

const DEFAULT_PORT = 8808;

export const help = `Usage: mcp-concerns serve [options] [-- COMMAND [ARGS...]]

Serves an MCP server with a policy on 127.0.0.1, so that a policy can be tried
in a real host. Without a server it is the demo, a data vault. A policy that is
saved is in force at once. Each request is one line on stderr; Ctrl-C ends it.

Options:
  --policy PATH         a policy file or a folder of them; several are merged
                        (default: the demo's; any other server needs one)
  -- COMMAND [ARGS...]  a server over stdio, one process for each session
  --url URL             a server over Streamable HTTP
  --server MODULE       a module whose default export, or createServer, makes
                        a new SDK v1 server
  --stdio               speak stdio instead of HTTP, for hosts that start
                        their servers themselves
  --port N              the port (default ${DEFAULT_PORT}); 0 takes any that is free
${COMMON_HELP}, not even requests

Exit codes: 0 ended; 2 bad arguments, policy, server or port.

Examples:
  mcp-concerns serve
  mcp-concerns serve --policy policies/playwright.yaml -- npx @playwright/mcp
`;

const OPTIONS = {
  policy: { type: 'string', multiple: true },
  server: { type: 'string' },
  url: { type: 'string' },
  stdio: { type: 'boolean' },
  port: { type: 'string' },
  ...COMMON_OPTIONS,
} as const;

/**
 * @param argv what stands after `serve`
 * @returns the exit code, once a signal or the host has ended it
 * @throws {CliError} if an argument, the policy or the module is no good
 * @throws {ListenError} if the port is taken
 */
export async function run(argv: string[]): Promise<number> {
  const [own, command] = splitCommand(argv);
  const { values, positionals } = readArguments('serve', own, OPTIONS);
  if (positionals[0] !== undefined) throw new UsageError('serve', `"${positionals[0]}" is unexpected`);
  const served = await readServed(values, command);
  if (served.what !== 'demo' && values.policy === undefined) {
    throw new UsageError('serve', "a server needs --policy: the default policy is the demo's");
  }
  const { quiet, note } = readCommon('serve', values);
  const port = readPort(values.port);
  const paths = values.policy ?? [fileURLToPath(packageFile('policies/vault.yaml'))];
  const input = { exitCode: 2, undone: 'nothing is served' } as const;
  const live = new LivePolicy(preparePolicy(readPolicyInput(paths, input, quiet)));

  return interruptible(async (signal) => {
    const stop = watchPolicy(paths, live, note);
    try {
      return values.stdio === true
        ? await serveStdio(served, live, signal)
        : await serveHttp(served, live, port, signal, note);
    } finally {
      stop();
    }
  });
}

async function serveHttp(
  served: Served,
  policy: LivePolicy,
  port: number,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<number> {
  const log = (entry: RequestLog): void => note(requestLines(entry).join('\n'));
  let endpoint: LocalEndpoint;
  let end = async (): Promise<void> => undefined;
  if ('open' in served) {
    const proxy = proxySessions({ open: served.open, policy, report: (report) => note(reportLine(report)) });
    end = proxy.close;
    endpoint = await listenLocally((request) => proxy.fetch(request), { port });
  } else {
    endpoint = await serveLocally({ server: served.server, policy, port, store: createMemoryStore(), log });
  }
  process.stdout.write(welcome(endpoint.url, policy.current, served.name));
  await aborted(signal);
  await end();
  await endpoint.close();
  return 0;
}

/** Everything for people goes to stderr: stdout is the host's. */
async function serveStdio(served: Served, policy: LivePolicy, signal: AbortSignal): Promise<number> {
  const server = 'open' in served ? proxyTo(served.open()) : await served.server();
  attachConcerns(server, { policy });
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  await (server as ServerProxy).connect(transport);
  await Promise.race([ended, aborted(signal)]);
  await server.close();
  return 0;
}

/** How a host is connected, with concerns that this policy has. */
function welcome(url: string, policy: Policy, what: string): string {
  const [preset] = policy.presets.keys();
  const concern = policy.concerns.find(({ setBy, values }) => setBy === 'host' && !('min' in values));
  const value = concern === undefined || 'min' in concern.values ? undefined : concern.values.at(-1);
  const inUrl = preset ?? (concern === undefined ? undefined : `${concern.name}:${value}`);
  const asked = inUrl === undefined ? url : `${url}?concerns=${inUrl}`;
  const config = JSON.stringify({ mcpServers: { concerns: { type: 'http', url: asked } } });
  return [
    `Serving ${what} on ${url}`,
    '',
    `Connect a host:   claude mcp add --transport http concerns '${asked}'`,
    `or in its config: ${config}`,
    ...(concern === undefined ? [] : [`Ask by a header:  Mcp-Concerns: ${concern.name}=${value}`]),
    'Ctrl-C ends it.',
    '',
  ].join('\n');
}

function readPort(text = String(DEFAULT_PORT)): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError('serve', `--port takes a number from 0 to 65535, not "${text}"`);
}
