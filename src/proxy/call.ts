import type { HttpRefusal } from '../core/http/upstream-server.js';
import type { CallAnswer } from '../core/wire/calls.js';
import { ERRORS, refusal } from '../core/wire/messages.js';
import { reasonOf, UpstreamError } from './upstream-error.js';

export type Params = Record<string, unknown> | undefined;

/** Returns the member of a message that has parameters, if it has some. */
export const paramsOf = (params: Params): { readonly params?: Record<string, unknown> } =>
  params === undefined ? {} : { params };

/** Does nothing: for what happens and needs no answer. */
export const ignore = (): void => undefined;

/** What a call needs of an AbortSignal: whether its client has cancelled it or left. */
export interface CallSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options: { readonly once: true }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Returns the same as a signal that `fetch` takes. */
export function abortSignalOf(signal: CallSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/** Asks a client a question of the server. Aborted if the server takes the question back. */
export type Ask = (method: string, params: Params, signal: CallSignal) => Promise<CallAnswer>;

/** Tells a client something that needs no answer. */
export type Notify = (method: string, params: Params) => void;

/** A request to a server. It has no id: whoever needs its answer holds the promise. */
export interface ServerCall {
  readonly method: string;
  readonly params: Params;
  /** Aborted when the client cancels the request or leaves, with the reason that it gave. */
  readonly signal: CallSignal;
  /** The least level of the log messages that the client asked for; `undefined` if its connection has one. */
  readonly level?: string | undefined;
  /** Headers that repeat arguments, for servers over HTTP that require them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether tasks can belong to the sender: it has a session or a verified identity, or it is the one client of a connection
   * that is not HTTP. Otherwise only their ids would protect tasks, and nobody knows how a shared server makes those.
   */
  readonly ownsTasks: boolean;
  /** Receives the notifications that belong to this request, before its answer. */
  readonly notify: Notify;
  /** Asks the client; `unaskable` if it cannot be asked. */
  readonly ask: Ask;
  /** The connection of the client that sent it: what belongs to any request of one client belongs to that client. */
  readonly sender: object;
}

/** The sender of requests of this package itself. */
export const THIS_PACKAGE = {};

/** A request of this package itself, which no client can cancel. */
export const ownCall = (method: string, params: Params): ServerCall => ({
  sender: THIS_PACKAGE,
  method,
  params,
  signal: new AbortController().signal,
  ownsTasks: true,
  notify: ignore,
  ask: unaskable,
});

/** Who is told what belongs to no request. */
export interface ChannelOwner {
  /** Aborted when nobody needs the connection, also before it is open. */
  readonly signal: AbortSignal;
  /** A notification of the server that belongs to no request for certain. */
  notified(method: string, params: Params): void;
  /** Asks the only client of this connection a question that belongs to no request for certain; `unaskable` if several share it. */
  readonly ask: Ask;
  /** The connection ended by itself, or its server is silent. */
  lost(reason: string): void;
  stderr(line: string): void;
}

/** The answer to a request whose client has left. Nobody receives it. */
export const CANCELLED: CallAnswer = {
  error: { code: ERRORS.internal, message: 'The request was cancelled.' },
};

/** A client that cannot be asked: it does not support the question, or nothing tells which client the question belongs to. */
export const unaskable: Ask = async () =>
  refusal(
    ERRORS.methodNotFound,
    'The client cannot be asked: it does not support the question, or nothing tells which client it belongs to.',
  );

export const unknownMethod = (method: string): CallAnswer =>
  refusal(ERRORS.methodNotFound, `Method not found: ${method}`);

/** An answer that also says how the server answered over HTTP, for endpoints that pass it on. */
export type AnswerOverHttp = CallAnswer & { readonly http?: HttpRefusal | undefined };

/** Whether the server does not accept the caller (401) or demands more rights (403). */
export const isAboutCaller = (http: HttpRefusal | undefined): boolean =>
  http?.status === 401 || http?.status === 403;

/** @returns the answer to a request that the server did not answer */
export function unreachable(method: string, cause: unknown, mayHaveRun = false): AnswerOverHttp {
  if (cause instanceof UpstreamError && isAboutCaller(cause.failure.http)) return refused(cause);
  const advice = mayHaveRun
    ? `${method} may have run. Check its effect before you send it again.`
    : 'Send the request again.';
  const text = `The server behind this endpoint cannot be reached: ${reasonOf(cause)}. ${advice}`;
  return refusal(ERRORS.internal, text);
}

/** @returns the answer to a request that a healthy server does not accept. It is not sent again, and nothing has failed. */
export function refused({ message, failure: { http } }: UpstreamError): AnswerOverHttp {
  const text = `The server behind this endpoint refused the request: ${message}.`;
  const operator = 'or ask the operator of the endpoint.';
  if (!isAboutCaller(http)) return refusal(ERRORS.internal, `${text} Change the request, ${operator}`);
  // Hosts over stdio have no status and no header.
  const data = { status: http?.status, wwwAuthenticate: http?.challenge };
  return { ...refusal(ERRORS.internal, `${text} Sign in to that server, ${operator}`, data), http };
}
