import { MAX_DEPTH } from '../../core/exact-json.js';
import { UpstreamError } from '../upstream-error.js';

/** Where an event stream has the id of an event: such a stream can be resumed. */
const EVENT_ID = /^id:/m;

/** The longest message, in bytes: it is in memory about four times while it passes. */
export const MAX_MESSAGE: number = 64 * 1024 * 1024;

export const TOO_LONG = 'it sent a message of more than 64 MiB';

/** Why a request has no answer. */
export const TOO_DEEP: string = `it sent a message of more than ${MAX_DEPTH} levels`;

/**
 * Tells when the body of a response has ended, also by an error, lets it wait, and ends it if a message is too long.
 *
 * @param response the response
 * @param ports `waits`: what must be over before more is read; `ended`: called once at the end, with whether the stream
 *   can be resumed, and why this end is not the server's
 * @returns a response with the same content
 */
export function watchBody(
  response: Response,
  ports: {
    readonly waits: () => Promise<void> | undefined;
    readonly ended: (isResumable: boolean, reason?: string) => void;
  },
): Response {
  if (response.body === null) {
    ports.ended(false);
    return response;
  }
  const reader = response.body.getReader();
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  let isResumable = false;
  const length = messageLength(isStream);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await ports.waits();
      const { done, value } = await reader.read().catch((cause) => {
        ports.ended(isResumable);
        throw cause;
      });
      if (done) {
        controller.close();
        return ports.ended(isResumable);
      }
      if (length(value) > MAX_MESSAGE) {
        controller.error(new UpstreamError(TOO_LONG, { isDelivered: true }));
        ports.ended(false, TOO_LONG);
        return reader.cancel();
      }
      isResumable ||= isStream && EVENT_ID.test(Buffer.from(value).toString('latin1'));
      controller.enqueue(value);
    },
    async cancel(reason) {
      ports.ended(isResumable);
      await reader.cancel(reason);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}

/** @returns a function that receives a body in parts, and returns how many bytes its latest message has so far */
function messageLength(isStream: boolean): (part: Uint8Array) => number {
  let [length, end] = [0, ''];
  return (part) => {
    length += part.length;
    if (!isStream) return length;
    // The empty line between two events can begin in one part and end in the next.
    const text = end + Buffer.from(part).toString('latin1');
    const last = Math.max(text.lastIndexOf('\n\n'), text.lastIndexOf('\n\r\n'), text.lastIndexOf('\r\r'));
    if (last !== -1) length = text.length - last;
    end = text.slice(-3);
    return length;
  };
}
