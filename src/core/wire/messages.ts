import type { Kind } from '../engine/policy.js';
import { ExactNumber, numberOf } from '../exact-json.js';
import type { JsonRpcMessage, RequestId } from './transport.js';

/** The id of the extension: the key in `capabilities.extensions` and in `_meta`. */
export const EXTENSION_ID = 'io.github.mcp-concerns/concerns';

/** The HTTP header and the URL parameter that carry preferences. */
export const CONCERNS_HEADER = 'mcp-concerns';
export const CONCERNS_PARAMETER = 'concerns';

/** The keys of `_meta` in which requests of 2026-07-28 carry what `initialize` carried before. */
export const PROTOCOL_VERSION_META = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO_META = 'io.modelcontextprotocol/clientInfo';
/** The key of `_meta` in which messages of a stream name the request that opened it. */
export const SUBSCRIPTION_META = 'io.modelcontextprotocol/subscriptionId';
/** The key of `_meta` in which answers of 2026-07-28 carry what the answer to `initialize` said of the server. */
export const SERVER_INFO_META = 'io.modelcontextprotocol/serverInfo';
/** The key of `_meta` in which messages about a task name it (MCP 2025-11-25, "Tasks: Related Task Metadata"). */
export const RELATED_TASK_META = 'io.modelcontextprotocol/related-task';

export const METHODS = {
  initialize: 'initialize',
  discover: 'server/discover',
  initialized: 'notifications/initialized',
  cancelled: 'notifications/cancelled',
  listen: 'subscriptions/listen',
  acknowledged: 'notifications/subscriptions/acknowledged',
  updated: 'notifications/resources/updated',
  listConcerns: 'listConcerns',
  updateConcerns: 'updateConcerns',
} as const;

/** The list method of each kind of primitive, and the notification that its list changed. */
export const LISTS: {
  readonly [K in Kind]: { readonly method: ListMethod; readonly capability: Capability };
} = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
};

export type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list' | 'resources/templates/list';

export const CAPABILITIES = ['tools', 'prompts', 'resources'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export const listChangedMethod = (capability: Capability): string =>
  `notifications/${capability}/list_changed`;
export const LIST_CHANGES: ReadonlySet<string> = new Set(CAPABILITIES.map(listChangedMethod));

/** The methods with which a client uses one primitive. With these, and with lists, it states its preferences. */
export const ACCESS_METHODS = {
  call: 'tools/call',
  get: 'prompts/get',
  read: 'resources/read',
  subscribe: 'resources/subscribe',
  complete: 'completion/complete',
} as const;

export const SAMPLING = 'sampling/createMessage';

/** The questions that a server asks its client, each with the capability of the client that it needs. */
export const QUESTIONS = {
  'elicitation/create': 'elicitation',
  'sampling/createMessage': 'sampling',
  'roots/list': 'roots',
} as const;

export const TASK_LIST = 'tasks/list';
export const TASK_RESULT = 'tasks/result';

/** The Tasks extension of 2026-07-28. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** `capabilities.tasks.list.filter` of a server (SEP-1904, "Server capabilities"). Only tool calls create tasks. */
export const TASK_FILTER_CAPABILITY = {
  methods: ['tools/call'],
  taskIds: true,
  status: true,
  createdAt: { before: true, after: true },
  lastUpdatedAt: { before: true, after: true },
  order: { by: ['createdAt', 'lastUpdatedAt'], direction: ['asc', 'desc'] },
} as const;

/** `legacy`: up to 2025-11-25, with `initialize` and sessions. `modern`: 2026-07-28, where each request is self-contained. */
export type Era = 'legacy' | 'modern';

/** JSON-RPC 2.0, section 5.1. */
export const ERRORS = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** Of this package: the caller lacks a scope that it can get. */
  insufficientScope: -32003,
  /** MCP 2026-07-28, streamable-http: the headers do not fit the body. */
  headerMismatch: -32020,
} as const;

export type { RequestId };

/** JSON-RPC messages as they arrive: the contents of `params` and `result` are not validated. */
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
  /** `null` if the message that it answers has no readable id. */
  readonly id?: RequestId | null | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}
export type Message = Request | Notification | Answer | Failure;

export type Shape = 'request' | 'notification' | 'response';

/**
 * Returns what a value is as a message of JSON-RPC 2.0. With a method it is a request or a notification, whatever else it
 * contains: servers read it in this order too. A batch is not a message.
 *
 * @param message a value of any type: in-memory transports deliver whatever the other side sends
 * @returns `undefined` if the value is not a message
 * @example
 * shapeOf({ jsonrpc: '2.0', id: 1, method: 'tools/call', result: {} }); // 'request'
 */
export function shapeOf(message: unknown): Shape | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined;
  if ('method' in message) {
    if (typeof message.method !== 'string') return undefined;
    return 'id' in message && message.id !== undefined ? 'request' : 'notification';
  }
  return 'result' in message || 'error' in message ? 'response' : undefined;
}

export const isRequest = (message: Message): message is Request => shapeOf(message) === 'request';
export const isNotification = (message: Message): message is Notification =>
  shapeOf(message) === 'notification';
export const isResponse = (message: Message): message is Answer | Failure => shapeOf(message) === 'response';

/** A message that was read; or the id of what could not be read, which is answered if it has one. */
export type ReadMessage = { readonly message: Message } | { readonly id: RequestId | undefined };

/**
 * Reads a message as tolerantly as the peers of this package do, so that both sides of the gate read the same: a member of the
 * protocol that is `null` is absent. Members of tools and of vendors stay as they are.
 *
 * @param value a value of any type
 */
export function readMessage(value: unknown): ReadMessage {
  const shape = shapeOf(value);
  if (shape === undefined || !isMembers(value) || value.jsonrpc !== '2.0') return { id: idIn(value) };
  const id = numberOf(value.id);
  if (shape === 'response') {
    const { error, result, ...rest } = value;
    const isFine = (error === undefined || error !== null) && id === value.id;
    if (isFine) return { message: value as unknown as Message };
    const answered = error === null || error === undefined ? { result: result ?? {} } : { error };
    return { message: { ...rest, id, ...answered } as unknown as Message };
  }
  if (shape === 'request' && typeof id !== 'string' && typeof id !== 'number') return { id: undefined };
  const params = readParams(value.params);
  if (params === UNREADABLE) return { id: idIn(value) };
  if (params === value.params && id === value.id) return { message: value as unknown as Message };
  const { params: _params, ...rest } = value;
  const read = { ...rest, ...(id === undefined ? {} : { id }), ...(params === undefined ? {} : { params }) };
  return { message: read as unknown as Message };
}

const UNREADABLE = {};

function readParams(params: unknown): Members | undefined {
  if (params === undefined || params === null) return undefined;
  if (!isMembers(params)) return UNREADABLE;
  const { _meta, cursor } = params;
  const read = cursor === null || params.filter === null ? withoutNulls(params) : params;
  if (_meta === undefined) return read;
  if (_meta === null) return without(read, '_meta');
  if (!isMembers(_meta)) return UNREADABLE;
  const token = _meta.progressToken;
  if (token === null) return { ...read, _meta: without(_meta, 'progressToken') };
  return token instanceof ExactNumber
    ? { ...read, _meta: { ..._meta, progressToken: token.valueOf() } }
    : read;
}

/** Of a list request: members of the protocol and of this package. */
const withoutNulls = (params: Members): Members =>
  Object.fromEntries(
    Object.entries(params).filter(
      ([name, value]) => value !== null || (name !== 'cursor' && name !== 'filter'),
    ),
  );

function without(members: Members, name: string): Members {
  const { [name]: _gone, ...kept } = members;
  return kept;
}

/** Whether an answer is that to a request: some servers answer with the text of an id. */
export const sameId = (given: unknown, id: RequestId): boolean =>
  given === id || String(given) === String(id);

/** @returns the id of a request that cannot be read otherwise */
function idIn(value: unknown): RequestId | undefined {
  const id = read(value, 'id');
  const isAnswer =
    read(value, 'method') === undefined && (read(value, 'result') ?? read(value, 'error')) !== undefined;
  return !isAnswer && (typeof id === 'string' || typeof id === 'number') ? id : undefined;
}

/** Returns the era of a request: only modern requests contain their protocol version. */
export function eraOf(request: Request | undefined): Era {
  return typeof read(request?.params, '_meta', PROTOCOL_VERSION_META) === 'string' ? 'modern' : 'legacy';
}

/**
 * Returns a request without the marker of modern requests. The era belongs to the connection: after `initialize` the marker
 * does not count, and without it gate and server read the same request.
 */
export function asLegacy(request: Request): Request {
  if (eraOf(request) === 'legacy') return request;
  const meta = Object.entries(read(request.params, '_meta') as object);
  const _meta = Object.fromEntries(meta.filter(([name]) => name !== PROTOCOL_VERSION_META));
  return { ...request, params: { ...request.params, _meta } };
}

/** Returns an answer made by the gate. Modern clients refuse results without `resultType`. */
export function answer(request: Request, result: Record<string, unknown>): Answer {
  const complete = eraOf(request) === 'modern' ? { resultType: 'complete', ...result } : result;
  return { jsonrpc: '2.0', id: request.id, result: complete };
}

export const rpcError = (code: number, message: string, data?: unknown): Failure['error'] =>
  data === undefined ? { code, message } : { code, message, data };

/** Returns an error as the answer to a call, which has no id. */
export const refusal = (code: number, message: string, data?: unknown): Pick<Failure, 'error'> => ({
  error: rpcError(code, message, data),
});

export function failure(id: RequestId | null, code: number, message: string, data?: unknown): Failure {
  return { jsonrpc: '2.0', id, error: rpcError(code, message, data) };
}

/** Returns the error of an answer. Nothing checks what servers send as one: it can be `null`, or have no code. */
export function errorOf({ error }: Failure): Failure['error'] {
  const [code, message] = [read(error, 'code'), read(error, 'message')];
  if (typeof code === 'number' && typeof message === 'string') return error;
  return {
    code: typeof code === 'number' ? code : ERRORS.internal,
    message: 'The server answered with an error that is not one of JSON-RPC.',
  };
}

/** Returns the property at a path of a value of any type; `undefined` for inherited and missing properties. */
export function read(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found instanceof ExactNumber ? found.valueOf() : found;
}

export type Members = Record<string, unknown>;

/** Returns a copy of the members of an object; nothing for any other value. */
export const membersOf = (value: unknown): Members => (isMembers(value) ? { ...value } : {});

/** Returns whether a value is an object, and not a list. */
export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @returns a message as the SDK types it; the cast is safe because both types describe a JSON-RPC message of MCP */
export const toSdk = (message: Message): JsonRpcMessage => message as JsonRpcMessage;

/** @returns a message of the SDK as this package types it; the cast is safe for the same reason */
export const fromSdk = (message: JsonRpcMessage): Message => message as Message;
