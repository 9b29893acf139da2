import type { Authorization } from '../http/authorization.js';
import type { FetchHandler, HandlerOptions } from '../http/fetch-handler.js';
import { createDynamoStore } from '../session/dynamodb.js';
import { createMemoryStore } from '../session/memory.js';
import type { SessionStore } from '../session/store.js';
import { handleEvents } from './buffered.js';
import { createLog, createLogger } from './log.js';
import { type FunctionSettings, readSettings } from './settings.js';
import { checkCallers, type StreamingHandler, streamEvents } from './streamed.js';

export interface DeployOptions extends Pick<HandlerOptions, 'policy'> {
  /** Verifies tokens on a function URL, where nothing else does. */
  readonly verifier?: Authorization['verifier'];
  /** The environment: `process.env` unless told otherwise. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes the function that `serverless.yml` deploys of anything that answers HTTP requests: servers of SDK v2, servers elsewhere.
 *
 * @param create makes what answers, with the store of sessions that the environment asks for
 * @param options the policy, and who verifies tokens
 * @returns the function's handler; it throws as `createFunction` does
 * @example
 * export const handler = deployFunction((store) => createHandler({ server, policy, store }), { policy });
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
