import { targetsOf } from '../gate/enforce/targets.js';
import { ROUTES } from '../gate/table/routes.js';
import { ERRORS, type Request as McpRequest, read } from '../wire/messages.js';
import { decodeHeader, encodeHeader } from './header-value.js';
import { messagesIn } from './streams/messages-in.js';

/** Answers a request whose body was already read and parsed. */
export type ServeParsed = (request: Request, body: unknown) => Promise<Response>;

const CHECKED: ReadonlySet<unknown> = new Set(
  [...ROUTES].flatMap(([method, route]) => ('names' in route ? [method] : [])),
);
const NAME_HEADER = 'mcp-name';
const METHOD_HEADER = 'mcp-method';

/**
 * Checks access in front of a handler that answers some requests before its transport, as `createMcpHandler` of SDK v2
 * does: headers that repeat a parameter, scope challenges, subscriptions. The gate does not see these requests, so their
 * answers would reveal that a hidden name exists. Therefore this handler asks the gate first. It replaces each hidden
 * name by a name that does not exist, and restores the name in the answer.
 *
 * Every request that names a primitive takes this path, so that its duration reveals nothing.
 *
 * @param serve the handler, whose servers have a gate that knows `probe`
 * @param probe the method that asks the gate which names to replace
 * @returns a handler in front of it
 * @example
 * const checked = checkAccessEarly((request, parsedBody) => handler.fetch(request, { parsedBody }), probe);
 */
export function checkAccessEarly(serve: ServeParsed, probe: string): ServeParsed {
  return async (request, body) => {
    if (!isChecked(body)) return serve(request, body);
    const targets = targetsOf(body);
    if (targets.length > MAX_TARGETS) return undecided(body);
    const probed = await serve(withHeaders(request, probeHeaders(request, probe)), probeOf(body, probe));
    if (request.signal.aborted) return probed;
    const decided = substitutesIn(await probed.text());
    // The probe was refused for its form or its caller before a name was read. The request will be refused in the same way.
    const early = decided === undefined && REFUSED_EARLY.has(probed.status);
    const substitutes = early ? substituteAll(body) : decided;
    if (substitutes === undefined) return undecided(body);
    if (substitutes.length === 0) return serve(request, body);

    // Replaced only at the place of each target, because the same text may occur elsewhere in the message.
    let params = body.params ?? {};
    const headers = new Headers(request.headers);
    const header = decodeHeader(headers.get(NAME_HEADER));
    for (const { index, name } of substitutes) {
      const target = targets[index];
      if (target === undefined) continue;
      params = target.withName(params, name);
      if (target.name === header) headers.set(NAME_HEADER, encodeHeader(name));
    }
    return restore(await serve(withHeaders(request, headers), { ...body, params }), substitutes);
  };
}

/** The most URIs of one subscription. Checking a body of 4 MiB full of them would take minutes. */
const MAX_TARGETS = 1000;

const REFUSED_EARLY: ReadonlySet<number> = new Set([400, 401, 403, 415]);

/** @returns whether the body is one request that can name a primitive; the gate alone handles all other bodies */
function isChecked(body: unknown): body is McpRequest {
  return CHECKED.has(read(body, 'method')) && read(body, 'id') !== undefined;
}

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

/** A replacement that the gate decided: `name` replaces the target; in the answer, `sent` is replaced by `original`. */
interface SubstituteAt {
  readonly index: number;
  readonly name: string;
  readonly sent: string;
  readonly original: string;
}

/** @returns the replacements in an answer, which is JSON or an event stream; `undefined` if it contains none */
function substitutesIn(text: string): readonly SubstituteAt[] | undefined {
  return messagesIn(text)
    .map((message) => read(message, 'result', 'substitutes'))
    .find(Array.isArray);
}

function substituteAll(checked: McpRequest): readonly SubstituteAt[] {
  return targetsOf(checked).map(({ name }, index) => {
    const sent = `unknown:${crypto.randomUUID()}`;
    return { index, name: sent, sent, original: name };
  });
}

/** Fails closed: if access cannot be checked, the answer itself could reveal that a hidden name exists. */
function undecided({ id }: McpRequest): Response {
  const message = 'The access check of this request failed. Try again.';
  return Response.json({ jsonrpc: '2.0', id, error: { code: ERRORS.internal, message } }, { status: 500 });
}

/** Restores the names in an answer, where they occur as JSON strings or within longer strings. */
async function restore(response: Response, substitutes: readonly SubstituteAt[]): Promise<Response> {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const replace = (text: string): string =>
    substitutes.reduce(
      (replaced, { sent, original }) =>
        replaced.replaceAll(sent, () => JSON.stringify(original).slice(1, -1)),
      text,
    );
  const init = { status, statusText, headers };
  const streams = headers.get('content-type')?.startsWith('text/event-stream') === true;
  // A response that is not a stream must stay one text, so that an HTTP server can send its length.
  if (!streams) return new Response(replace(await response.text()), init);
  // A message ends at the end of a line, but a chunk may end anywhere.
  let rest = '';
  const lines = new TransformStream<string, string>({
    transform(chunk, controller) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) controller.enqueue(`${replace(part)}\n`);
    },
    flush: (controller) => controller.enqueue(replace(rest)),
  });
  const replaced = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream());
  return new Response(replaced, init);
}
