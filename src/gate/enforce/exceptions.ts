import { SERVER_META } from '../../wire/messages.js';
import { entriesOf } from '../table/routes.js';

/**
 * The members of a message for the client whose texts stay as the server wrote them. Every text of any other member is
 * redacted under `enforce`, also of members that the protocol does not have yet.
 */
export type Exceptions = ReadonlySet<string>;

/** Of an error, of a failed result, and of the answer to a request whose name was replaced. */
export const NOTHING: Exceptions = new Set();

/**
 * Of a result that succeeded. Its content is the responsibility of the author of a visible tool, prompt or resource; links
 * to resources and the values of a completion are checked one by one. The client must send back the last two as they are.
 */
const CONTENT: Exceptions = new Set([
  ...['content', 'structuredContent', 'contents', 'messages', 'completion', 'description', '_meta'],
  ...['requestState', 'nextCursor'],
]);

/** Of the answer to `initialize` or `server/discover`: what the server is and can do. */
export const HANDSHAKE: Exceptions = new Set([
  ...['protocolVersion', 'supportedVersions', 'capabilities', 'serverInfo', '_meta'],
]);

/** Of a notification: what it is about, in the words of the client or of the protocol. */
export const SUBJECT: Exceptions = new Set([
  ...['progressToken', 'requestId', 'taskId', 'elicitationId', 'level', 'notifications'],
]);

/** Of a notification that a resource changed: whether its URI is shown is decided before. */
export const UPDATED: Exceptions = new Set([...SUBJECT, 'uri']);

/**
 * Of a request of the server: tools are checked one by one, and the rest is for the program of the client. The texts of forms,
 * of messages to a model and of `_meta` are redacted.
 */
export const REQUEST: Exceptions = new Set([
  ...[
    'taskId',
    'elicitationId',
    'mode',
    'url',
    'tools',
    'toolChoice',
    'modelPreferences',
    'includeContext',
    'cursor',
  ],
]);

/** Of a definition in a list: what identifies it, and what it is made of. */
export const DEFINITION: Exceptions = new Set([
  ...['name', 'uri', 'uriTemplate', 'mimeType', 'icons', 'size', 'execution'],
]);

/** The members of a definition whose member names stay: a client sends them, or finds them in results. */
export const INTERFACES: ReadonlySet<string> = new Set(['arguments', 'inputSchema', 'outputSchema']);

const SCHEMA = ['required', 'dependentRequired', 'pattern', 'format', 'type'];
const REFERENCES = ['$ref', '$dynamicRef', '$id', '$schema', '$anchor', '$dynamicAnchor'];

/** The texts that stay in members of a definition, by their member names. A client checks results against `outputSchema`. */
export const VALUES_OF_DEFINITIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['arguments', new Set(['name'])],
  ['inputSchema', new Set([...SCHEMA, ...REFERENCES])],
  ['outputSchema', new Set([...SCHEMA, ...REFERENCES, 'enum', 'const'])],
  // The link to a hidden page is removed.
  ['_meta', new Set(['resourceUri', 'ui/resourceUri'])],
]);

/**
 * Returns what stays of a result.
 *
 * @param result the result of a request, or of a task
 * @param method the method of the request. Its lists of entries contain visible ones only.
 */
export function exceptionsTo(result: object, method?: string): Exceptions {
  if ('isError' in result && result.isError === true) return NOTHING;
  const entries = method === undefined ? [] : entriesOf(method).flatMap(([member = '']) => member);
  return entries.length === 0 ? CONTENT : new Set([...CONTENT, ...entries]);
}

/** The values that the protocol defines, by member name. They stay everywhere: a hidden tool may be named like one of them. */
const PROTOCOL_VALUES: Readonly<Record<string, RegExp>> = {
  type: /^(?:text|image|audio|resource|resource_link|tool_use|tool_result|object|string|number|integer|boolean|array)$/,
  progressToken: /^/,
  role: /^(?:user|assistant)$/,
  audience: /^(?:user|assistant)$/,
  status: /^(?:working|input_required|completed|failed|cancelled)$/,
  resultType: /^(?:complete|input_required|task)$/,
  cacheScope: /^(?:public|private)$/,
  taskId: /^/,
  'io.modelcontextprotocol/subscriptionId': /^/,
  mimeType: /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/,
  data: /^[A-Za-z0-9+/]*={0,2}$/,
  blob: /^[A-Za-z0-9+/]*={0,2}$/,
  createdAt: /^[\d:.TZ+-]+$/,
  lastUpdatedAt: /^[\d:.TZ+-]+$/,
  lastModified: /^[\d:.TZ+-]+$/,
};

export function isProtocolValue(key: string | undefined, text: string): boolean {
  return (
    key !== undefined && Object.hasOwn(PROTOCOL_VALUES, key) && PROTOCOL_VALUES[key]?.test(text) === true
  );
}

/** The member names of results and content blocks. They stay everywhere too. */
const PROTOCOL_KEYS: ReadonlySet<string> = new Set([
  ...[
    '_meta',
    SERVER_META,
    'isError',
    'content',
    'messages',
    'contents',
    'completion',
    'task',
    'description',
    'resultType',
  ],
  ...['ttlMs', 'cacheScope', 'values', 'total', 'hasMore'],
  ...[
    'type',
    'text',
    'data',
    'blob',
    'mimeType',
    'uri',
    'name',
    'title',
    'size',
    'icons',
    'src',
    'sizes',
    'theme',
  ],
  ...['resource', 'annotations', 'audience', 'priority', 'lastModified', 'role'],
  ...['taskId', 'status', 'statusMessage', 'createdAt', 'lastUpdatedAt', 'ttl', 'pollInterval'],
  ...['inputRequests', 'requestState', 'method', 'params'],
  // Of requests of the server.
  ...['systemPrompt', 'maxTokens', 'temperature', 'stopSequences', 'metadata', 'message', 'requestedSchema'],
  ...[
    'progressToken',
    'properties',
    'required',
    'items',
    'enum',
    'enumNames',
    'const',
    'oneOf',
    'anyOf',
    'default',
  ],
  ...['format', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'],
]);

/** Returns whether the protocol defines a member name. The prefix is that of its members of `_meta`. */
export const isProtocolKey = (key: string): boolean =>
  PROTOCOL_KEYS.has(key) || key.startsWith('io.modelcontextprotocol/');

/** The members of results, tasks and notifications that other objects do not have. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  ...['structuredContent', 'result', 'error', 'instructions', 'logger', 'message', 'progress', 'reason'],
]);
