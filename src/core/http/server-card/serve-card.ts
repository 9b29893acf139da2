import type { Policy } from '../../engine/policy.js';
import { type LivePolicy, policyInForce } from '../../gate/request/live-policy.js';
import { sha256Of } from '../../sha256.js';
import { read } from '../../wire/messages.js';
import type { FetchHandler } from '../fetch-handler.js';
import { failure, HTTP_ERRORS } from '../http-errors.js';
import { messagesIn } from '../streams/messages-in.js';
import { type CardIdentity, serverCard } from './card.js';

const SUFFIX = '/server-card';
const TYPE = 'application/mcp-server-card+json';

/** The card is public, the same for all callers, and read by web pages too. */
const HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET',
  'Access-Control-Allow-Headers': 'Content-Type',
  'Access-Control-Expose-Headers': 'ETag',
  'Cache-Control': 'public, max-age=3600',
};

/** @returns whether a request is for the card of an endpoint, which needs no login and may come from any web page */
export function isForCard({ method, url }: Request): boolean {
  return /^(GET|HEAD|OPTIONS)$/.test(method) && new URL(url).pathname.endsWith(SUFFIX);
}

/** @returns the path of the endpoint that a request is for, or for whose card it is */
export function endpointPathOf(request: Request): string {
  const { pathname } = new URL(request.url);
  return isForCard(request) ? pathname.slice(0, -SUFFIX.length) : pathname;
}

/** @returns whether a response contains a card, or nothing */
export function isCard({ status, headers }: Response): boolean {
  return status === 204 || status === 304 || (status === 200 && headers.get('content-type') === TYPE);
}

/**
 * Answers `GET <url of the endpoint>/server-card` with a Server Card (SEP-2127, draft).
 *
 * @param policy the policy of the endpoint
 * @param handle answers all other requests. It is asked once how its server names itself.
 * @returns a handler for both
 */
export function withServerCard(policy: Policy | LivePolicy, handle: FetchHandler): FetchHandler {
  let identity: Promise<CardIdentity | undefined> | undefined;
  const answer: FetchHandler = async (request, given = {}) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: HEADERS });
    const url = given.resource ?? `${new URL(request.url).origin}${endpointPathOf(request)}`;
    identity ??= askIdentity(handle, url).catch(() => undefined);
    const known = await identity;
    if (known === undefined) {
      identity = undefined;
      const message = 'The server did not say its name, so there is no Server Card. Try again later.';
      return failure(503, HTTP_ERRORS.internal, message, { 'Access-Control-Allow-Origin': '*' });
    }
    const text = `${JSON.stringify(serverCard(policyInForce(policy), known, url), null, 2)}\n`;
    const etag = `"${sha256Of(text, 'base64url').slice(0, 22)}"`;
    const headers = { ...HEADERS, ETag: etag };
    if (matches(request.headers.get('if-none-match'), etag))
      return new Response(null, { status: 304, headers });
    const body = request.method === 'HEAD' ? null : text;
    return new Response(body, { headers: { ...headers, 'Content-Type': TYPE } });
  };
  return (request, given = {}) => (isForCard(request) ? answer(request, given) : handle(request, given));
}

/** A proxy may have made the tag weak (RFC 9110, section 13.1.2). */
const matches = (header: string | null, etag: string): boolean =>
  (header ?? '').split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));

/** Initializes a session to learn the name of the server, and ends it. */
async function askIdentity(handle: FetchHandler, url: string): Promise<CardIdentity | undefined> {
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'server-card', version: '1.0.0' },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const response = await handle(new Request(url, { method: 'POST', headers, body }));
  const info = serverInfoIn(await response.text());
  const session = response.headers.get('mcp-session-id');
  if (session !== null) {
    await handle(new Request(url, { method: 'DELETE', headers: { 'mcp-session-id': session } }));
  }
  return info;
}

function serverInfoIn(text: string): CardIdentity | undefined {
  const infos = messagesIn(text).map((message) => read(message, 'result', 'serverInfo'));
  const info = infos.find((each) => textOf(each, 'name') !== undefined);
  const [name = '', version = '0.0.0'] = [textOf(info, 'name'), textOf(info, 'version')];
  const [title, description] = [textOf(info, 'title'), textOf(info, 'description')];
  return info === undefined ? undefined : { name, version, title, description };
}

function textOf(info: unknown, name: string): string | undefined {
  const value = read(info, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
