import type { FetchHandler } from '../../core/http/fetch-handler.js';
import { listenLocally } from '../../core/http/local.js';
import { parseForwarded } from '../../core/http/request-body.js';
import { byEra, createModernHandler } from '../../core/http/sdk-v2.js';
import { withServerCard } from '../../core/http/server-card/serve-card.js';
import { ListenStreams } from '../../core/http/streams/listen-streams.js';
import { createMemoryStore } from '../../core/session/memory.js';
import { DRAIN_MS } from '../../proxy/open-requests.js';
import { SessionProxy } from '../../proxy/sessions/session-proxy.js';
import { MAX_MESSAGE } from '../../proxy/wires/watch-body.js';
import { mintHandle, urlOfHost } from '../control/host-handle.js';
import { markSwitches } from '../control/switched-sessions.js';
import { userKey } from '../control/user-keys.js';
import type { Service } from '../options/service-options.js';
import { aborted } from '../terminal/interrupt.js';
import { serversOf } from './bridge-server.js';
import { eraLines } from './era-lines.js';
import { firstPreset } from './first-preset.js';
import { ModernHosts } from './modern-hosts.js';
import { type Access, accessOf } from './service/access.js';
import { probes } from './service/health.js';
import { sharedStore } from './service/shared-store.js';
import { OPEN_PAGE, type Serving } from './serving.js';

/**
 * Serves over HTTP until a signal ends it.
 *
 * @param serving what is served
 * @param service where, and who may use it
 * @param environment the variables of the process, which have the secrets
 * @returns the exit code
 * @throws {ListenError} if the address cannot be used
 * @throws {CliError} if the server cannot be opened, or a key cannot be had
 * @example
 * await serveHttp(serving, { port: 8808, ...readService(values, process.env) }, process.env);
 */
export async function serveHttp(
  serving: Serving,
  service: Service & { readonly port: number },
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const { opened, policy, control, operations, signal, limits, isForMany } = serving;
  const { note, report } = operations;
  const access = isForMany ? accessOf(service, environment) : undefined;
  const ofUser = (name: 'endpoint-key' | 'session-key') =>
    isForMany || service.isOpen ? undefined : userKey(name, environment);
  const shared =
    service.store === undefined ? undefined : await sharedStore(service.store, environment, note);
  const [key, secret] = [ofUser('endpoint-key'), shared?.secret ?? ofUser('session-key')];
  // An open endpoint has no secret that outlives it, and neither have its handles.
  const handleKey = secret ?? crypto.randomUUID();
  const { bridged, ...servers } = await serversOf(serving);
  // A service goes on where the server behind it is down: /readyz says so.
  const lines = await eraLines(serving, bridged).catch((cause): string[] => {
    if (!isForMany) throw cause;
    note(cause.message);
    return [];
  });
  if (access !== undefined) lines.push(`Callers need ${access.needs}.`);
  if (isForMany && shared === undefined) note(ONE_PROCESS);
  // A session that ended for lack of use keeps its preferences, in case its host returns.
  const kept = shared?.store ?? createMemoryStore({ maxSessions: Math.max(1000, 2 * limits.maxSessions) });
  const proxy = new SessionProxy({
    // Over HTTP a host cannot start a server again, so the endpoint does.
    server: servers.legacy,
    maxSessions: limits.maxSessions,
    idleMs: limits.idleMs,
    evicted: () =>
      note(`A session ended to make room for another: --sessions ${limits.maxSessions} have a server.`),
    policy,
    // Without a secret, no other process can open the ids.
    store: secret === undefined || shared !== undefined ? kept : markSwitches(kept, environment),
    isShared: shared !== undefined,
    report,
    observe: control?.observerOf('http'),
  });
  const streams = new ListenStreams(servers.stream);
  const hosts =
    control === undefined
      ? undefined
      : new ModernHosts({
          make: () => bridged.make({ era: 'modern' }),
          policy,
          observe: control.observerOf('http'),
          switched: (host) => streams.switched(host),
          idleMs: limits.idleMs,
          key: handleKey,
        });
  const modern = createModernHandler({ server: servers.modern, policy }, streams, (request, body) =>
    hosts?.of(request, body),
  );
  const bySession: FetchHandler = (request, given) => proxy.fetch(request, given);
  const both = byEra(
    (request, body, given) =>
      // It has no session, so the proxy refuses it.
      signal.aborted
        ? bySession(request, { ...given, parsedBody: body })
        : modern(request, body, { ...given, report: given?.report ?? report }),
    bySession,
    // What a message may have over stdio. For many, bodies that wait would be too much memory.
    isForMany ? undefined : MAX_MESSAGE,
    // A server of a module gets numbers of JavaScript, as from its own SDK.
    'open' in opened || 'several' in opened ? parseForwarded : undefined,
  );
  const probe = probes((limit) => bridged.isUp(limit), signal);
  const admit: Access['guard'] = access?.guard ?? ((handle) => handle);
  const guard: Access['guard'] = (handle) =>
    admit((request, given) => {
      given?.identified?.(given.authInfo);
      return handle(request, given);
    });
  const endpoint = await listenLocally(guard(both), {
    ...service,
    key,
    sessionSecret: secret,
    ...(operations.request === undefined ? {} : { log: operations.request }),
    logSalt: environment.MCP_CONCERNS_LOG_SALT,
    card: guard(withServerCard(policy, both)),
    beside: async (request, refused) =>
      (await probe(request)) ?? access?.describe?.(request) ?? control?.fetch(request, refused),
  });
  const address = control?.announce(endpoint.url);
  // The address has the key of the page, which must not stay in a log file.
  const page = address !== undefined && !process.stdout.isTTY ? OPEN_PAGE : address;
  const urlOfOne = (): string => urlOfHost(endpoint.url, mintHandle('host', handleKey));
  const urls = control === undefined ? [endpoint.url] : [urlOfOne(), urlOfOne()];
  process.stdout.write(welcome(urls, serving, lines, page));
  await aborted(signal);
  control?.close();
  await streams.close();
  const answered = Promise.all([proxy.close(DRAIN_MS), endpoint.answered(DRAIN_MS)]);
  // Calls of the modern era that are left get an error when their server ends.
  await endpoint.close(answered.then(() => bridged.close()));
  return 0;
}

const ONE_PROCESS =
  'Sessions are kept in the memory of this one process. For several processes, pass --sessions-store.';

/**
 * @param urls that of a host, and that of another one, if each has its own
 * @returns how to connect a host, with preferences that this policy knows as examples
 */
function welcome(
  [url = '', other]: readonly string[],
  { policy, opened }: Serving,
  eras: readonly string[],
  page?: string,
): string {
  const { concerns } = policy.current;
  const preset = firstPreset(policy.current);
  const [strictest] = concerns.flatMap(({ name, setBy, values, match }) => {
    if (setBy !== 'host' || 'min' in values) return [];
    // The value that shows the fewest primitives.
    return [[name, match === 'at-most' ? values[0] : values.at(-1)]];
  });
  const inUrl = preset ?? strictest?.join(':');
  const example = inUrl === undefined ? url : `${url}${url.includes('?') ? '&' : '?'}concerns=${inUrl}`;
  const config = JSON.stringify({ mcpServers: { concerns: { type: 'http', url: example } } });
  return [
    `Serving ${opened.name} on ${url.split('?')[0]}`,
    ...eras,
    '',
    `Connect a host:    claude mcp add --transport http concerns '${example}'`,
    `or in its config:  ${config}`,
    ...(other === undefined ? [] : [`For another host:  ${other}`]),
    ...(strictest === undefined ? [] : [`or with a header:  Mcp-Concerns: ${strictest.join('=')}`]),
    ...(page === undefined ? [] : [`Switch:            ${page}`]),
    'Press Ctrl-C to stop.',
    '',
  ].join('\n');
}
