import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Policy } from '../../engine/policy.js';
import { type LocalEndpoint, listenLocally, serveLocally } from '../../http/local.js';
import type { RequestLog } from '../../lambda/log.js';
import { attachConcerns } from '../../protocol/attach.js';
import type { LivePolicy } from '../../protocol/request/live-policy.js';
import { createMemoryStore } from '../../session/memory.js';
import { proxySessions, proxyTo, type ServerProxy } from '../../upstream/proxy.js';
import { reportLine, requestLines } from './request-line.js';
import { aborted } from '../terminal/interrupt.js';
import { askFor } from './default-preferences.js';
import type { Served } from './open-server.js';

/**
 * Serves over HTTP until a signal ends it.
 *
 * @param served the server
 * @param policy the policy in force
 * @param port the port
 * @param signal aborted by a signal
 * @param note tells the person at the terminal
 * @returns the exit code
 * @throws {ListenError} if the port is taken
 */
export async function serveHttp(
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

/**
 * Serves one host over stdio, until it closes its end. Everything for people goes to stderr: stdout is the host's.
 *
 * @param served the server
 * @param policy the policy in force
 * @param wish what is asked for in the name of a host that asks for nothing
 * @param signal aborted by a signal
 * @returns the exit code
 */
export async function serveStdio(
  served: Served,
  policy: LivePolicy,
  wish: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<number> {
  const server = 'open' in served ? proxyTo(served.open()) : await served.server();
  attachConcerns(server, { policy });
  const transport = askFor(wish, new StdioServerTransport());
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
