import { targetsOf } from '../protocol/access/targets.js';
import { ACCESS_METHODS, ERRORS, METHODS, type Request as Reach, read } from '../protocol/messages/wire.js';
import { decodeHeader, encodeHeader } from './header-value.js';

/** Answers a request whose body was read, and parsed, before. */
export type ServeParsed = (request: Request, body: unknown) => Promise<Response>;

const GUARDED: ReadonlySet<unknown> = new Set([...Object.values(ACCESS_METHODS), METHODS.listen]);
const NAME_HEADER = 'mcp-name';
const METHOD_HEADER = 'mcp-method';

/**
 * Guards a handler that answers some requests before any transport, as `createMcpHandler` of SDK v2 does: headers that
 * repeat a parameter, scope challenges, subscriptions. There the gate never sees the request, and the answer would tell
 * that a hidden name exists. So the gate is asked first, and a hidden name is replaced by one that does not exist; in
 * the answer it is put back.
 *
 * Whatever reaches for something takes the same way, so that the time that it takes tells nothing.
 *
 * @param serve the handler, whose servers have a gate that knows `probe`
 * @param probe the method under which that gate says what is to be asked instead
 * @returns a handler in front of it
 * @example
 * const guarded = guardFetch((request, parsedBody) => handler.fetch(request, { parsedBody }), probe);
 */
export function guardFetch(serve: ServeParsed, probe: string): ServeParsed {
  return async (request, body) => {
    if (!isReach(body)) return serve(request, body);
    const targets = targetsOf(body);
    if (targets.length > MAX_TARGETS) return unanswered(body);
    const answered = await serve(withHeaders(request, probeHeaders(request, probe)), questionOf(body, probe));
    if (request.signal.aborted) return answered;
    const told = substitutesIn(await answered.text());
    // Refused for its form or its caller, as the request itself will be: by what comes before any name is looked at.
    const early = told === undefined && REFUSED_EARLY.has(answered.status);
    const substitutes = early ? substituteAll(body) : told;
    if (substitutes === undefined) return unanswered(body);
    if (substitutes.length === 0) return serve(request, body);

    // In the parsed request, and there only where it is reached for: a name may be any text of a message.
    let params = body.params ?? {};
    const headers = new Headers(request.headers);
    const header = decodeHeader(headers.get(NAME_HEADER));
    for (const { index, name } of substitutes) {
      const target = targets[index];
      if (target === undefined) continue;
      params = target.withName(params, name);
      if (target.name === header) headers.set(NAME_HEADER, encodeHeader(name));
    }
    return putBack(await serve(withHeaders(request, headers), { ...body, params }), substitutes);
  };
}

/** URIs of one subscription: judging a body full of them would take minutes. */
const MAX_TARGETS = 1000;

const REFUSED_EARLY: ReadonlySet<number> = new Set([400, 401, 403, 415]);

/** A single request that reaches for something; others are for the gate alone. */
function isReach(body: unknown): body is Reach {
  return GUARDED.has(read(body, 'method')) && read(body, 'id') !== undefined;
}

function withHeaders({ url, signal }: Request, headers: Headers): Request {
  return new Request(url, { method: 'POST', headers, signal });
}

/** The headers of the request itself: they carry who asks, and preferences. */
function probeHeaders(request: Request, probe: string): Headers {
  const headers = new Headers(request.headers);
  headers.delete(NAME_HEADER);
  if (headers.has(METHOD_HEADER)) headers.set(METHOD_HEADER, probe);
  return headers;
}

function questionOf(reach: Reach, probe: string): Reach {
  return {
    jsonrpc: '2.0',
    id: 'probe',
    method: probe,
    params: { _meta: read(reach.params, '_meta'), request: reach },
  };
}

/** What is to be asked instead of a target, as the gate says; in the answer `sent` stands for `original`. */
interface SubstituteAt {
  readonly index: number;
  readonly name: string;
  readonly sent: string;
  readonly original: string;
}

/** @returns what the gate said; nothing if it did not. An answer is JSON, or an event stream with a message a line. */
function substitutesIn(text: string): readonly SubstituteAt[] | undefined {
  for (const line of text.split('\n')) {
    try {
      const substitutes = read(JSON.parse(line.replace(/^data: ?/, '')), 'result', 'substitutes');
      if (Array.isArray(substitutes)) return substitutes;
    } catch {
      // Other lines of an event stream.
    }
  }
  return undefined;
}

function substituteAll(reach: Reach): readonly SubstituteAt[] {
  return targetsOf(reach).map(({ name }, index) => {
    const sent = `unknown:${crypto.randomUUID()}`;
    return { index, name: sent, sent, original: name };
  });
}

/** What nobody can judge is not let through: the answer itself could tell that a hidden name is there. */
function unanswered({ id }: Reach): Response {
  const message = 'What this request may reach could not be judged; try again.';
  return Response.json({ jsonrpc: '2.0', id, error: { code: ERRORS.internal, message } }, { status: 500 });
}

/** The substitutes stand in answers as JSON texts, or inside longer ones. */
async function putBack(response: Response, substitutes: readonly SubstituteAt[]): Promise<Response> {
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
  // One that does not stream must not begin to: an HTTP server would tell its length no more.
  if (!streams) return new Response(replace(await response.text()), init);
  // Messages end with a line; a chunk may end anywhere.
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
