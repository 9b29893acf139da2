import { isTooDeep, MAX_DEPTH, parseExact } from '../exact-json.js';
import { type RequestId, read, readMessage } from '../wire/messages.js';
import { failure, HTTP_ERRORS } from './http-errors.js';

/** The longest body that is read unless an endpoint says otherwise, in bytes. Both SDKs have the same limit. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/**
 * Reads the JSON in the body of a request.
 *
 * @param request the request
 * @param given the body, if it was read before
 * @param maxBytes the longest body that is read, in bytes
 * @param parse returns the value of the text, or \`undefined\`
 * @returns the body; the error response if it is too long, incomplete, or not JSON
 */
export async function readJson(
  request: Request,
  { parsedBody }: { readonly parsedBody?: unknown } = {},
  maxBytes: number = MAX_BODY_BYTES,
  parse: (text: string) => unknown = parseJson,
): Promise<{ readonly value: unknown } | Response> {
  if (parsedBody !== undefined) return { value: parsedBody };
  let text: string | undefined;
  try {
    text = await readText(request, maxBytes);
  } catch {
    return failure(400, HTTP_ERRORS.parse, 'Parse error: the body could not be read. Send it again.');
  }
  if (text === undefined)
    return failure(413, HTTP_ERRORS.refused, `The body is longer than ${maxBytes} bytes. Send less at once.`);
  const value = parse(text);
  if (value === undefined)
    return failure(
      400,
      HTTP_ERRORS.parse,
      `Parse error: the body is not JSON, or deeper than ${MAX_DEPTH} levels.`,
    );
  return { value };
}

/** Requests of a server that holds their senders to the length that they declare. A body that was unpacked can be longer. */
export const endingAtLength: WeakSet<Request> = new WeakSet();

/**
 * Reads no more than the limit: what declares to be longer is not read, and reading ends where the limit is exceeded.
 *
 * @returns the text of the body; `undefined` if it is too long
 */
async function readText(request: Request, maxBytes: number): Promise<string | undefined> {
  const { headers, body } = request;
  const length = headers.get('content-length');
  if (Number(length) > maxBytes) return undefined;
  if (body === null) return '';
  // A stream of a Request costs 6 % of all that a call through `serve` does, so it is read only where its length is not known.
  if (length !== null && endingAtLength.has(request)) return request.text();
  const decoder = new TextDecoder();
  let [bytes, text] = [0, ''];
  // Not cancelled: the sender still gets an answer on its connection.
  for await (const chunk of body.values({ preventCancel: true })) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** @returns the value of a JSON text; `undefined` if it is not JSON, or deeper than a message may be */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * Reads a body for a server behind the endpoint: its numbers keep their text, and its messages are read as tolerantly as over
 * stdio. A message that cannot be read stays as it is, and is refused.
 */
export function parseForwarded(text: string): unknown {
  try {
    const value = parseExact(text);
    return Array.isArray(value) ? value.map(readable) : readable(value);
  } catch {
    return undefined;
  }
}

/** @returns how an endpoint reads bodies */
export const parserOf = ({
  keepsNumbers,
}: {
  readonly keepsNumbers?: boolean | undefined;
}): ((text: string) => unknown) => (keepsNumbers === true ? parseForwarded : parseJson);

function readable(value: unknown): unknown {
  const found = readMessage(value);
  return 'message' in found ? found.message : value;
}

/** @returns the ids of the requests in the JSON of a body: one message, or a batch */
export function requestIdsIn(body: unknown): RequestId[] {
  return [body].flat().flatMap((message) => {
    const id = read(message, 'method') === undefined ? undefined : read(message, 'id');
    return typeof id === 'string' || typeof id === 'number' ? [id] : [];
  });
}
