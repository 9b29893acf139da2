import { readFileSync } from 'node:fs';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, expect, it } from 'vitest';
import { createDurableEngine } from '../../src/tasks/durable/engine.js';
import { createTaskWorker } from '../../src/tasks/durable/worker.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import { createTasks, defineTask } from '../../src/tasks/index.js';
import { startDynamo } from '../session/dynamo.js';
import { inProcess } from './lambda/invoke.js';
import { startFakeLambda } from './lambda/server.js';
import { createTaskTable } from './table.js';
import { ANN, FUNCTION_ARN, lambdaClient, started } from './worlds.js';

/** The task of the guide: one step with a message, one sleep, one question. */
const report = defineTask({
  name: 'report',
  inputSchema: { type: 'object' },
  run: async (_args, ctx) => {
    const rows = await ctx.step('collect', async ({ progress }) => {
      await progress('1 of 2: collecting');
      return ['a row'];
    });
    await ctx.sleep('cool down', 60);
    const signer = await ctx.ask('signer', {
      method: 'elicitation/create',
      params: {
        message: 'Who signs?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      },
    });
    return `${rows.length} rows, signed by ${signer.content?.name}`;
  },
});

/** A loaded machine takes seconds. */

const open: { close(): Promise<unknown> }[] = [];
afterAll(() => Promise.all(open.map((each) => each.close())));

it('costs what the guide says', async () => {
  const dynamo = await startDynamo();
  open.push(dynamo);
  const table = await createTaskTable(dynamo);
  const counts = new Map<string, number>();
  const add = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  /** Counts the calls of a client under the name of who makes them. */
  const counting = (who: string): Pick<DynamoDBClient, 'send'> => {
    const client = dynamo.client();
    return new Proxy(client, {
      get(target, member) {
        if (member !== 'send') return Reflect.get(target, member);
        return (command: object, options: object) => {
          add(`${who} ${command.constructor.name.replace('Command', '')}`);
          return Reflect.apply(target.send, target, [command, options]);
        };
      },
    });
  };
  const lambda = await startFakeLambda({
    second: 2,
    invoke: inProcess(() =>
      createTaskWorker({
        definitions: [report],
        records: createDynamoRecords({ table, client: counting('worker') }),
        client: lambdaClient(lambda.endpoint),
      }),
    ),
  });
  open.push(lambda);
  const tasks = createTasks({
    definitions: [report],
    records: createDynamoRecords({ table, client: counting('endpoint') }),
    engine: createDurableEngine({ functionArn: FUNCTION_ARN, client: lambdaClient(lambda.endpoint) }),
  });

  const { id, owner } = await started(tasks, 'report');
  // Looks at the table directly, so that polls are not counted.
  const looking = createDynamoRecords({ table, client: dynamo.client() });
  await expect.poll(async () => (await looking.get(owner, id))?.waits).toBe(1);
  counts.delete('endpoint GetItem');
  await tasks.answer(ANN, id, { signer: { action: 'accept', content: { name: 'Ann' } } });
  const answering = counts.get('endpoint GetItem');
  await expect.poll(async () => (await looking.get(owner, id))?.status).toBe('completed');
  counts.delete('endpoint GetItem');
  await tasks.read(ANN, id);

  const { invocations, updates, reads } = lambda.executions.counts;
  const [execution] = [lambda.executions.find(id)];
  // The execution itself is the first operation, and is not billed.
  const operations = (execution?.operations.size ?? 0) - 1;
  const rows = [
    `| durable operations | ${operations}, with ${updates} updates of their state |`,
    `| invocations of the worker | ${invocations} |`,
    `| writes of the worker (UpdateItem) | ${counts.get('worker UpdateItem')} |`,
    `| reads of the worker (GetItem) | ${counts.get('worker GetItem') ?? 0} |`,
    `| to start it | ${counts.get('endpoint PutItem')} PutItem, 1 Invoke |`,
    `| to answer the question | ${answering} GetItem, ${counts.get('endpoint UpdateItem')} UpdateItem, 1 callback |`,
    `| each poll | ${counts.get('endpoint GetItem')} GetItem |`,
    `| questions to Lambda while all is well (GetDurableExecution) | ${reads} |`,
  ];
  const page = readFileSync('docs/reference/tasks.md', 'utf8');
  expect(page).toContain(rows.join('\n'));
});
