import { Logger } from '@aws-lambda-powertools/logger';
import type { GateReport } from '../gate/request/report.js';
import { reportFields } from '../http/log/report-fields.js';
import type { UpstreamEvent } from '../http/log/upstream-event.js';
import type { RequestLog, WriteLog } from '../http/request-log.js';
import type { PolicyEvent } from './remote-policy/policy-refresh.js';
import { readSettings } from './settings.js';
import { withMetrics } from './telemetry/emf.js';
import { countUpstream } from './telemetry/metrics.js';
import { logUpstreams } from './telemetry/upstream-log.js';

const HTTP_METHOD = /^(GET|POST|DELETE|OPTIONS|HEAD|PUT|PATCH)$/;

/** The service of log lines and metrics, if no variable names another one. */
const DEFAULT_SERVICE = 'mcp-concerns';

/** @returns the service of metrics */
export const serviceOf = (env: Readonly<Record<string, string | undefined>>): string =>
  env.POWERTOOLS_SERVICE_NAME || DEFAULT_SERVICE;

/**
 * Creates the Powertools Logger that `createFunction` uses unless you pass `log`. Level and sampling come from its
 * environment variables.
 *
 * @param serviceName the `service` of each log line
 * @returns the logger
 * @example
 * createLog(createLogger('vault'));
 */
export function createLogger(serviceName = DEFAULT_SERVICE): Logger {
  return new Logger({ serviceName });
}

/**
 * Creates the log of a function. It writes one line of JSON for each JSON-RPC request: what was requested, how it ended,
 * how many primitives were shown under which concerns and which policy, the duration, and the time spent on the session
 * store. A line about a failure has the level WARN or ERROR. At the level DEBUG, which Powertools can set for a share of
 * the requests, it also writes the calls to the store. Arguments, results, tokens, header values and URLs are never logged.
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
    const isStoreDown = 'storeFailures' in common;
    if (failure !== undefined) logger.error('request failed', { ...common, error: plainError(failure) });
    else if (reports.length === 0) logger[isStoreDown ? 'warn' : 'info']('request', common);
    for (const report of reports) {
      const level = isStoreDown || isProblem(report) ? 'warn' : 'info';
      logger[level]('request', { ...common, ...reportFields(report) });
    }
    if (storeCalls.length > 0) logger.debug('session store', { requestId: entry.requestId, storeCalls });
  };
}

/**
 * Writes one line for an event of a policy outside the function.
 *
 * @param logger a Powertools Logger
 * @param event the event
 */
export function logPolicyEvent(logger: Logger, { outcome, ...event }: PolicyEvent): void {
  if ('error' in event) logger.warn('policy kept', { ...event, error: plainError(event.error) });
  else logger.info('policy replaced', event);
}

/**
 * Creates the log of the servers behind an endpoint. It writes a line for each change of their state. Lines that a child
 * process writes to stderr are logged until the process serves, without secrets.
 *
 * @param options the logger, and the environment whose values are secrets
 * @returns a function that receives the events of upstreams
 * @example
 * shareUpstream(() => new ChildTransport('node', ['server.js']), { report: createUpstreamLog() });
 */
export function createUpstreamLog(
  options: { readonly logger?: Logger; readonly env?: Readonly<Record<string, string | undefined>> } = {},
): (event: UpstreamEvent) => void {
  const { env = process.env, logger = createLogger(env.POWERTOOLS_SERVICE_NAME) } = options;
  const { metrics } = readSettings(env);
  const secrets = Object.values(env).flatMap((value) => value ?? []);
  return withMetrics(logUpstreams(logger, secrets), countUpstream, {
    namespace: metrics,
    service: serviceOf(env),
    warn: (message) => logger.warn(message),
  });
}

function isProblem({ error, isError, unanswered, warnings = [] }: GateReport): boolean {
  return error !== undefined || isError === true || unanswered !== undefined || warnings.length > 0;
}

function commonOf(entry: RequestLog): Record<string, unknown> {
  const { requestId, correlationId, httpMethod, status, durationMs } = entry;
  const { session, caller, storeCalls = [] } = entry;
  // Powertools adds the id itself if tracing is on for the function.
  const traced = process.env._X_AMZN_TRACE_ID === undefined ? entry.xrayTraceId : undefined;
  const failed = storeCalls.flatMap(({ failed: reason }) => reason ?? []);
  return {
    requestId,
    // The name that Powertools uses.
    ...(correlationId ? { correlation_id: correlationId } : {}),
    httpMethod: HTTP_METHOD.test(httpMethod) ? httpMethod : 'other',
    status,
    durationMs,
    ...(session === undefined ? {} : { session }),
    ...(caller === undefined ? {} : { caller }),
    ...(traced === undefined ? {} : { xray_trace_id: traced }),
    ...(storeCalls.length === 0 ? {} : { storeMs: sum(storeCalls.map(({ ms }) => ms)) }),
    ...(failed.length === 0 ? {} : { storeFailures: failed }),
  };
}

/**
 * @param failure what was thrown
 * @returns the error without its other members: that of an invalid URL contains the URL, that of a request its headers
 */
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
