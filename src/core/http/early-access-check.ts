import type { Substitute } from '../gate/request/facts.js';
import { targetOf, withName } from '../gate/table/routing.js';
import { ERRORS, type Request as McpRequest, read, shapeOf } from '../wire/messages.js';
import { decodeHeader, encodeHeader } from './header-value.js';
import { messagesIn } from './streams/messages-in.js';

/** Answers a request whose body was already read and parsed. */
export type ServeParsed = (request: Request, body: unknown) => Promise<Response>;

const NAME_HEADER = 'mcp-name';
const METHOD_HEADER = 'mcp-method';
/** A server chooses the names, and a header cannot have every name. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Checks access in front of a handler that answers some requests before its transport, as `createMcpHandler` of SDK v2
 * does: headers that repeat a parameter, and scope challenges. The gate does not see these requests, so their
 * answers would reveal that a hidden name exists. Therefore this handler asks the gate first. It replaces a hidden
 * name by a name that does not exist, and restores the name in the answer.
 *
 * Every request that names a primitive takes this path, so that its duration reveals nothing.
 *
 * @param serve the handler, whose servers have a gate that knows `probe`
 * @param probe the method that asks the gate whether to replace the name
 * @param askForScope answers a request that takes scopes which the caller lacks
 * @returns a handler in front of it
 * @example
 * const checked = checkAccessEarly((request, parsedBody) => handler.fetch(request, { parsedBody }), probe, answer403);
 */
export function checkAccessEarly(
  serve: ServeParsed,
  probe: string,
  askForScope: (scope: string) => Response,
): ServeParsed {
  return async (request, body) => {
    const target = isRequestBody(body) ? targetOf(body) : undefined;
    if (!isRequestBody(body) || target === undefined) return serve(request, body);
    const probed = await serve(withHeaders(request, probeHeaders(request, probe)), probeOf(body, probe));
    if (request.signal.aborted) return probed;
    const result = messagesIn(await probed.text()).map((message) => read(message, 'result'));
    const decided = result.find((each) => each !== undefined);
    // The probe was refused for its form or its caller before a name was read. The request will be refused in the same way.
    if (decided === undefined && !REFUSED_EARLY.has(probed.status)) return undecided(body);
    const scopes = read(decided, 'scopes');
    if (Array.isArray(scopes)) return askForScope(scopes.join(' '));
    const repeated = [read(decided, 'bound') ?? []]
      .flat()
      .find((name) => TOKEN.test(String(name)) && request.headers.has(`mcp-param-${name}`));
    if (repeated !== undefined) return headerMismatch(body, String(repeated));
    // The cast is safe: only the gate of this process knows the method of the probe.
    const hidden = read(decided, 'substitute') as Substitute | undefined;
    const substitute = decided === undefined ? unknownFor(target.name) : hidden;
    if (substitute === undefined) return serve(request, body);

    // Replaced only at the place of the target, because the same text may occur elsewhere in the message.
    const params = withName(body.params ?? {}, target, substitute.name);
    const headers = new Headers(request.headers);
    if (decodeHeader(headers.get(NAME_HEADER)) === target.name) {
      headers.set(NAME_HEADER, encodeHeader(substitute.name));
    }
    return restore(await serve(withHeaders(request, headers), { ...body, params }), substitute);
  };
}

const REFUSED_EARLY: ReadonlySet<number> = new Set([400, 401, 403, 415]);

/** The gate alone handles all other bodies. */
const isRequestBody = (body: unknown): body is McpRequest => shapeOf(body) === 'request';

function withHeaders({ url, signal }: Request, headers: Headers): Request {
  return new Request(url, { method: 'POST', headers, signal });
}

/** @returns the headers of the request, which contain the caller and preferences, with the method of the probe */
function probeHeaders(request: Request, probe: string): Headers {
  const headers = new Headers(request.headers);
  headers.delete(NAME_HEADER);
  if (headers.has(METHOD_HEADER)) headers.set(METHOD_HEADER, probe);
  return headers;
}

function probeOf(checked: McpRequest, probe: string): McpRequest {
  return {
    jsonrpc: '2.0',
    id: 'probe',
    method: probe,
    params: { _meta: read(checked.params, '_meta'), request: checked },
  };
}

function unknownFor(original: string): Substitute {
  const sent = `unknown:${crypto.randomUUID()}`;
  return { name: sent, sent, original };
}

/** Fails closed: if access cannot be checked, the answer itself could reveal that a hidden name exists. */
function undecided({ id }: McpRequest): Response {
  const message = 'The access check of this request failed. Try again.';
  return Response.json({ jsonrpc: '2.0', id, error: { code: ERRORS.internal, message } }, { status: 500 });
}

/** Refuses a header that repeats an argument which the gate sets. A proxy in front of this handler has read the header already. */
function headerMismatch({ id }: McpRequest, header: string): Response {
  const message = `The header Mcp-Param-${header} repeats an argument that this endpoint sets. Leave it out.`;
  return Response.json(
    { jsonrpc: '2.0', id, error: { code: ERRORS.headerMismatch, message } },
    { status: 400 },
  );
}

/**
 * Restores the name in an answer, where it occurs as a JSON string or within longer strings. The server knows no such name, so
 * it has nothing to do before it answers, and a stream is read to its end too.
 */
async function restore(response: Response, { sent, original }: Substitute): Promise<Response> {
  const { status, statusText, headers } = response;
  const restored = (await response.text()).replaceAll(sent, () => JSON.stringify(original).slice(1, -1));
  return new Response(response.body && restored, { status, statusText, headers });
}
