import type { GateReport, Timing } from '../gate/request/report.js';
import { isServerFailure } from './error-class.js';

/** One call to the session store. */
export interface StoreCall {
  readonly operation: 'read' | 'update' | 'end';
  readonly ms: number;
  /** Why the call failed: the code of the first cause, or its name: `ECONNREFUSED`, `ThrottlingException`. */
  readonly failed?: string;
}

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
  readonly timings?: ReadonlyMap<GateReport, Timing> | undefined;
  /** Whether it was refused since the policy of the endpoint was not found yet. */
  readonly isPolicyMissing?: boolean | undefined;
  /** The error that was thrown, if the request failed. */
  readonly failure?: unknown;
  /** The context of the invocation, as Lambda passed it. */
  readonly context?: unknown;
}

/** Writes the log of one HTTP request. */
export type WriteLog = (entry: RequestLog) => void;

/** Why a request did not get what it could: exactly one of these, so that each outage counts once. */
export type Cause = 'server' | 'store' | 'tool' | 'closed' | 'warning';

/** @returns why a request needs a look; `undefined` if it does not */
export function causeOf({ error, isError, unanswered, warnings = [] }: GateReport): Cause | undefined {
  // What the gate hides or refuses since its store fails is not a failure of the server.
  if (warnings.some(({ code }) => OF_STORE.has(code))) return 'store';
  if (unanswered !== undefined) return unanswered === 'closed' ? 'closed' : 'warning';
  if (error !== undefined) return isServerFailure(error) ? 'server' : 'warning';
  if (isError === true) return 'tool';
  return warnings.length > 0 ? 'warning' : undefined;
}

const OF_STORE: ReadonlySet<string> = new Set(['store-unavailable', 'unknown-session']);
