import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Concern, Policy } from '../../engine/policy.js';
import { gatedTransport } from '../../gate/edge/gated-transport.js';
import type { LivePolicy } from '../../gate/request/live-policy.js';
import type { ServerOfRequest } from '../../http/fetch-handler.js';
import { listenLocally } from '../../http/local.js';
import { withServerCard } from '../../http/server-card/serve-card.js';
import { createMemoryStore } from '../../session/memory.js';
import { isolateUpstream } from '../../upstream/isolation.js';
import { proxyTo } from '../../upstream/proxy.js';
import { RecoveringTransport, type RecoveryOptions } from '../../upstream/recovering.js';
import { proxySessions } from '../../upstream/sessions.js';
import type { UpstreamEvent } from '../../upstream/state.js';
import type { Control } from '../control/control.js';
import { CliError } from '../errors.js';
import { aborted } from '../terminal/interrupt.js';
import { withDefaultPreferences } from './default-preferences.js';
import type { OpenedServer } from './open-server.js';
import { reportLine } from './request-line.js';
import type { ServingLimits } from './serving-limits.js';
import { startForStdio } from './stdio-server.js';
import { upstreamLine } from './upstream-line.js';

/** What is served, under which policy, and how people switch it. */
export interface Serving {
  readonly opened: OpenedServer;
  readonly policy: LivePolicy;
  /** The switches of all sessions; undefined under `--panel off`. */
  readonly control: Control | undefined;
  /** Writes a line to stderr. */
  readonly note: (text: string) => void;
  /** Who shares a server, and when sessions and servers end. */
  readonly limits: ServingLimits;
  /** Aborted when the process gets a signal. */
  readonly signal: AbortSignal;
}

/**
 * Serves over HTTP until a signal ends it.
 *
 * @param serving what is served
 * @param port the port
 * @returns the exit code
 * @throws {ListenError} if the port is in use
 * @example
 * await serveHttp({ opened, policy, control, note: console.error, signal, limits: readLimits({}) }, 8808);
 */
export async function serveHttp(serving: Serving, port: number): Promise<number> {
  const { opened, policy, control, note, signal, limits } = serving;
  const proxy = proxySessions({
    server: serversOf(serving),
    maxSessions: limits.maxSessions,
    idleMs: limits.idleMs,
    policy,
    // A session that ended for lack of use keeps its preferences, in case its host returns.
    store: createMemoryStore({ maxSessions: 1000 }),
    report: (report) => note(reportLine(report)),
    observe: control?.observerOf('http'),
  });
  const beside = control === undefined ? {} : { beside: control.fetch };
  const handle = withServerCard(policy, (request) => proxy.fetch(request));
  const endpoint = await listenLocally(handle, { port, ...beside });
  const url = control?.announce(endpoint.url);
  process.stdout.write(welcome(endpoint.url, policy.current, opened.name, url));
  await aborted(signal);
  control?.close();
  await proxy.close();
  await endpoint.close();
  return 0;
}

/**
 * Serves one host over stdio, until the host closes the connection. Only MCP messages are written to stdout.
 *
 * @param serving what is served
 * @param preferences the preferences of a host that sends none
 * @returns the exit code
 * @throws {CliError} if the server ends before the host
 * @example
 * await serveStdio(serving, { effect: 'read-only' });
 */
export async function serveStdio(
  serving: Serving,
  preferences: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { opened, policy, control, note, signal } = serving;
  let giveUp: () => void = () => {};
  const unusable = new Promise<'closed'>((resolve) => {
    giveUp = () => resolve('closed');
  });
  const server = await ('open' in opened
    ? startForStdio(opened.open, recoveryOf(serving), giveUp)
    : opened.server());
  const transport = withDefaultPreferences(preferences, new StdioServerTransport());
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  // A server of a module closes the connection to the host when it ends.
  const closed = new Promise<'closed'>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      resolve('closed');
    };
  });
  if (control !== undefined) note(`Switch what the host is shown: ${await control.listen()}`);
  const gated = gatedTransport(transport, { policy, observe: control?.observerOf('stdio') });
  // The interface of a server names the transport that SDK v1 has for HTTP; every transport fits.
  await (server as { connect(transport: Transport): Promise<void> }).connect(gated);
  try {
    if ((await Promise.race([ended, aborted(signal), closed, unusable])) !== 'closed') return 0;
    throw new CliError(
      `The server "${opened.name}" ended, so the host cannot reach it. Check that its command runs by itself.`,
    );
  } finally {
    control?.close();
    await server.close();
  }
}

/** Makes the servers of sessions. Over HTTP a host cannot start a server again, so the endpoint does. */
function serversOf(serving: Serving): () => Promise<ServerOfRequest> {
  const { opened, limits } = serving;
  if (!('open' in opened)) return async () => opened.server();
  const recovery = recoveryOf(serving);
  if (limits.isolation === 'per-session') {
    return async () => proxyTo(new RecoveringTransport(opened.open, recovery));
  }
  const upstream = isolateUpstream(opened.open, limits.isolation, recovery);
  return async () => upstream.server();
}

/** How long the server may take, and a line on stderr for what happens to it. */
function recoveryOf({ opened, note, limits }: Serving): RecoveryOptions {
  const report = (event: UpstreamEvent): void => {
    const line = upstreamLine(event);
    if (line !== undefined) note(line);
  };
  return { name: opened.name, report, silenceMs: limits.silenceMs };
}

/** @returns how to connect a host, with preferences that this policy knows as examples */
function welcome(url: string, policy: Policy, server: string, page: string | undefined): string {
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
    'Other hosts:       "mcp-concerns hosts --help"',
    ...(concern === undefined ? [] : [`or with a header:  Mcp-Concerns: ${concern.name}=${value}`]),
    ...(page === undefined ? [] : [`Switch:            ${page}`]),
    'Press Ctrl-C to stop.',
    '',
  ].join('\n');
}

/** @returns the value of a concern that shows the fewest primitives */
function strictestValue({ values, match }: Concern): string | undefined {
  if ('min' in values) return undefined;
  return match === 'at-most' ? values[0] : values.at(-1);
}
