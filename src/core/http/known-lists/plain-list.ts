import { isMembers, LISTS, type Request as ListRequest, read } from '../../wire/messages.js';

/** Versions that the transport of the SDK accepts in the header. A test compares them with the list of the SDK. */
export const VERSIONS: ReadonlySet<string> = new Set([
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]);

const METHODS: ReadonlySet<unknown> = new Set(Object.values(LISTS).map(({ method }) => method));
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const META = ['progressToken', 'io.modelcontextprotocol/related-task'] as const;

/**
 * The media type is in front of the parameters, which may be malformed (RFC 9110, 8.3). A comma behind it can be that of two
 * headers that were joined: what that means is left to the SDK.
 */
const JSON_TYPE = /^[ \t]*application\/json[ \t]*(?:;[^,]*)?$/i;

/** @returns whether the transport of the SDK accepts a request with these headers */
export function hasPlainHeaders(headers: Headers): boolean {
  const accept = headers.get('accept') ?? '';
  const version = headers.get('mcp-protocol-version');
  return (
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    JSON_TYPE.test(headers.get('content-type') ?? '') &&
    (version === null || VERSIONS.has(version))
  );
}

/**
 * Recognizes requests that the SDK would answer with a list and nothing else.
 *
 * @param body the parsed body of a request
 * @returns the list request; `undefined` if the SDK might reject it or handle it in another way
 */
export function plainList(body: unknown): ListRequest | undefined {
  if (typeof body !== 'object' || body === null || !METHODS.has(read(body, 'method'))) return undefined;
  if (read(body, 'jsonrpc') !== '2.0' || !Object.keys(body).every((key) => MEMBERS.has(key)))
    return undefined;
  const id = read(body, 'id');
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return undefined;
  const params = read(body, 'params');
  if (params !== undefined && !isMembers(params)) return undefined;
  const cursor = read(params, 'cursor');
  if (cursor !== undefined && typeof cursor !== 'string') return undefined;
  const meta = read(params, '_meta');
  if (meta !== undefined && (!isMembers(meta) || META.some((key) => read(meta, key) !== undefined)))
    return undefined;
  // Checked above, member by member.
  return body as ListRequest;
}
