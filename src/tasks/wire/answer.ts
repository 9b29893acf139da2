import { ERRORS } from '../../wire/messages.js';

/** A JSON-RPC message, as it is sent. */
export type WireMessage = { readonly jsonrpc: '2.0' } & Readonly<Record<string, unknown>>;

/** How to answer a request about tasks. */
export type WireAnswer =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'error';
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
      /** The HTTP status, where the protocol asks for one. */
      readonly httpStatus?: number;
    }
  /** Messages on a stream that then ends. With `retryMs`, the client may come back after this time for what is missing. */
  | {
      readonly kind: 'stream';
      readonly messages: readonly WireMessage[];
      readonly retryMs?: number;
    };

/** MCP 2026-07-28: the request needs a capability that its client does not declare. */
export const MISSING_CAPABILITY = -32021;

export const result = (value: Readonly<Record<string, unknown>>): WireAnswer => ({
  kind: 'result',
  result: value,
});

export const refusal = (code: number, message: string, data?: unknown): WireAnswer =>
  data === undefined ? { kind: 'error', code, message } : { kind: 'error', code, message, data };

/** The same for tasks that do not exist, have expired, belong to somebody else, or whose tool is hidden. */
export const NOT_FOUND: WireAnswer = refusal(ERRORS.invalidParams, 'Failed to retrieve task: Task not found');

export const METHOD_NOT_FOUND: WireAnswer = refusal(ERRORS.methodNotFound, 'Method not found');
