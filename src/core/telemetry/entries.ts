import { createHmac } from 'node:crypto';
import { reportFields } from './report-fields.js';
import { causeOf, type RequestLog } from './request-log.js';

const HTTP_METHOD = /^(GET|POST|DELETE|OPTIONS|HEAD|PUT|PATCH)$/;

/** A line of the log, whichever host of the gate writes it. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Makes the lines about one HTTP request: one for each JSON-RPC request in it, or one if none reached the gate. Arguments,
 * results, tokens, header values and URLs are never in it.
 */
export function entriesOf(entry: RequestLog): readonly LogEntry[] {
  const { reports, failure } = entry;
  const common = commonOf(entry);
  const isStoreDown = 'storeFailures' in common;
  const failed: LogEntry[] =
    failure === undefined
      ? []
      : [{ level: 'error', message: 'request failed', fields: { ...common, error: plainError(failure) } }];
  if (failed.length === 0 && reports.length === 0)
    return [
      { level: isStoreDown || entry.status >= 500 ? 'warn' : 'info', message: 'request', fields: common },
    ];
  return [
    ...failed,
    ...reports.map((report): LogEntry => {
      const level = isStoreDown || causeOf(report) !== undefined ? 'warn' : 'info';
      return {
        level,
        message: 'request',
        fields: { ...common, ...reportFields(report, entry.timings?.get(report)) },
      };
    }),
  ];
}

function commonOf(entry: RequestLog): Record<string, unknown> {
  const { requestId, correlationId, httpMethod, status, durationMs } = entry;
  const { session, caller, storeCalls = [] } = entry;
  // Powertools adds the id itself if tracing is on for the function.
  const traced = process.env._X_AMZN_TRACE_ID === undefined ? entry.xrayTraceId : undefined;
  const failed = storeCalls.flatMap(({ failed: reason }) => reason ?? []);
  return {
    ...(requestId ? { requestId } : {}),
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

/** @returns the error without its other members: that of an invalid URL contains the URL, that of a request its headers */
export function plainError(failure: unknown): object {
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

/**
 * A session id gives access to the session, and a subject can be the name of a person. A hash only tells which log lines
 * belong together.
 */
export const hashed = (text: string, salt: string): string =>
  createHmac('sha256', salt).update(text).digest('hex').slice(0, 16);

/** @returns the caller as the log has it; without a secret salt, a hash tells who the caller is to anyone who knows the names */
export const callerHash = (principal: readonly string[] | undefined, salt: string): string | undefined =>
  salt && principal ? hashed(JSON.stringify(principal), salt) : undefined;
