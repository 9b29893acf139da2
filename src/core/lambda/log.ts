import { Logger } from '@aws-lambda-powertools/logger';
import { countUpstream } from '../telemetry/counts.js';
import { entriesOf } from '../telemetry/entries.js';
import { entryOfPolicy, type PolicyEvent } from '../telemetry/policy-event.js';
import type { WriteLog } from '../telemetry/request-log.js';
import { spansOf } from '../telemetry/spans.js';
import type { UpstreamEvent } from '../telemetry/upstream-event.js';
import { logUpstreams } from '../telemetry/upstream-log.js';
import { withMetrics } from './emf.js';
import { readSettings } from './settings.js';

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
export function createLogger(serviceName: string = DEFAULT_SERVICE): Logger {
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
    const { context, storeCalls = [] } = entry;
    logger.refreshSampleRateCalculation();
    // Powertools reads from it whether this is a cold start, and the name of the function. The cast is safe: it is the
    // context that Lambda passed, of which this package types only the members that it reads itself.
    if (context !== undefined) logger.addContext(context as Parameters<Logger['addContext']>[0]);

    for (const { level, message, fields } of entriesOf(entry)) logger[level](message, fields);
    if (storeCalls.length > 0) logger.debug('session store', { requestId: entry.requestId, storeCalls });
  };
}

/**
 * Adds a span of each request to a log, if an SDK of OpenTelemetry has registered itself before the function was loaded.
 *
 * @param write writes the log
 * @returns writes the log and makes spans
 */
export function withSpans(write: WriteLog): WriteLog {
  let spans: WriteLog | undefined;
  void spansOf().then((found) => {
    spans = found;
  });
  return (entry) => {
    write(entry);
    spans?.(entry);
  };
}

/**
 * Writes one line for an event of a policy outside the function.
 *
 * @param logger a Powertools Logger
 * @param event the event
 */
export function logPolicyEvent(logger: Logger, event: PolicyEvent): void {
  const { level, message, fields } = entryOfPolicy(event);
  logger[level](message, fields);
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
