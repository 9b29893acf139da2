import type { DurableContext } from '@aws/durable-execution-sdk-js';
import { TaskCancelled } from '../author/errors.js';
import { WRITE_RETRIES } from '../execution/context.js';
import { retryDelay, type TaskOperations } from '../execution/engine.js';

/**
 * Offers the operations of a durable context. The SDK repeats a failed step six times by default, with its side effects,
 * so each operation states how often.
 *
 * @param context the context of the execution, or of one of its branches
 */
export function durableOperations(context: DurableContext): TaskOperations {
  const retry = (retries: number) => (error: Error, tries: number) => ({
    shouldRetry: tries <= retries && !(error instanceof TaskCancelled),
    delay: { seconds: retryDelay(tries) },
  });
  return {
    step: (name, retries, work) => context.step(name, work, { retryStrategy: retry(retries) }),
    wait: (name, seconds) => context.wait(name, { seconds }),
    question: (name, submit) =>
      context.waitForCallback(name, submit, { retryStrategy: retry(WRITE_RETRIES) }),
    parallel: async (name, branches) => {
      // Branches turn their errors into values, so none of them fails.
      const own = branches.map((branch) => (inner: DurableContext) => branch(durableOperations(inner)));
      const batch = await context.parallel(name, own);
      batch.throwIfError();
      return batch.getResults();
    },
  };
}
