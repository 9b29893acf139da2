import type { FetchHandler } from '../http/fetch-handler.js';
import { beforeAbort } from '../session/before-abort.js';
import { trackAnswers } from './answer-tracker.js';
import { bufferedHandler } from './buffered.js';
import type { LambdaContext } from './deadline.js';
import type { HttpEvent } from './event.js';
import { createInvocations, type Invocation, type InvocationOptions } from './invocation.js';
import type { RestEvent } from './read-event.js';
import { toHead } from './result.js';
import { LATE, substituteError } from './substitute-responses.js';

/** The part of a `Writable` that is used of the stream that the runtime of Lambda passes to a streaming handler. */
interface ResponseSink {
  write(chunk: string | Uint8Array): boolean;
  end(callback?: () => void): unknown;
  once(event: 'drain', listener: () => void): unknown;
  once(event: 'error', listener: (cause: Error) => void): unknown;
}

/** The global `awslambda`, which exists only in the runtime of Lambda. */
interface LambdaRuntime {
  streamifyResponse(
    handler: (event: HttpEvent | RestEvent, sink: ResponseSink, context: LambdaContext) => Promise<void>,
  ): StreamingHandler;
  readonly HttpResponseStream: { from(sink: ResponseSink, head: object): ResponseSink };
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
async function pipe(response: Response, sink: ResponseSink, invocation: Invocation): Promise<void> {
  // The runtime sends status and headers only with the first write.
  sink.write('');
  const { signal } = invocation;
  const answers = trackAnswers(invocation.ids, response);
  const reader = response.body?.getReader();
  const broken = new Promise<never>((_, reject) => {
    sink.once('error', reject);
  });
  try {
    for (;;) {
      const read = await beforeAbort(Promise.race([reader?.read(), broken]), signal);
      if (read === undefined || read.done) break;
      answers.see(read.value);
      if (!sink.write(read.value)) {
        const drained = new Promise<void>((resolve) => sink.once('drain', resolve));
        await beforeAbort(Promise.race([drained, broken]), signal);
      }
    }
  } catch (cause) {
    invocation.fail(cause);
    await reader?.cancel(cause).catch(() => undefined);
    for (const id of answers.missing()) {
      sink.write(`event: message\ndata: ${JSON.stringify(substituteError(id, LATE))}\n\n`);
    }
  }
  await Promise.race([new Promise<void>((resolve) => sink.end(resolve)), broken]).catch(() => undefined);
}
