import { setTimeout as sleep } from 'node:timers/promises';
import type { ElicitRequestFormParams } from '@modelcontextprotocol/sdk/types.js';
import { createTasks, defineTask, type TaskContext, TaskProtocolError } from '../../src/tasks/index.js';

/** Asks for one value. */
const ask = (
  ctx: TaskContext,
  key: string,
  message: string,
  properties: ElicitRequestFormParams['requestedSchema']['properties'],
) =>
  ctx.ask(key, {
    method: 'elicitation/create',
    params: { message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } },
  });

const NAME = { name: { type: 'string' } } as const;
const NO_ARGUMENTS = { type: 'object' } as const;

/** The tools of the tasks extension that the suite calls, and `greet_in_task`, which the fixture starts itself. */
const definitions = [
  defineTask({
    name: 'slow_compute',
    description: 'Runs for the given number of seconds',
    inputSchema: { type: 'object', properties: { seconds: { type: 'number' }, label: { type: 'string' } } },
    support: 'optional',
    run: async ({ seconds, label }, ctx) => {
      // The suite also asks for parts of a second.
      await ctx.step('compute', () => sleep(Number(seconds) * 1000, null, { ref: false }));
      return `Computed ${label}`;
    },
  }),
  defineTask({
    name: 'failing_job',
    description: 'Reports an error',
    inputSchema: NO_ARGUMENTS,
    run: async (_args, ctx) => {
      await ctx.step('work', () => sleep(500, null));
      return { content: [{ type: 'text', text: 'The job failed' }], isError: true };
    },
  }),
  defineTask({
    name: 'protocol_error_job',
    description: 'Breaks',
    inputSchema: NO_ARGUMENTS,
    run: () => {
      throw new TaskProtocolError(-32603, 'The job broke');
    },
  }),
  defineTask({
    name: 'confirm_delete',
    description: 'Asks once',
    inputSchema: NO_ARGUMENTS,
    run: async (_args, ctx) => {
      await ask(ctx, 'confirm', 'Delete it?', { confirm: { type: 'boolean' } });
      return 'Deleted';
    },
  }),
  defineTask({
    name: 'multi_input',
    description: 'Asks two things at once',
    inputSchema: NO_ARGUMENTS,
    run: async (_args, ctx) => {
      await ctx.all('both', [
        (branch) => ask(branch, 'first', 'What is your name?', NAME),
        (branch) => ask(branch, 'second', 'What is your name?', NAME),
      ]);
      return 'Both answered';
    },
  }),
  defineTask({
    name: 'greet_in_task',
    description: 'Greets',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } } },
    run: ({ name }) => `Hello, ${name}!`,
  }),
];

/** Makes the tasks of one endpoint. */
export const createFixtureTasks = () => createTasks({ definitions });
