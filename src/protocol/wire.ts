import type { Kind } from '../engine/policy.js';

/** The id of the extension: key of `capabilities.extensions` and of `_meta`. */
export const EXTENSION_ID = 'io.github.mcp-concerns/concerns';

/** The HTTP header that carries a configuration, and the parameter of the endpoint's URL. */
export const CONCERNS_HEADER = 'mcp-concerns';
export const CONCERNS_PARAMETER = 'concerns';

export const METHODS = {
  initialize: 'initialize',
  initialized: 'notifications/initialized',
  cancelled: 'notifications/cancelled',
  listConcerns: 'listConcerns',
  updateConcerns: 'updateConcerns',
} as const;

/** The list method of each kind of primitive, and the notification that its list changed. */
export const LISTS: { readonly [K in Kind]: { readonly method: string; readonly capability: Capability } } = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
};

export const CAPABILITIES = ['tools', 'prompts', 'resources'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const listChangedMethod = (capability: Capability): string =>
  `notifications/${capability}/list_changed`;

/** JSON-RPC 2.0, section 5.1. */
export const ERRORS = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

export type RequestId = string | number;

/** JSON-RPC messages as they stand on the wire: nothing in `params` or `result` is trusted. */
export interface Request {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}
export interface Notification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Record<string, unknown>;
}
export interface Answer {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: Record<string, unknown>;
}
export interface Failure {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export type Message = Request | Notification | Answer | Failure;

export const isRequest = (message: Message): message is Request => 'method' in message && 'id' in message;
export const isResponse = (message: Message): message is Answer | Failure =>
  'result' in message || 'error' in message;

export function answer(id: RequestId, result: Record<string, unknown>): Answer {
  return { jsonrpc: '2.0', id, result };
}

export function failure(id: RequestId, code: number, message: string, data?: unknown): Failure {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** @returns a property of a value of any type, own properties of objects only */
export function read(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
