import { Logger } from '@aws-lambda-powertools/logger';
import type { RequestLog, WriteLog } from '../http/request-log.js';
import { ROUTES } from '../protocol/messages/routes.js';
import { METHODS } from '../protocol/messages/wire.js';

/** Methods that a log line may name. Any other text that a client sends as a method is not logged. */
const KNOWN_METHODS: ReadonlySet<string> = new Set([
  ...ROUTES.keys(),
  ...Object.values(METHODS),
  // Not a method of the protocol: reports that a saved catalog is out of date.
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

/**
 * Creates the Powertools Logger that `createFunction` uses unless you pass `log`. Level and sampling come from its
 * environment variables.
 *
 * @param serviceName the `service` of each log line
 * @returns the logger
 * @example
 * createLog(createLogger('vault'));
 */
export function createLogger(serviceName = 'mcp-concerns'): Logger {
  return new Logger({ serviceName });
}

/**
 * Creates the log of a function. It writes one line of JSON for each JSON-RPC request: how many primitives were shown,
 * under which concerns, the duration, and the time spent on the session store. At the level DEBUG, which Powertools can
 * set for a share of the requests, it also writes the calls to the store. Arguments, results, tokens, header values and
 * URLs are never logged.
 *
 * @param logger a Powertools Logger
 * @returns a function that writes the lines of one HTTP request
 * @example
 * createFunction({ server, policy, log: createLog(new Logger({ serviceName: 'vault' })) });
 */
export function createLog(logger: Logger = createLogger()): WriteLog {
  return (entry) => {
    const { context, storeCalls = [], reports, failure } = entry;
    logger.refreshSampleRateCalculation();
    // Powertools reads from it whether this is a cold start, and the name of the function. The cast is safe: it is the
    // context that Lambda passed, of which this package types only the members that it reads itself.
    if (context !== undefined) logger.addContext(context as Parameters<Logger['addContext']>[0]);

    const common = commonOf(entry);
    if (failure !== undefined) logger.error('request failed', { ...common, error: plainError(failure) });
    else if (reports.length === 0) logger.info('request', common);
    for (const { method, warnings = [], ...report } of reports) {
      const line = { ...common, method: KNOWN_METHODS.has(method) ? method : 'other', ...report };
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
    // The name that Powertools uses.
    ...(correlationId ? { correlation_id: correlationId } : {}),
    httpMethod: HTTP_METHODS.has(httpMethod) ? httpMethod : 'other',
    status,
    durationMs,
    ...(session === undefined ? {} : { session }),
    ...(storeCalls.length === 0 ? {} : { storeMs: sum(storeCalls.map(({ ms }) => ms)) }),
    ...(failed.length === 0 ? {} : { storeFailures: failed }),
  };
}

/** @returns the error without its other members: that of an invalid URL contains the URL, that of a request its headers */
function plainError(failure: unknown): object {
  if (!(failure instanceof Error))
    return { name: 'unknown', message: 'A value that is not an Error was thrown.' };
  const { name, message, stack, cause } = failure;
  const code = 'code' in failure ? failure.code : undefined;
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
