import {
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  LISTS,
  METHODS,
  type Members,
  membersOf,
  PROTOCOL_VERSION_META,
  read,
  SERVER_INFO_META,
  SUBSCRIPTION_META,
  TASKS_EXTENSION,
} from '../../core/wire/messages.js';
import type { Params } from '../call.js';

/** The version of the modern era, and those of the legacy era, the newest first. */
export const MODERN_VERSION = '2026-07-28';
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

/** How this package names itself where clients share a connection: one client must not be named to another's server. */
export const SELF = { name: 'mcp-concerns', version: '1' };

/** What a client said once in `initialize`, and what modern requests say each time. */
export interface ClientFacts {
  readonly info: unknown;
  readonly capabilities: unknown;
  readonly level?: string | undefined;
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** @returns whether a log message is as important as a client wants it; none is for a level that does not exist */
export function isAtLeast(level: unknown, wanted: string): boolean {
  const least = LEVELS.indexOf(wanted);
  return least >= 0 && LEVELS.indexOf(String(level)) >= least;
}

export const levelOf = (params: Params): string | undefined => {
  const level = read(params, '_meta', LOG_LEVEL);
  return typeof level === 'string' ? level : undefined;
};

/** @returns the capabilities that the client of a modern request declares in it */
export const capabilitiesOf = (params: Params): unknown => read(params, '_meta', CLIENT_CAPABILITIES_META);

/**
 * Legacy parameters as modern ones: each request says what `initialize` said once. A call that asks for a task becomes a
 * plain call, because the tasks of the two eras differ (SEP-2663).
 */
export function wrapParams(params: Params, { info, capabilities, level }: ClientFacts): Members {
  const { task: _task, ...kept } = params ?? {};
  const { tasks: _tasks, roots, ...declared } = membersOf(capabilities);
  const envelope = {
    [PROTOCOL_VERSION_META]: MODERN_VERSION,
    [CLIENT_INFO_META]: info ?? SELF,
    [CLIENT_CAPABILITIES_META]: { ...declared, ...(roots === undefined ? {} : { roots: {} }) },
    ...(level === undefined ? {} : { [LOG_LEVEL]: level }),
  };
  return { ...kept, _meta: { ...membersOf(kept._meta), ...envelope } };
}

const ENVELOPE = [PROTOCOL_VERSION_META, CLIENT_INFO_META, CLIENT_CAPABILITIES_META, LOG_LEVEL];

/** Modern parameters as legacy ones. All other keys of `_meta` stay: progress tokens, traces, those of vendors. */
export function unwrapParams(params: Params, alsoGone: readonly string[] = []): Members {
  const { inputResponses: _responses, requestState: _state, ...kept } = params ?? {};
  return withoutMeta(kept, [...ENVELOPE, ...alsoGone]);
}

/** Methods whose results have hints for caches (server/utilities/caching). */
const CACHEABLE: ReadonlySet<string> = new Set([
  METHODS.discover,
  'resources/read',
  ...Object.values(LISTS).map(({ method }) => method),
]);

/** A legacy result as a modern one. Legacy servers give no hints for caches, so they are the safest ones. */
export const wrapResult = (method: string, result: Members, serverInfo: unknown): Members => ({
  resultType: 'complete',
  ...(CACHEABLE.has(method) ? { ttlMs: 0, cacheScope: 'private' } : {}),
  ...result,
  _meta: {
    ...(serverInfo === undefined ? {} : { [SERVER_INFO_META]: serverInfo }),
    ...membersOf(result._meta),
  },
});

/** A modern result as a legacy one. */
export function unwrapResult(result: Members): Members {
  const { resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...kept } = result;
  return withoutMeta(kept, [SERVER_INFO_META, SUBSCRIPTION_META]);
}

/** @returns the same without keys of `_meta`, and without `_meta` if it is then empty */
export function withoutMeta(holder: Members, gone: readonly string[]): Members {
  if (holder._meta === undefined) return holder;
  const { _meta, ...rest } = holder;
  const kept = Object.entries(membersOf(_meta)).filter(([name]) => !gone.includes(name));
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) };
}

/** The answer to `server/discover` of a server that was initialized. Its tasks differ too much from those of 2026-07-28. */
export function discoverOf({ capabilities, serverInfo, instructions }: Members): Members {
  const { tasks: _tasks, ...kept } = membersOf(capabilities);
  const found = { supportedVersions: [MODERN_VERSION], capabilities: kept };
  const result = instructions === undefined ? found : { ...found, instructions };
  return wrapResult(METHODS.discover, result, serverInfo);
}

/** The answer to `initialize` of a server that was discovered. */
export function initializeOf(discovered: Members, requested: unknown): Members {
  const { extensions, ...capabilities } = membersOf(discovered.capabilities);
  const { [TASKS_EXTENSION]: _tasks, ...kept } = membersOf(extensions);
  const { instructions } = discovered;
  return {
    protocolVersion: LEGACY_VERSIONS.find((each) => each === requested) ?? LEGACY_VERSIONS[0],
    capabilities: { ...capabilities, ...(extensions === undefined ? {} : { extensions: kept }) },
    serverInfo: serverInfoOf(discovered) ?? { name: 'unknown', version: '0' },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

/** @returns name and version of a server, from its answer to `server/discover` */
const serverInfoOf = (discovered: Members): unknown => read(discovered, '_meta', SERVER_INFO_META);

/** @returns what a client can be asked by a server of the legacy era: all that is not about this package */
export function asksOf(capabilities: unknown): Members {
  const { elicitation, sampling, roots } = membersOf(capabilities);
  return { elicitation, sampling, roots: roots === undefined ? undefined : {} };
}
