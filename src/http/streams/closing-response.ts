import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { read, shapeOf } from '../../wire/messages.js';

/**
 * Watches which messages of a POST a transport answers. Must be called before a server sends over the transport.
 *
 * @param transport the transport of this POST alone. Its `send` is replaced.
 * @param messages the messages of the POST
 * @returns whether all requests among the messages have been answered
 */
export function watchAnswers(
  transport: Pick<Transport, 'send'>,
  messages: readonly unknown[],
): () => boolean {
  const open = new Set(
    messages.filter((each) => shapeOf(each) === 'request').map((each) => read(each, 'id')),
  );
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (shapeOf(message) === 'response') open.delete(read(message, 'id'));
  };
  return () => open.size === 0;
}

/**
 * Closes the server of a response: at once if the response is complete, else when it was read or its reader went away.
 *
 * @param response an event stream, which ends with the last answer
 * @param isAnswered whether it contains all answers
 * @param close closes the server
 * @returns the response for the client
 */
export async function closeAfter(
  response: Response,
  isAnswered: () => boolean,
  close: () => Promise<void>,
): Promise<Response> {
  // Tools that wait for nothing answer within 11 microtasks. A second stream around that of the SDK would take 40 us.
  for (let turn = 0; turn < 32 && !isAnswered(); turn++) await undefined;
  if (!isAnswered() && response.body !== null) return closingAtEnd(response, response.body, close);
  // The response neither waits for the closing nor fails with it.
  afterMicrotasks()
    .then(close)
    .catch(() => undefined);
  return response;
}

/**
 * The server learns some microtasks after the reader that its answer was sent. Closed before, it aborts the request that it
 * just answered: its handler gets a signal that tells it to stop, and making the error takes 35 us. A timer would take a
 * millisecond.
 */
async function afterMicrotasks(): Promise<void> {
  for (let turn = 0; turn < 16; turn++) await undefined;
}

function closingAtEnd(
  { status, headers }: Response,
  stream: ReadableStream<Uint8Array>,
  close: () => Promise<void>,
): Response {
  const reader = stream.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      controller.close();
      await afterMicrotasks();
      await close();
    },
    async cancel(reason) {
      await reader.cancel(reason);
      await close();
    },
  });
  return new Response(body, { status, headers });
}
