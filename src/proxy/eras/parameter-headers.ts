import type { CallAnswer } from '../../core/wire/calls.js';
import { LISTS, read } from '../../core/wire/messages.js';
import { type AnswerOverHttp, ownCall, type ServerCall } from '../call.js';
import type { Link } from '../link.js';
import { listPages } from '../list-pages.js';
import type { Upstream } from '../upstream.js';
import { headerText } from '../wires/request-headers.js';
import { wrapParams } from './envelope.js';
import { NOBODY } from './era.js';

/** Depth of schemas that is searched for headers. */
const MAX_DEPTH = 20;
/** MCP 2026-07-28, streamable-http: the headers do not fit the body. */
const HEADER_MISMATCH = -32020;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Sends a modern request to a modern server. Over HTTP, a tool can want arguments repeated as headers (streamable-http,
 * "Custom Headers"), so its schema must be known.
 */
export async function askModern(
  upstream: Upstream,
  { recovery }: Link,
  call: ServerCall,
): Promise<AnswerOverHttp> {
  if (call.method === LISTS.tools.method) return remember(upstream, await recovery.request(call));
  const { wire } = await recovery.opened();
  const name = read(call.params, 'name');
  const isCall = call.method === 'tools/call' && typeof name === 'string';
  if (!isCall || !wire.cancelsBySignal) return recovery.request(call);
  const send = async () => {
    if (!upstream.tools.has(name)) {
      await listPages('tools', async (cursor) => {
        const params = wrapParams(cursor, NOBODY);
        const list = { ...ownCall(LISTS.tools.method, params), signal: call.signal };
        return remember(upstream, await recovery.request(list));
      });
    }
    const headers = Object.fromEntries(headersIn(upstream.tools.get(name), read(call.params, 'arguments')));
    return recovery.request({ ...call, headers });
  };
  const answer = await send();
  if (!('error' in answer) || answer.error.code !== HEADER_MISMATCH) return answer;
  // The server has changed the tool. The request was refused before it ran.
  upstream.tools.delete(name);
  return send();
}

function remember<Answer extends CallAnswer>(upstream: Upstream, answer: Answer): Answer {
  const tools = 'result' in answer ? answer.result.tools : undefined;
  for (const tool of Array.isArray(tools) ? tools : []) {
    upstream.tools.set(String(read(tool, 'name')), read(tool, 'inputSchema'));
  }
  return answer;
}

/** @returns the headers that a schema wants, at any depth of its properties */
function headersIn(schema: unknown, given: unknown, depth = 0): (readonly [string, string])[] {
  const properties = read(schema, 'properties');
  if (typeof properties !== 'object' || properties === null || depth > MAX_DEPTH) return [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const value = read(given, name);
    if (value === undefined || value === null) return [];
    if (typeof value === 'object') return headersIn(property, value, depth + 1);
    const header = read(property, 'x-mcp-header');
    if (typeof header !== 'string' || !TOKEN.test(header)) return [];
    return [[`mcp-param-${header}`, headerText(String(value))] as const];
  });
}
