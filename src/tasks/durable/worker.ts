import type { DurableExecutionInvocationInput } from '@aws/durable-execution-sdk-js';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { TaskDefinition } from '../author/definition.js';
import type { TaskInput } from '../execution/engine.js';
import { failedInternally } from '../execution/outcome.js';
import { runTask } from '../execution/run-task.js';
import type { TaskEnd, TaskRecords } from '../records/record.js';
import { endOfFailure, TaskFunctionError } from './failure.js';
import { durableOperations } from './operations.js';

/** The tasks of a worker. */
export interface TaskWorkerOptions {
  readonly definitions: readonly TaskDefinition[];
  /** The same table as that of the endpoint. */
  readonly records: TaskRecords;
  /** What the SDK of durable functions calls Lambda with. The default is its own client. */
  readonly client?: LambdaClient;
}

/** The handler of a durable function. Lambda and the SDK of durable functions define what it takes and returns. */
export type TaskWorker = (event: unknown, context: unknown) => Promise<{ readonly Status: string }>;

/**
 * Creates the handler of the Lambda function that runs tasks. Deploy it with `durableConfig`, on Node 22 or later.
 *
 * @param options the tasks, and the table of their records
 * @returns the handler. It throws a {@link TaskFunctionError} if its function is not a durable function.
 * @example
 * export const handler = createTaskWorker({ definitions: tasks, records: createDynamoRecords({ table: 'tasks' }) });
 */
export function createTaskWorker(options: TaskWorkerOptions): TaskWorker {
  const { records, client } = options;
  const definitions = new Map(options.definitions.map((definition) => [definition.name, definition]));
  return async (event, context) => {
    if (!isInvocation(event)) {
      throw new TaskFunctionError(
        'The worker of tasks was not invoked as a durable execution. Set durableConfig for its function, and start tasks through the endpoint.',
      );
    }
    const { withDurableExecution } = await import('@aws/durable-execution-sdk-js');
    let input: TaskInput | undefined;
    const handler = withDurableExecution<TaskInput, TaskEnd>(
      async (started, durable) => {
        input = started;
        const definition = definitions.get(started.tool);
        if (definition === undefined) {
          const end = failedInternally(
            `The worker has no task ${started.tool}. Deploy it with the endpoint.`,
          );
          await records.change(started.owner, started.id, { kind: 'ended', end });
          return end;
        }
        const { durableExecutionArn: execution } = durable.executionContext;
        return runTask(definition, started, { execution, operations: durableOperations(durable) }, records);
      },
      client === undefined ? {} : { client },
    );
    const output = await handler(event, context);
    // The SDK ended the execution, for example because the task is not deterministic. Clients learn it at once; if this
    // write fails, the next read of the silent task asks Lambda. A task that was cancelled stays cancelled.
    if (output.Status === 'FAILED' && input !== undefined) {
      const { owner, id } = input;
      await records
        .change(owner, id, { kind: 'ended', end: endOfFailure(output.Error) })
        .catch(() => undefined);
    }
    return output;
  };
}

function isInvocation(event: unknown): event is DurableExecutionInvocationInput {
  const members = ['DurableExecutionArn', 'CheckpointToken', 'InitialExecutionState'];
  return typeof event === 'object' && event !== null && members.every((name) => name in event);
}
