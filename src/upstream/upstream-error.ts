import { ConcernsError } from '../errors.js';

/** A server behind the endpoint did not answer. */
export class UpstreamError extends ConcernsError {
  readonly code = 'UPSTREAM_FAILED';
  override readonly name = 'UpstreamError';
}

/** What a failure means for the request, and for the connection. */
export interface SendFailure {
  /** Whether the connection or session is gone, so that a new one must be initialized. */
  readonly isSessionLost: boolean;
  /** Whether the server certainly did not run the request. */
  readonly isUndelivered: boolean;
  readonly reason: string;
}

/** Errors of a connection that was never made. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Reads an error of a transport.
 *
 * A server answers 404 if it does not know the session. Many servers answer 400 instead, with a text about the session:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
 *
 * @param cause the error that `send` rejected with
 * @param hasSession whether the connection was initialized
 * @returns what it means
 * @example
 * readSendFailure(new StreamableHTTPError(404, 'Session not found'), true).isSessionLost; // true
 */
export function readSendFailure(cause: unknown, hasSession: boolean): SendFailure {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const status = 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  const isRefusedSession = status === 400 && /session|initializ/i.test(error.message);
  if (hasSession && (status === 404 || isRefusedSession)) {
    const reason = `it does not know the session any more (HTTP ${status})`;
    return { isSessionLost: true, isUndelivered: true, reason };
  }
  if (status !== undefined && status > 0) {
    // Without the body: it can repeat arguments, and the reason is logged.
    return { isSessionLost: false, isUndelivered: false, reason: `it answered HTTP ${status}` };
  }
  if (cause instanceof UpstreamError)
    return { isSessionLost: false, isUndelivered: true, reason: cause.message };
  const code = codeOf(error) ?? codeOf(error.cause);
  const reason = code === undefined ? firstLine(error.message) : `${firstLine(error.message)} (${code})`;
  return { isSessionLost: false, isUndelivered: NOT_CONNECTED.has(code), reason };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').slice(0, 300);
