import {
  LEFT_OUT_META,
  OWN_META,
  SERVER_META,
  UNAVAILABLE_META,
} from '../../engine/servers/outside-names.js';
import { EXTENSION_ID } from '../../wire/messages.js';
import { entriesOf } from '../table/routes.js';

/**
 * The members of a message for the client whose texts stay as the server wrote them. Every text of any other member is
 * redacted under `enforce`, also of members that the protocol does not have yet. This file has all of them.
 */
export type Exceptions = ReadonlySet<string>;

const words = (...lines: readonly string[]): Exceptions => new Set(lines.join(' ').split(' '));

/**
 * Of a result that succeeded. Its content is the responsibility of the author of a visible tool, prompt or resource; links to
 * resources and the values of a completion are checked one by one. The client must send back the last two as they are.
 */
const CONTENT: Exceptions = words(
  'content structuredContent contents messages completion description _meta',
  'requestState nextCursor',
);

/** Of the answer to `initialize` or `server/discover`: what the server is and can do. */
export const HANDSHAKE: Exceptions = words('protocolVersion supportedVersions capabilities serverInfo _meta');

/** Of a notification: what it is about, in the words of the client or of the protocol. */
export const SUBJECT: Exceptions = words('progressToken requestId taskId elicitationId level notifications');

/** Of a notification that a resource changed: whether its URI is shown is decided before. */
export const UPDATED: Exceptions = new Set([...SUBJECT, 'uri']);

/**
 * Of a request of the server: tools are checked one by one, and the rest is for the program of the client. The texts of forms,
 * of messages to a model and of `_meta` are redacted.
 */
export const REQUEST: Exceptions = words(
  'taskId elicitationId mode url tools toolChoice modelPreferences includeContext cursor',
);

/** Of a definition in a list: what identifies it, and what it is made of. */
export const DEFINITION: Exceptions = words('name uri uriTemplate mimeType icons size execution');

/** The members of a definition whose member names stay: a client sends them, or finds them in results. */
export const INTERFACES: Exceptions = words('arguments inputSchema outputSchema');

/** Of an error, of a failed result, and of the answer to a request whose name was replaced. */
export const NOTHING: Exceptions = new Set();

/** Of a list, and of a task: their `_meta` is not content of a visible primitive, and can have errors of any server. */
const WITHOUT_META: Exceptions = new Set([...CONTENT].filter((name) => name !== '_meta'));

/**
 * Returns what stays of a result.
 *
 * @param result the result of a request, or of a task
 * @param method the method of the request. Its lists of entries contain visible ones only.
 */
export function exceptionsTo(result: object, method?: string): Exceptions {
  if ('isError' in result && result.isError === true) return NOTHING;
  const entries = method === undefined ? [] : entriesOf(method).flatMap(([member = '']) => member);
  if (entries.length > 0) return new Set([...WITHOUT_META, ...entries]);
  return 'taskId' in result && 'status' in result ? WITHOUT_META : CONTENT;
}

/**
 * The texts that stay in members of a definition, by their member names. A client checks results against `outputSchema`. The
 * link to a hidden page is removed.
 */
const KEPT: ReadonlyMap<string, Exceptions> = new Map([
  ['arguments', words('name')],
  [
    'inputSchema',
    words(
      'required dependentRequired pattern format type $ref $dynamicRef $id $schema $anchor $dynamicAnchor',
    ),
  ],
  [
    'outputSchema',
    words(
      'required dependentRequired pattern format type $ref $dynamicRef $id $schema $anchor $dynamicAnchor enum const',
    ),
  ],
  ['_meta', words('resourceUri ui/resourceUri')],
]);

/** Returns whether a text stays in a member of a definition, by the member name of the text. */
export const isKeptInDefinition = (member: string, name: string | undefined): boolean =>
  name !== undefined && KEPT.get(member)?.has(name) === true;

/**
 * The values that the protocol defines, as a pattern for each member name. They stay everywhere: a hidden tool may be named like
 * one of them.
 */
const PATTERNS: ReadonlyMap<string, RegExp> = new Map([
  [
    'type',
    /^(?:text|image|audio|resource|resource_link|tool_use|tool_result|object|string|number|integer|boolean|array)$/,
  ],
  ['progressToken', /^/],
  ['role', /^(?:user|assistant)$/],
  ['audience', /^(?:user|assistant)$/],
  ['status', /^(?:working|input_required|completed|failed|cancelled)$/],
  ['resultType', /^(?:complete|input_required|task)$/],
  ['cacheScope', /^(?:public|private)$/],
  ['taskId', /^/],
  ['io.modelcontextprotocol/subscriptionId', /^/],
  ['mimeType', /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/],
  ['data', /^[A-Za-z0-9+/]*={0,2}$/],
  ['blob', /^[A-Za-z0-9+/]*={0,2}$/],
  ['createdAt', /^[\d:.TZ+-]+$/],
  ['lastUpdatedAt', /^[\d:.TZ+-]+$/],
  ['lastModified', /^[\d:.TZ+-]+$/],
]);

/** Returns whether the protocol defines a value, by its member name. */
export const isProtocolValue = (key: string | undefined, text: string): boolean =>
  key !== undefined && PATTERNS.get(key)?.test(text) === true;

/**
 * The member names of results and content blocks, and after those of tasks, of requests of the server. They stay everywhere too.
 * Names with the prefix `io.modelcontextprotocol/` need no entry.
 */
const PROTOCOL_KEYS: Exceptions = words(
  '_meta io.github.mcp-concerns/server isError content messages contents completion task description resultType',
  'ttlMs cacheScope values total hasMore',
  'type text data blob mimeType uri name title size icons src sizes theme',
  'resource annotations audience priority lastModified role',
  'taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval',
  'inputRequests requestState method params',
  'systemPrompt maxTokens temperature stopSequences metadata message requestedSchema',
  'progressToken properties required items enum enumNames const oneOf anyOf default',
  'format minLength maxLength minimum maximum minItems maxItems pattern',
);

/** The members of results, tasks and notifications that other objects do not have. */
export const OWN_KEYS: Exceptions = words(
  'structuredContent result error instructions logger message progress reason',
);

/** What this package writes into `_meta`. Of several servers, one could name a hidden tool like a part of these. */
const OWN_META_KEYS: ReadonlySet<string> = new Set([
  EXTENSION_ID,
  LEFT_OUT_META,
  OWN_META,
  SERVER_META,
  UNAVAILABLE_META,
]);

/** Returns whether the protocol or this package defines a member name. The prefix is that of the protocol's members of `_meta`. */
export const isProtocolKey = (key: string): boolean =>
  PROTOCOL_KEYS.has(key) || OWN_META_KEYS.has(key) || key.startsWith('io.modelcontextprotocol/');
