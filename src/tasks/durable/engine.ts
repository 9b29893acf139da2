import type { LambdaClient } from '@aws-sdk/client-lambda';
import { lazyClient } from '../../core/session/lazy-client.js';
import { inputOf, type TaskEngine } from '../execution/engine.js';
import { failedInternally } from '../execution/outcome.js';
import type { TaskEnd } from '../records/record.js';
import { endOfFailure, TaskEngineError, TaskFunctionError } from './failure.js';

/** Where the tasks run. */
export interface DurableEngineOptions {
  /** The ARN of a version or an alias of the worker's function. Running tasks stay on the version that started them. */
  readonly functionArn: string;
  /** The AWS client. The default one has short timeouts, four attempts, and the region of the environment. */
  readonly client?: Pick<LambdaClient, 'send'>;
}

const QUALIFIED = /^arn:[\w-]+:lambda:[\w-]+:\d{12}:function:[\w-]+:(?!\$LATEST$)[\w-]+$/;

/**
 * Runs tasks as executions of AWS Lambda durable functions. The function of this engine only starts, answers and stops
 * executions; the work runs in another function, the worker.
 *
 * @param options the worker's function
 * @returns the engine. Its promises reject with a {@link TaskEngineError}.
 * @throws {TaskFunctionError} if `functionArn` does not name a version or an alias
 * @example
 * const engine = createDurableEngine({ functionArn: process.env.MCP_CONCERNS_TASKS_FUNCTION ?? '' });
 */
export function createDurableEngine(options: DurableEngineOptions): TaskEngine {
  const { functionArn } = options;
  if (!QUALIFIED.test(functionArn)) {
    throw new TaskFunctionError(
      `${JSON.stringify(functionArn)} does not name a version or an alias of a Lambda function. New code under a running task would break it: use an ARN such as arn:aws:lambda:eu-central-1:123456789012:function:tasks:durable.`,
    );
  }
  const load = lazyClient(options.client, () => import('./lambda-client.js'));

  return {
    start: (record) =>
      named('start a task', async () => {
        const { client, InvokeCommand } = await load();
        // With the same name and the same payload, Lambda returns the execution that there is.
        const command = new InvokeCommand({
          FunctionName: functionArn,
          InvocationType: 'Event',
          DurableExecutionName: record.id,
          Payload: JSON.stringify(inputOf(record)),
        });
        await client.send(command);
      }),

    answer: (_record, token, answer) =>
      named('answer a task', async () => {
        const { client, SendDurableExecutionCallbackSuccessCommand } = await load();
        const Result = new TextEncoder().encode(JSON.stringify(answer));
        const command = new SendDurableExecutionCallbackSuccessCommand({ CallbackId: token, Result });
        try {
          await client.send(command);
        } catch (error) {
          // The question is answered already, or its task has ended.
          if (!(error instanceof Error && error.name === 'CallbackTimeoutException')) throw error;
        }
      }),

    stop: (record) =>
      named('stop a task', async () => {
        // An execution that has not begun finds its record ended, and ends itself.
        if (record.execution === undefined) return;
        const { client, StopDurableExecutionCommand } = await load();
        const reason = { ErrorType: 'TaskCancelled', ErrorMessage: 'The caller cancelled the task.' };
        await client.send(
          new StopDurableExecutionCommand({ DurableExecutionArn: record.execution, Error: reason }),
        );
      }),

    outcome: (record) =>
      named('read a task', async () => {
        // Events may wait in Lambda's queue for hours, so a task that has not begun has not failed.
        if (record.execution === undefined) return undefined;
        const { client, GetDurableExecutionCommand } = await load();
        const execution = await client
          .send(new GetDurableExecutionCommand({ DurableExecutionArn: record.execution }))
          .catch(unlessNotFound);
        if (execution === undefined)
          return failedInternally(
            'Lambda does not keep the result of the task any more. Call the tool again.',
          );
        switch (execution.Status) {
          case 'RUNNING':
            return undefined;
          case 'SUCCEEDED':
            return readEnd(execution.Result);
          case 'STOPPED':
            return { status: 'cancelled' };
          case 'TIMED_OUT':
            return failedInternally('The task took longer than its executionTimeout allows.');
          default:
            return endOfFailure(execution.Error);
        }
      }),
  };
}

/** Lambda deletes an execution some days after its end: `retentionPeriodInDays`. */
function unlessNotFound(error: unknown): undefined {
  if (!(error instanceof Error && error.name === 'ResourceNotFoundException')) throw error;
}

/** Reads what the worker returned. */
function readEnd(text: string | undefined): TaskEnd {
  try {
    const end: TaskEnd = JSON.parse(text ?? '');
    if (typeof end?.status === 'string') return end;
  } catch {
    // Not the result of a worker.
  }
  return failedInternally('The result of the task cannot be read. Call the tool again.');
}

async function named<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    const name = cause instanceof Error ? cause.name : String(cause);
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    throw new TaskEngineError(
      missing
        ? 'Durable tasks need the package @aws-sdk/client-lambda. Run "npm install @aws-sdk/client-lambda".'
        : `Lambda could not ${what} (${name}). Check the ARN of the function and the permissions of this process.`,
      { cause },
    );
  }
}
