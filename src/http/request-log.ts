import type { GateReport } from '../protocol/request/report.js';
import type { StoreCall } from './observer.js';

/** One HTTP request as the log tells it. Nothing in it was written by a client, except names of methods. */
export interface RequestLog {
  readonly requestId: string;
  /** The id that the gateway gave the request: its access log has it too. */
  readonly correlationId?: string | undefined;
  readonly httpMethod: string;
  readonly status: number;
  readonly durationMs: number;
  /** A salted hash of the session's id: enough to see which lines belong together. */
  readonly session?: string;
  readonly storeCalls?: readonly StoreCall[];
  readonly reports: readonly GateReport[];
  /** What was thrown, if the request ended with that. */
  readonly failure?: unknown;
  /** The invocation's context, as Lambda passed it. */
  readonly context?: unknown;
}

export type WriteLog = (entry: RequestLog) => void;
