import { ConcernsError } from '../errors.js';
import type { HttpRefusal } from '../http/upstream-server.js';

/** MCP 2026-07-28, basic/versioning: the server does not speak the version of the request. */
export const UNSUPPORTED_VERSION = -32022;

interface UpstreamErrorOptions extends ErrorOptions {
  readonly isDelivered?: boolean;
  readonly isEnded?: boolean;
  readonly http?: HttpRefusal | undefined;
}

/** A server behind the endpoint did not answer. */
export class UpstreamError extends ConcernsError {
  readonly code = 'UPSTREAM_FAILED';
  override readonly name = 'UpstreamError';
  /** Whether the server had the request, so that it may have run. */
  readonly isDelivered: boolean;
  /** Whether the server ended. */
  readonly isEnded: boolean;
  /** How the server answered over HTTP. */
  readonly http: HttpRefusal | undefined;

  constructor(
    message: string,
    { isDelivered = false, isEnded = false, http, ...options }: UpstreamErrorOptions = {},
  ) {
    super(message, options);
    this.isDelivered = isDelivered;
    this.isEnded = isEnded;
    this.http = http;
  }
}

/** The server refused `initialize`. It may speak another era. */
export class InitializeRefused extends UpstreamError {}

/** The server does not speak the version that the operator demands. */
export class EraUnavailable extends UpstreamError {}

/** What a failure means for the request, and for the connection. */
export interface SendFailure {
  /** Whether the connection or session is gone, so that a new one must be initialized. */
  readonly isSessionLost: boolean;
  /** Whether the server certainly did not run the request. */
  readonly isUndelivered: boolean;
  /** Whether the server answered that it does not accept this request, so that nothing else is wrong with it. */
  readonly isRefused: boolean;
  /** Clients get it, so it has nothing of the request, the command or the headers. */
  readonly reason: string;
  /** Whether the connection ended. Its owner was told. */
  readonly isLost?: boolean;
  /** How the server answered over HTTP. */
  readonly http?: HttpRefusal | undefined;
}

/** Returns what a request got in place of an answer. */
export const failedFor = (
  reason: string,
  given: Partial<SendFailure> = {},
): { readonly failed: SendFailure } => ({
  failed: { isSessionLost: false, isUndelivered: false, isRefused: false, reason, ...given },
});

/** Errors of a connection that was never made. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Statuses that do not blame the request: credentials that are not accepted (401, 407), an address without a server (404,
 * 410), a timeout (408), and too many requests (429).
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([401, 404, 407, 408, 410, 429]);

const FETCH_FAILED = 'fetch failed';
/** How the SDK begins the error of a response that is neither JSON nor an event stream. */
const CONTENT_TYPE = 'Unexpected content type';

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
  const http = 'http' in error ? (error.http as HttpRefusal | undefined) : undefined;
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  const status = http?.status ?? code;
  const isRefusedSession = status === 400 && /session|initializ/i.test(error.message);
  if (hasSession && (status === 404 || isRefusedSession)) {
    const reason = `it does not know the session any more (HTTP ${status})`;
    return { isSessionLost: true, isUndelivered: true, isRefused: false, reason };
  }
  if (status !== undefined && status > 0) {
    // Without the body, which can repeat arguments.
    const isRefused = status >= 400 && status < 500 && !UNAVAILABLE.has(status);
    const reason = `it answered HTTP ${status}`;
    return { isSessionLost: false, isUndelivered: false, isRefused, reason, http: http ?? { status } };
  }
  const [isSessionLost, isRefused] = [false, false];
  if (cause instanceof UpstreamError)
    return { isSessionLost, isUndelivered: !cause.isDelivered, isRefused, reason: cause.message };
  const name = codeOf(error) ?? codeOf(error.cause);
  return { isSessionLost, isUndelivered: NOT_CONNECTED.has(name), isRefused, reason: reasonOf(error, name) };
}

/** The text of an unknown error is left out: Node.js repeats commands and the values of headers in some of them. */
function reasonOf(error: Error, code: string | undefined): string {
  if ('syscall' in error && String(error.syscall).startsWith('spawn'))
    return `it cannot be started (${code ?? 'for an unknown reason'})`;
  if (error.message.startsWith(CONTENT_TYPE)) return firstLine(error.message);
  return `${error.message === FETCH_FAILED ? FETCH_FAILED : error.name}${code === undefined ? '' : ` (${code})`}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const firstLine = (text: string): string => (text.split('\n', 1)[0] ?? '').slice(0, 300);
