import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A fault of one attempt of a request, as the AWS client sees it. */
export type Fault =
  /** The request does not arrive. */
  | 'timeout'
  /** The request is executed, but its answer is lost. */
  | 'lost reply'
  /** The service rejects the request because there are too many. */
  | 'throttled'
  /** The service answers with an error. */
  | 'server error'
  /** The answer takes longer. */
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

/** One request of the store: its command and input. Retries are not included. */
export interface SentCommand {
  readonly command: string;
  readonly input: Record<string, unknown>;
}

/** One attempt of a request. Both numbers start at 0. */
export interface Attempt {
  readonly command: string;
  readonly request: number;
  readonly attempt: number;
}

/**
 * Adds faults to a client, between its retries and the network.
 *
 * @param client the client
 * @param plan returns the fault of an attempt
 * @returns the requests and their attempts, in order; both arrays grow
 */
export function injectFaults(
  client: DynamoDBClient,
  plan: (attempt: Attempt) => Fault | Promise<Fault> = () => undefined,
): { readonly sent: SentCommand[]; readonly attempts: Attempt[] } {
  const sent: SentCommand[] = [];
  const attempts: Attempt[] = [];
  // All attempts of a request have the same id.
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
    // After the retry middleware, so that it sees the faults.
    { step: 'finalizeRequest', priority: 'low', name: 'faults' },
  );
  return { sent, attempts };
}
