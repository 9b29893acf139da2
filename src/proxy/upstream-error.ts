import { type ErrorClass, errorClass } from '../core/errors.js';
import type { HttpRefusal } from '../core/http/upstream-server.js';

/** MCP 2026-07-28, basic/versioning: the server does not speak the version of the request. */
export const UNSUPPORTED_VERSION = -32022;

/** Why a request fails on a connection that was closed here. */
export const CLOSED = 'the connection was closed';

/** What a failure means for the request, and for the connection. */
interface Failure {
  /** Whether the server may have had the request, so that it may have run. */
  readonly isDelivered?: boolean;
  /** Whether the connection ended. Its owner was told. */
  readonly isEnded?: boolean;
  /** Whether the connection or session is gone, so that a new one must be initialized. */
  readonly isSessionLost?: boolean;
  /** Whether the server answered that it does not accept this request, so that nothing else is wrong with it. */
  readonly isRefused?: boolean;
  /** How the server answered over HTTP. */
  readonly http?: HttpRefusal | undefined;
  /**
   * What the server sent over HTTP instead of an answer. It can repeat arguments, so it is for the person who runs a command:
   * neither for clients nor for logs.
   */
  readonly body?: RefusedBody | undefined;
}

/** The body of a response that has no answer. */
export interface RefusedBody {
  /** The media type; `undefined` without the header. */
  readonly type: string | undefined;
  /** The beginning of the text; empty for a stream. */
  readonly text: string;
}

const UpstreamErrorBase: ErrorClass<'UpstreamError', 'UPSTREAM_FAILED'> = errorClass(
  'UpstreamError',
  'UPSTREAM_FAILED',
);

/**
 * A server behind the endpoint did not answer. Clients get the message, so it has nothing of the request, the command or the
 * headers.
 */
export class UpstreamError extends UpstreamErrorBase {
  constructor(
    message: string,
    readonly failure: Failure = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The server refused `initialize`. It may speak another era. */
export class InitializeRefused extends UpstreamError {}

/** The server does not speak 2026-07-28. */
export class EraUnavailable extends UpstreamError {}

/** The server was replaced by one of the other era, and did not run the request. */
export class ServerReplaced extends UpstreamError {}

/** Returns the failure of a request that was answered with a status of HTTP. Its message has nothing of the body, which can repeat arguments. */
export function httpFailure(http: HttpRefusal, body?: RefusedBody): UpstreamError {
  const { status } = http;
  const text = body?.text ?? '';
  // The specification has 404 for a session that the server does not know. Many answer 400, with a text.
  if (http.hasSession === true && (status === 404 || (status === 400 && /session|initializ/i.test(text))))
    return new UpstreamError(`it does not know the session any more (HTTP ${status})`, {
      isSessionLost: true,
    });
  const isRefused = status >= 400 && status < 500 && !UNAVAILABLE.has(status);
  return new UpstreamError(`it answered HTTP ${status}`, { isDelivered: true, isRefused, http, body });
}

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
/**
 * Reads an error of a transport.
 *
 * @param cause the error that `send` rejected with
 * @returns what it means
 * @example
 * readSendFailure(Object.assign(new Error('fetch failed'), { code: 'ECONNREFUSED' })).failure.isDelivered; // false
 */
export function readSendFailure(cause: unknown): UpstreamError {
  if (cause instanceof UpstreamError) return cause;
  const error = cause instanceof Error ? cause : new Error(String(cause));
  const name = codeOf(error) ?? codeOf(error.cause);
  return new UpstreamError(textOf(error, name), { isDelivered: !NOT_CONNECTED.has(name) }, { cause });
}

/** Returns why something failed, in the words of its error. */
export const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The text of an unknown error is left out: Node.js repeats commands and the values of headers in some of them. */
function textOf(error: Error, code: string | undefined): string {
  if ('syscall' in error && String(error.syscall).startsWith('spawn'))
    return `it cannot be started (${code ?? 'for an unknown reason'})`;
  return `${error.message === FETCH_FAILED ? FETCH_FAILED : error.name}${code === undefined ? '' : ` (${code})`}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
