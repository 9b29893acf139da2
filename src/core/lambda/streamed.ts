import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { FetchHandler } from '../http/fetch-handler.js';
import { messagesIn } from '../http/streams/messages-in.js';
import { beforeAbort } from '../session/before-abort.js';
import { failure, read, shapeOf } from '../wire/messages.js';
import { bufferedHandler } from './buffered.js';
import type { LambdaContext } from './deadline.js';
import type { HttpEvent } from './event.js';
import { createInvocations, type Invocation, type InvocationOptions } from './invocation.js';
import type { RestEvent } from './read-event.js';
import { toHead } from './result.js';
import { LATE } from './substitute-responses.js';

/** The global `awslambda`, which exists only in the runtime of Lambda. */
interface LambdaRuntime {
  streamifyResponse(
    handler: (event: HttpEvent | RestEvent, sink: Writable, context: LambdaContext) => Promise<void>,
  ): StreamingHandler;
  readonly HttpResponseStream: { from(sink: Writable, head: object): Writable };
}

/** The handler as the runtime of Lambda wraps it; outside that runtime, a buffered handler. */
export type StreamingHandler = (event: HttpEvent | RestEvent, ...more: never[]) => Promise<unknown>;

/**
 * Makes a Lambda handler that sends each response while the server produces it.
 *
 * @param handle answers HTTP requests
 * @param options who may call, and the log
 * @returns the handler of the function; a buffered one outside the runtime of Lambda
 */
export function streamingHandler(handle: FetchHandler, options: InvocationOptions): StreamingHandler {
  const { awslambda } = globalThis as { awslambda?: LambdaRuntime };
  if (awslambda === undefined) return bufferedHandler(handle, options);
  const begin = createInvocations(handle, options);
  return awslambda.streamifyResponse(async (event, underlying, context) => {
    const invocation = begin(event, context);
    const response = await invocation.answer();
    const sink = awslambda.HttpResponseStream.from(underlying, toHead(response, invocation.event));
    await pipe(response, sink, invocation);
    invocation.end(response.status);
  });
}

/** Writes the body of a response as it arrives. After the deadline, writes an error for each request without an answer. */
async function pipe(response: Response, sink: Writable, invocation: Invocation): Promise<void> {
  // The runtime sends status and headers only with the first write.
  sink.write('');
  const { signal } = invocation;
  // An error event does not fit into bodies of other types.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const ids = isStream ? invocation.ids() : [];
  const answered = new Set<unknown>();
  const reader = response.body?.getReader();
  const broken = new Promise<never>((_, reject) => {
    sink.once('error', reject);
  });
  try {
    for (;;) {
      const { done = true, value } =
        (await beforeAbort(Promise.race([reader?.read(), broken]), signal)) ?? {};
      if (done) break;
      // The SDK writes one event per chunk, and ends the stream with the last answer. So only what comes before has to be read.
      const events = answered.size < ids.length - 1 ? messagesIn(Buffer.from(value).toString()) : [];
      for (const event of events) if (shapeOf(event) === 'response') answered.add(read(event, 'id'));
      if (!sink.write(value)) await beforeAbort(once(sink, 'drain'), signal);
    }
  } catch (cause) {
    invocation.fail(cause);
    await reader?.cancel(cause).catch(() => undefined);
    for (const id of ids.filter((each) => !answered.has(each))) {
      sink.write(`event: message\ndata: ${JSON.stringify(failure(id, LATE.code, LATE.message))}\n\n`);
    }
  }
  await Promise.race([new Promise<void>((resolve) => sink.end(resolve)), broken]).catch(() => undefined);
}
