import { once } from '../../core/once.js';
import { readExportedTasks } from '../author/exported-tasks.js';
import { TaskFunctionError } from '../durable/failure.js';
import type { Tasks } from '../port/tasks.js';

/**
 * Makes the tasks of an endpoint where its environment says. If `MCP_CONCERNS_TASKS_FUNCTION` (the ARN of an alias of the
 * worker) and `MCP_CONCERNS_TASKS_TABLE` (the table of the records) are set, tasks run as Lambda durable functions. If
 * neither is set, they run in this process. On Lambda they cannot: there, tools with `support: 'optional'` run as plain
 * calls, and others are left out. The first call about a task loads the code of either.
 *
 * @param exported the definitions: what a server module exports as `tasks`
 * @param env the environment variables; `process.env` by default
 * @returns the tasks
 * @throws {TaskDefinitionError} if `exported` is not an array of definitions
 * @throws {TaskFunctionError} if only one of the two variables is set
 * @example
 * const deployed = createDeployedTasks(tasks);
 * const server = () => withTasks(createServer(), deployed);
 */
export function createDeployedTasks(
  exported: unknown,
  env: Readonly<Record<string, string | undefined>> = globalThis.process?.env ?? {},
): Tasks {
  const definitions = readExportedTasks(exported, 'The server module');
  const functionArn = env.MCP_CONCERNS_TASKS_FUNCTION?.trim() ?? '';
  const table = env.MCP_CONCERNS_TASKS_TABLE?.trim() ?? '';
  if ((functionArn === '') !== (table === '')) {
    const [set, missing] = table === '' ? (['FUNCTION', 'TABLE'] as const) : (['TABLE', 'FUNCTION'] as const);
    throw new TaskFunctionError(
      `MCP_CONCERNS_TASKS_${set} is set, but MCP_CONCERNS_TASKS_${missing} is not. Set both to run tasks as Lambda durable functions, or neither to run them in this process.`,
    );
  }
  // Lambda ends a process when it likes, and the next call reaches another one: a task would be gone.
  const plain = functionArn === '' && isOnLambda(env);
  const served = plain ? definitions.filter(({ support }) => support === 'optional') : definitions;
  // Lists need only the definitions, so the first call makes the rest.
  const tasks = once(async (): Promise<Tasks> => {
    const { createTasks } = await import('../port/tasks.js');
    if (functionArn === '') return createTasks({ definitions });
    const [{ createDurableEngine }, { createDynamoRecords }] = await Promise.all([
      import('../durable/engine.js'),
      import('../dynamodb/records.js'),
    ]);
    const engine = createDurableEngine({ functionArn });
    return createTasks({ definitions, engine, records: createDynamoRecords({ table }) });
  });
  return {
    plain,
    definitions: new Map(served.map((definition) => [definition.name, definition])),
    start: async (...call) => (await tasks()).start(...call),
    read: async (...call) => (await tasks()).read(...call),
    answer: async (...call) => (await tasks()).answer(...call),
    refuse: async (...call) => (await tasks()).refuse(...call),
    cancel: async (...call) => (await tasks()).cancel(...call),
    list: async (...call) => (await tasks()).list(...call),
    markSent: async (...call) => (await tasks()).markSent(...call),
  };
}

/** The framework's emulation of Lambda is one process, which keeps tasks in its memory. */
const isOnLambda = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env.AWS_LAMBDA_FUNCTION_NAME !== undefined && env.IS_OFFLINE === undefined;
