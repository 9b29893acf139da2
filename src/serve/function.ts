import { createDynamoStore } from '../session/dynamodb.js';
import { createMemoryStore } from '../session/memory.js';
import type { SessionStore } from '../session/store.js';
import type { Authorization } from './authorization.js';
import { handleEvents } from './lambda.js';
import { createLog, createLogger } from './log.js';
import { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from './sdk-v1.js';
import { type FunctionSettings, readSettings } from './settings.js';
import { checkCallers, type StreamingHandler, streamEvents } from './stream.js';

export interface DeployOptions extends Pick<FetchHandlerOptions, 'policy'> {
  /** Verifies tokens on a function URL, where nothing else does. */
  readonly verifier?: Authorization['verifier'];
  /** The environment: `process.env` unless told otherwise. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface FunctionOptions extends DeployOptions, Omit<FetchHandlerOptions, 'store'> {}

/**
 * Makes the function that `serverless.yml` deploys, as its environment says: with which sessions, for which callers,
 * buffered or streaming.
 *
 * @param options the server factory and the policy; `readSettings` has the rest
 * @returns the function's handler
 * @throws {SettingsError} if a variable of the environment is wrong
 * @throws {StreamingError} if the function streams and asks for tokens that nobody verifies
 * @example
 * export const handler = createFunction({ server: createVaultServer, policy });
 */
export function createFunction(options: FunctionOptions): StreamingHandler {
  return deployFunction((store) => createFetchHandler({ ...options, store }), options);
}

/**
 * Makes such a function of anything that answers HTTP requests: servers of SDK v2, servers elsewhere.
 *
 * @param create makes what answers, with the store of sessions that the environment asks for
 * @param options the policy, and who verifies tokens
 * @returns the function's handler; it throws as `createFunction` does
 * @example
 * export const handler = deployFunction((store) => createDualFetchHandler({ server, policy, store }), { policy });
 */
export function deployFunction(
  create: (store: SessionStore | undefined) => FetchHandler,
  { policy, verifier, env = process.env }: DeployOptions,
): StreamingHandler {
  const settings = readSettings(env);
  const { issuers, resource, scopes, origins, logSalt } = settings;
  const logger = createLogger(env.POWERTOOLS_SERVICE_NAME);
  const warn = (message: string): void => logger.warn(message);
  const authorization = issuers.length === 0 ? undefined : { servers: issuers, resource, scopes, verifier };
  const edges = { origins, authorization, log: createLog(logger), logSalt };
  const handle = create(storeOf(settings, warn));
  if (settings.response === 'buffered') return handleEvents(handle, edges);
  checkCallers({ policy, authorization, warn });
  return streamEvents(handle, edges);
}

function storeOf(settings: FunctionSettings, warn: (message: string) => void): SessionStore | undefined {
  const { sessions, expiresAfterSeconds } = settings;
  const life = expiresAfterSeconds === undefined ? {} : { expiresAfterSeconds };
  if (sessions.in === 'nowhere') return undefined;
  if (sessions.in === 'dynamodb') return createDynamoStore({ table: sessions.table, ...life });
  warn(
    'Sessions are kept in the memory of this environment: others that Lambda starts do not share their preferences. Set MCP_CONCERNS_TABLE.',
  );
  return createMemoryStore(life);
}
