import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What can go wrong with one attempt of a request, as the AWS client sees it. */
export type Fault =
  /** The request never arrives. */
  | 'timeout'
  /** It arrives and is carried out; the answer does not come back. */
  | 'lost reply'
  /** It is refused: too many. */
  | 'throttled'
  /** The service itself fails. */
  | 'server error'
  /** It takes its time. */
  | 'latency'
  | undefined;

const errors = {
  timeout: () => Object.assign(new Error('no answer'), { name: 'TimeoutError' }),
  'lost reply': () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
  throttled: () =>
    Object.assign(new Error('slow down'), {
      name: 'ThrottlingException',
      $metadata: { httpStatusCode: 400 },
    }),
  'server error': () =>
    Object.assign(new Error('oops'), { name: 'InternalServerError', $metadata: { httpStatusCode: 500 } }),
};

/** One request as the store made it: its name and input, whatever attempts it took. */
export interface Sent {
  readonly command: string;
  readonly input: Record<string, unknown>;
}

/** One attempt at a request; both numbers count from 0. */
export interface Attempt {
  readonly command: string;
  readonly request: number;
  readonly attempt: number;
}

/**
 * Makes a client fail, between its retries and the network.
 *
 * @param client the client
 * @param plan what happens to an attempt
 * @returns the requests that were made, and the attempts at them, as they come
 */
export function injectFaults(
  client: DynamoDBClient,
  plan: (attempt: Attempt) => Fault | Promise<Fault> = () => undefined,
): { readonly sent: Sent[]; readonly attempts: Attempt[] } {
  const sent: Sent[] = [];
  const attempts: Attempt[] = [];
  // The SDK gives a request one id, whatever attempts it takes.
  const requests: string[] = [];
  client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push({ command: context.commandName ?? '', input: args.input as Record<string, unknown> });
      return next(args);
    },
    { step: 'initialize', name: 'record' },
  );
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { headers } = args.request as { headers: Record<string, string> };
      const id = headers['amz-sdk-invocation-id'] ?? '';
      if (!requests.includes(id)) requests.push(id);
      const request = requests.indexOf(id);
      const earlier = attempts.filter((each) => each.request === request);
      const attempt = { command: context.commandName ?? '', request, attempt: earlier.length };
      attempts.push(attempt);
      const fault = await plan(attempt);
      if (fault === undefined) return next(args);
      if (fault === 'lost reply') await next(args);
      if (fault !== 'latency') throw errors[fault]();
      await sleep(5);
      return next(args);
    },
    // After the retries, so that they see it.
    { step: 'finalizeRequest', priority: 'low', name: 'faults' },
  );
  return { sent, attempts };
}
