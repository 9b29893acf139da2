import { Logger } from '@aws-lambda-powertools/logger';
import { KINDS } from '../engine/policy.js';
import type { RequestLog, WriteLog } from '../http/request-log.js';
import { LISTS, METHODS } from '../protocol/messages/wire.js';

export type { RequestLog, WriteLog };

/** Methods that a log line may name. What else a client writes there is its own text, and not to be kept. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  ...Object.values(METHODS),
  ...KINDS.map((kind) => LISTS[kind].method),
  'ping',
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/list',
  'tasks/result',
  'tasks/cancel',
  'tasks/update',
  // No method of a client: a catalog that was found to be out of date.
  'catalog',
]);
const HTTP_METHODS: ReadonlySet<string> = new Set([
  'GET',
  'POST',
  'DELETE',
  'OPTIONS',
  'HEAD',
  'PUT',
  'PATCH',
]);

/** @returns a Powertools Logger, configured by its environment variables */
export function createLogger(serviceName = 'mcp-concerns'): Logger {
  return new Logger({ serviceName });
}

/**
 * Writes one structured line for each JSON-RPC request: who was shown how much, under which concerns, in what time, and
 * how long the session store took. At the level DEBUG, which Powertools can set for a share of the requests, also each
 * call to the store. Arguments, results, tokens, header values and URLs are never part of it.
 *
 * @param logger a Powertools Logger; the level, service name and sampling come from its environment variables
 * @returns a function that writes the lines of one HTTP request
 * @example
 * createLambdaHandler({ server, policy, log: createLog(new Logger({ serviceName: 'vault' })) });
 */
export function createLog(logger: Logger = createLogger()): WriteLog {
  return (entry) => {
    const { context, storeCalls = [], reports, failure } = entry;
    logger.refreshSampleRateCalculation();
    // Powertools takes from it whether this is a cold start, and which function this is.
    if (context !== undefined) logger.addContext(context as Parameters<Logger['addContext']>[0]);

    const common = commonOf(entry);
    if (failure !== undefined) logger.error('request failed', { ...common, error: plainError(failure) });
    else if (reports.length === 0) logger.info('request', common);
    for (const { method, warnings = [], ...told } of reports) {
      const line = { ...common, method: KNOWN_METHODS.has(method) ? method : 'other', ...told };
      if (warnings.length === 0) logger.info('request', line);
      else logger.warn('request', { ...line, warnings: warnings.map(({ code }) => code) });
    }
    if (storeCalls.length > 0) logger.debug('session store', { requestId: entry.requestId, storeCalls });
  };
}

function commonOf(entry: RequestLog): Record<string, unknown> {
  const { requestId, correlationId, httpMethod, status, durationMs, session, storeCalls = [] } = entry;
  const failed = storeCalls.flatMap(({ failed: reason }) => reason ?? []);
  return {
    requestId,
    // The name that Powertools gives it.
    ...(correlationId ? { correlation_id: correlationId } : {}),
    httpMethod: HTTP_METHODS.has(httpMethod) ? httpMethod : 'other',
    status,
    durationMs,
    ...(session === undefined ? {} : { session }),
    ...(storeCalls.length === 0 ? {} : { storeMs: sum(storeCalls.map(({ ms }) => ms)) }),
    ...(failed.length === 0 ? {} : { storeFailures: failed }),
  };
}

/** An error without what is attached to it: that of an invalid URL has the URL, a failed request its headers. */
function plainError(failure: unknown): object {
  if (!(failure instanceof Error))
    return { name: 'unknown', message: 'A value that is no Error was thrown.' };
  const { name, message, stack, cause } = failure;
  const code = (failure as { code?: unknown }).code;
  return {
    name,
    message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(cause instanceof Error ? { cause: { name: cause.name, message: cause.message } } : {}),
  };
}

const sum = (values: readonly number[]): number =>
  Math.round(values.reduce((total, value) => total + value, 0) * 10) / 10;
