import { ERRORS, type Request as JsonRpcRequest, METHODS, REACHES, read } from '../protocol/wire.js';

type Fetch = (request: Request) => Promise<Response>;

const GUARDED: ReadonlySet<unknown> = new Set([...Object.values(REACHES), METHODS.listen]);
const NAME_HEADER = 'mcp-name';
const METHOD_HEADER = 'mcp-method';

/**
 * Guards a handler that answers some requests before any transport, as `createMcpHandler` of SDK v2 does: headers that
 * repeat a parameter, scope challenges, subscriptions. There the gate never sees the request, and the answer would tell
 * that a hidden name exists. So the gate is asked first, and a hidden name is replaced by one that does not exist; in
 * the answer it is put back.
 *
 * @param fetch the handler, whose servers have a gate that knows `probe`
 * @param probe the method under which that gate answers what is hidden
 * @returns a handler in front of it
 * @example
 * const guarded = guardFetch((request) => handler.fetch(request), probe);
 */
export function guardFetch(fetch: Fetch, probe: string): Fetch {
  return async (request) => {
    if (request.method !== 'POST') return fetch(request);
    const text = await request.text();
    const again = (body: string, headers = new Headers(request.headers)) =>
      new Request(request.url, { method: 'POST', headers, body, signal: request.signal });
    const reach = guardedRequest(text);
    if (reach === undefined) return fetch(again(text));

    // Modern endpoints answer 404 for a method that the server does not have; the gate has to ask before it knows.
    const answered = async (asked: Request): Promise<Response> => withNotFound(await fetch(asked));
    const hidden = await ask(fetch, (body) => again(body, probeHeaders(request, probe)), reach, probe);
    if (hidden === undefined) return unanswered(reach);
    if (hidden.length === 0) return answered(again(text));
    const substitutes = hidden.map((name) => ({ name, sent: substituteFor(name) }));
    const headers = new Headers(request.headers);
    const header = headers.get(NAME_HEADER);
    const replaced = substitutes.find(({ name }) => name === header);
    if (replaced !== undefined) headers.set(NAME_HEADER, replaced.sent);
    // In the parsed request: a text can be written in many ways.
    const body = JSON.stringify(
      replaceTexts(reach, new Map(substitutes.map(({ name, sent }) => [name, sent]))),
    );
    return putBack(await answered(again(body, headers)), substitutes);
  };
}

async function withNotFound(response: Response): Promise<Response> {
  const json = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!json || response.status !== 200) return response;
  const text = await response.text();
  const status = read(JSON.parse(text), 'error', 'code') === ERRORS.methodNotFound ? 404 : 200;
  return new Response(text, { status, headers: response.headers });
}

/** What nobody can judge is not let through: the answer itself could tell that a hidden name is there. */
function unanswered({ id }: JsonRpcRequest): Response {
  const message = 'What this request may reach could not be judged; try again.';
  return Response.json({ jsonrpc: '2.0', id, error: { code: ERRORS.internal, message } }, { status: 500 });
}

function replaceTexts(value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return texts.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, texts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceTexts(each, texts)]));
}

interface Substitute {
  readonly name: string;
  readonly sent: string;
}

/** A URI stays one, so that it is refused for not being there and not for its form. */
function substituteFor(name: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(name)
    ? `unknown:${crypto.randomUUID()}`
    : `unknown-${crypto.randomUUID()}`;
}

/** @returns the request, if it is a single one that reaches for something; others are for the gate alone */
function guardedRequest(text: string): JsonRpcRequest | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  return GUARDED.has(read(body, 'method')) && read(body, 'id') !== undefined
    ? (body as JsonRpcRequest)
    : undefined;
}

/** The headers of the request itself: they carry who asks, the session and preferences. */
function probeHeaders(request: Request, probe: string): Headers {
  const headers = new Headers(request.headers);
  headers.delete(NAME_HEADER);
  headers.delete('content-length');
  if (headers.has(METHOD_HEADER)) headers.set(METHOD_HEADER, probe);
  return headers;
}

async function ask(
  fetch: Fetch,
  again: (body: string) => Request,
  reach: JsonRpcRequest,
  probe: string,
): Promise<readonly string[] | undefined> {
  const { _meta, ...params } = reach.params ?? {};
  const question = {
    jsonrpc: '2.0',
    id: 'probe',
    method: probe,
    params: { _meta, reach: { ...reach, params } },
  };
  const response = await fetch(again(JSON.stringify(question)));
  const hidden = hiddenIn(await response.text());
  // Refused for its form or its caller, as the request itself will be: by what comes before any name is looked at.
  return hidden ?? (REFUSED_EARLY.has(response.status) ? [] : undefined);
}

const REFUSED_EARLY: ReadonlySet<number> = new Set([400, 401, 403, 413, 415]);

/** @returns what the gate said; nothing if it did not. An answer is JSON, or an event stream with a message a line. */
function hiddenIn(text: string): readonly string[] | undefined {
  for (const line of text.split('\n')) {
    try {
      const message: unknown = JSON.parse(line.replace(/^data: ?/, ''));
      const hidden = read(message, 'result', 'hidden');
      if (Array.isArray(hidden)) return hidden;
    } catch {
      // Other lines of an event stream.
    }
  }
  return undefined;
}

/** The substitutes stand in answers as JSON texts, or inside longer ones. */
function putBack(response: Response, substitutes: readonly Substitute[]): Response {
  if (response.body === null) return response;
  const replace = (text: string): string => {
    let replaced = text;
    for (const { name, sent } of substitutes) {
      replaced = replaced.replaceAll(sent, JSON.stringify(name).slice(1, -1));
    }
    return replaced;
  };
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete('content-length');
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
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(lines)
    .pipeThrough(new TextEncoderStream());
  return new Response(body, { status, statusText, headers });
}
