import type { Failure } from '../../wire/messages.js';
import { rewriteJson, rewriteObject } from '../../wire/rewrite-json.js';

type Redact = (text: string) => string;

/** Redacts the message of an error, and the strings and member names in its data. */
export function redactError(error: Failure['error'], redact: Redact): Failure['error'] {
  const { message, data } = error;
  return {
    ...error,
    ...(typeof message === 'string' ? { message: redact(message) } : {}),
    ...(data === undefined ? {} : { data: rewriteJson(data, { text: redact, key: redact }) }),
  };
}

/**
 * Redacts the strings and member names of a result. What the protocol itself defines stays: the member names of
 * results and content blocks, and values such as `"type": "text"`. A hidden tool may be named like one of them.
 *
 * @param result the result of a request
 * @param redact redacts one text
 */
export function redactResult(result: Record<string, unknown>, redact: Redact): Record<string, unknown> {
  const { structuredContent, ...rest } = result;
  const redacted = rewriteObject(rest, {
    text: (text, key) => (isProtocolValue(key, text) ? text : redact(text)),
    key: (key) => (PROTOCOL_KEYS.has(key) ? key : redact(key)),
  });
  if (structuredContent === undefined) return redacted;
  return {
    ...redacted,
    structuredContent: rewriteJson(structuredContent, { text: redact, key: redact }),
  };
}

/** The values that the protocol defines, by member name. */
const PROTOCOL_VALUES: Readonly<Record<string, RegExp>> = {
  type: /^(?:text|image|audio|resource|resource_link|tool_use|tool_result)$/,
  role: /^(?:user|assistant)$/,
  audience: /^(?:user|assistant)$/,
  status: /^(?:working|input_required|completed|failed|cancelled)$/,
  resultType: /^(?:complete|input_required|task)$/,
  cacheScope: /^(?:public|private)$/,
  taskId: /^/,
  mimeType: /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/,
  data: /^[A-Za-z0-9+/]*={0,2}$/,
  blob: /^[A-Za-z0-9+/]*={0,2}$/,
  createdAt: /^[\d:.TZ+-]+$/,
  lastUpdatedAt: /^[\d:.TZ+-]+$/,
  lastModified: /^[\d:.TZ+-]+$/,
};

function isProtocolValue(key: string | undefined, text: string): boolean {
  return (
    key !== undefined && Object.hasOwn(PROTOCOL_VALUES, key) && PROTOCOL_VALUES[key]?.test(text) === true
  );
}

/** The member names of results and content blocks. */
const PROTOCOL_KEYS: ReadonlySet<string> = new Set([
  ...[
    '_meta',
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
]);
