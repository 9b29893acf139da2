import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Concern, Policy } from '../../engine/policy.js';
import { type LocalEndpoint, listenLocally, serveLocally } from '../../http/local.js';
import type { RequestLog } from '../../http/request-log.js';
import { attachConcerns } from '../../protocol/attach.js';
import type { LivePolicy } from '../../protocol/request/live-policy.js';
import { createMemoryStore } from '../../session/memory.js';
import { proxySessions, proxyTo } from '../../upstream/proxy.js';
import { CliError } from '../errors.js';
import { aborted } from '../terminal/interrupt.js';
import { withDefaultPreferences } from './default-preferences.js';
import type { OpenedServer } from './open-server.js';
import { reportLine, requestLines } from './request-line.js';

/**
 * Serves over HTTP until a signal ends it.
 *
 * @param opened the server
 * @param policy the current policy
 * @param port the port
 * @param signal aborted when the process gets a signal
 * @param note writes a line to stderr
 * @returns the exit code
 * @throws {ListenError} if the port is in use
 * @example
 * await serveHttp(opened, new LivePolicy(policy), 8808, signal, console.error);
 */
export async function serveHttp(
  opened: OpenedServer,
  policy: LivePolicy,
  port: number,
  signal: AbortSignal,
  note: (text: string) => void,
): Promise<number> {
  const log = (entry: RequestLog): void => note(requestLines(entry).join('\n'));
  let endpoint: LocalEndpoint;
  let closeProxy = async (): Promise<void> => undefined;
  if ('open' in opened) {
    const proxy = proxySessions({ open: opened.open, policy, report: (report) => note(reportLine(report)) });
    closeProxy = proxy.close;
    endpoint = await listenLocally((request) => proxy.fetch(request), { port });
  } else {
    endpoint = await serveLocally({ server: opened.server, policy, port, store: createMemoryStore(), log });
  }
  process.stdout.write(welcome(endpoint.url, policy.current, opened.name));
  await aborted(signal);
  await closeProxy();
  await endpoint.close();
  return 0;
}

/**
 * Serves one host over stdio, until the host closes the connection. Only MCP messages are written to stdout.
 *
 * @param opened the server
 * @param policy the current policy
 * @param preferences the preferences of a host that sends none
 * @param signal aborted when the process gets a signal
 * @returns the exit code
 * @throws {CliError} if the server ends before the host
 * @example
 * await serveStdio(opened, new LivePolicy(policy), { effect: 'read-only' }, signal);
 */
export async function serveStdio(
  opened: OpenedServer,
  policy: LivePolicy,
  preferences: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<number> {
  const server = 'open' in opened ? proxyTo(opened.open()) : await opened.server();
  attachConcerns(server, { policy });
  const transport = withDefaultPreferences(preferences, new StdioServerTransport());
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  // The proxy closes the connection to the host when the server behind it ends.
  const closed = new Promise<'closed'>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve('closed');
    };
  });
  await server.connect(transport);
  if ((await Promise.race([ended, aborted(signal), closed])) === 'closed') {
    throw new CliError(
      `The server "${opened.name}" ended, so the host cannot reach it. Check that its command runs by itself.`,
    );
  }
  await server.close();
  return 0;
}

/** @returns how to connect a host, with preferences that this policy knows as examples */
function welcome(url: string, policy: Policy, server: string): string {
  const [preset] = policy.presets.keys();
  const concern = policy.concerns.find(({ setBy, values }) => setBy === 'host' && !('min' in values));
  const value = concern === undefined ? undefined : strictestValue(concern);
  const inUrl = preset ?? (concern === undefined ? undefined : `${concern.name}:${value}`);
  const example = inUrl === undefined ? url : `${url}?concerns=${inUrl}`;
  const config = JSON.stringify({ mcpServers: { concerns: { type: 'http', url: example } } });
  return [
    `Serving ${server} on ${url}`,
    '',
    `Connect a host:    claude mcp add --transport http concerns '${example}'`,
    `or in its config:  ${config}`,
    ...(concern === undefined ? [] : [`or with a header:  Mcp-Concerns: ${concern.name}=${value}`]),
    'Press Ctrl-C to stop.',
    '',
  ].join('\n');
}

/** @returns the value of a concern that shows the fewest primitives */
function strictestValue({ values, match }: Concern): string | undefined {
  if ('min' in values) return undefined;
  return match === 'at-most' ? values[0] : values.at(-1);
}
