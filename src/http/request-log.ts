import type { GateReport } from '../gate/request/report.js';
import type { StoreCall } from './observer.js';

/**
 * One HTTP request, for the log. Besides method names and the targets of reports, it contains no text that a client sent.
 */
export interface RequestLog {
  readonly requestId: string;
  /** The id that the gateway gave the request, which its access log also contains. */
  readonly correlationId?: string | undefined;
  readonly httpMethod: string;
  readonly status: number;
  readonly durationMs: number;
  /** A salted hash of the session id. It tells which lines belong together. */
  readonly session?: string | undefined;
  /** A salted hash of the verified caller: issuer and subject. */
  readonly caller?: string | undefined;
  /** The trace id in the `X-Amzn-Trace-Id` header that the gateway set. */
  readonly xrayTraceId?: string | undefined;
  readonly storeCalls?: readonly StoreCall[];
  readonly reports: readonly GateReport[];
  /** The error that was thrown, if the request failed. */
  readonly failure?: unknown;
  /** The context of the invocation, as Lambda passed it. */
  readonly context?: unknown;
}

/** Writes the log of one HTTP request. */
export type WriteLog = (entry: RequestLog) => void;
