import type { FetchHandler, HandlerOptions } from '../http/fetch-handler.js';
import { policyInForce } from '../protocol/request/live-policy.js';
import { errorInstead, LATE } from './substitute-responses.js';
import { inTime, type LambdaContext } from './deadline.js';
import { type HttpEvent, toHead } from './event.js';
import { handleEvents } from './buffered.js';
import { createInvocations, type Invocation, type InvocationOptions } from './invocation.js';
import { unanswered } from './answer-tracker.js';

/** What is used of the stream that Lambda's runtime gives to a streaming handler: a part of a Writable. */
export interface ResponseSink {
  write(chunk: string | Uint8Array): boolean;
  end(callback?: () => void): unknown;
  once(event: string, listener: (...values: never[]) => void): unknown;
}

/** What the runtime of Lambda, and nothing else, has as `globalThis.awslambda`. */
interface LambdaRuntime {
  streamifyResponse(
    handler: (event: HttpEvent, sink: ResponseSink, context: LambdaContext) => Promise<void>,
  ): StreamingHandler;
  readonly HttpResponseStream: { from(sink: ResponseSink, head: object): ResponseSink };
}

/** The handler as the runtime wraps it; without that runtime a buffered one. */
export type StreamingHandler = (event: HttpEvent, ...more: never[]) => Promise<unknown>;

/** What tells whether claims and tokens can work. */
export interface CallerOptions
  extends Pick<HandlerOptions, 'policy'>,
    Pick<InvocationOptions, 'authorization'> {
  /** Told at the start what an operator should know; `console.warn` unless told otherwise. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** The options cannot work on a function URL. */
export class StreamingError extends Error {
  readonly code = 'STREAMING_INVALID';
  override readonly name = 'StreamingError';
}

/**
 * Looks whether a policy and a way to log in can work where nothing before the function verifies tokens.
 *
 * @param options the policy, and how hosts log in; `warn` is told what an operator should know
 * @throws {StreamingError} if tokens are asked for that nobody verifies
 */
export function checkCallers(options: CallerOptions): void {
  const { policy, authorization, warn = (message) => console.warn(message) } = options;
  if (authorization?.verifier !== undefined) return;
  if (authorization !== undefined) {
    const message =
      'A function URL verifies no tokens: give authorization.verifier, or use an HTTP API with a JWT authorizer.';
    throw new StreamingError(message);
  }
  if (policyInForce(policy).concerns.some(({ setBy }) => setBy === 'operator')) {
    warn(
      'A function URL verifies no tokens: without authorization.verifier, operator concerns have no claims.',
    );
  }
}

/** Makes a streaming Lambda handler of anything that answers HTTP requests; as `handleEvents` does a buffered one. */
export function streamEvents(handle: FetchHandler, options: InvocationOptions): StreamingHandler {
  const { awslambda } = globalThis as { awslambda?: LambdaRuntime };
  if (awslambda === undefined) return handleEvents(handle, options);
  const begin = createInvocations(handle, options);
  return awslambda.streamifyResponse(async (event, underlying, context) => {
    const invocation = begin(event, context);
    const response = await invocation.answer();
    const sink = awslambda.HttpResponseStream.from(underlying, toHead(response));
    await pipe(response, sink, invocation);
    invocation.end(response.status);
  });
}

/** Writes a response's body as it comes, and what is due in its place if it does not come in time. */
async function pipe(response: Response, sink: ResponseSink, invocation: Invocation): Promise<void> {
  // The runtime sends status and headers with the first write, and only then.
  sink.write('');
  const { signal } = invocation;
  const open = unanswered(invocation.ids, response);
  const reader = response.body?.getReader();
  const left = new Promise<never>((_, reject) => {
    sink.once('error', reject as (...values: never[]) => void);
  });
  try {
    for (;;) {
      const { done, value } = (await inTime(Promise.race([reader?.read(), left]), signal)) ?? { done: true };
      if (done) break;
      open.see(value);
      if (!sink.write(value)) {
        const drained = new Promise<void>((resolve) => sink.once('drain', resolve));
        await inTime(Promise.race([drained, left]), signal);
      }
    }
  } catch (cause) {
    invocation.fail(cause);
    await reader?.cancel(cause).catch(() => undefined);
    for (const id of open.ids())
      sink.write(`event: message\ndata: ${JSON.stringify(errorInstead(id, LATE))}\n\n`);
  }
  await Promise.race([new Promise<void>((resolve) => sink.end(resolve)), left]).catch(() => undefined);
}
