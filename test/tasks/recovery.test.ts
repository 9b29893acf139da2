import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing';
import { StopDurableExecutionCommand } from '@aws-sdk/client-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ownerOf } from '../../src/core/session/task-owner.js';
import {
  createDurableEngine,
  createTaskWorker,
  TaskEngineError,
  TaskFunctionError,
} from '../../src/tasks/durable/index.js';
import {
  createEmbeddedEngine,
  createMemoryRecords,
  createTasks,
  type TaskEnd,
  type TaskEngine,
} from '../../src/tasks/index.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { definitions } from './demo-tasks.js';
import { newRecord } from './records-suite.js';
import {
  ANN,
  FUNCTION_ARN,
  lambdaClient,
  openWorld,
  started,
  until,
  untilEnd,
  type World,
} from './worlds.js';

let dynamo: LocalDynamo;
let world: World;
beforeAll(async () => {
  dynamo = await startDynamo();
  world = await openWorld({ records: 'memory', engine: 'durable' }, definitions, dynamo);
});
afterAll(async () => {
  await world.close();
  await dynamo.close();
});
afterEach(() => vi.restoreAllMocks());

/** Runs a call as if the clock were ahead. */
async function ahead<T>(seconds: number, call: () => Promise<T>): Promise<T> {
  const now = Date.now.bind(Date);
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
  try {
    return await call();
  } finally {
    spy.mockRestore();
  }
}

/** An end that is too large for a record. */
const LARGE: TaskEnd = {
  status: 'completed',
  result: { content: [{ type: 'text', text: 'x'.repeat(200_000) }] },
};

const broken: TaskEngine = {
  start: () => Promise.reject(new Error('no network')),
  answer: () => Promise.reject(new Error('no network')),
  stop: () => Promise.reject(new Error('no network')),
  outcome: () => Promise.reject(new Error('no network')),
};

describe('an engine that cannot be reached', () => {
  it('ends a task that could not be started', async () => {
    const records = createMemoryRecords();
    const tasks = createTasks({ definitions, records, engine: broken });
    const start = await tasks.start(ANN, 'quick', {});
    expect(start).toMatchObject({ ok: false, reason: 'not-started', cause: { message: 'no network' } });
    const query = { orderBy: 'createdAt', ascending: true, limit: 5 } as const;
    expect(await tasks.list(ANN, query)).toMatchObject({ tasks: [{ tool: 'quick', status: 'failed' }] });
  });

  it('keeps a question whose answer could not be given, so that it can be given again', async () => {
    const { id } = await started(world.tasks, 'ask');
    await until(world.tasks, id, ({ waits }) => waits === 1);
    const offline = createTasks({ definitions, records: world.records, engine: broken });
    const answer = { name: { action: 'accept', content: { name: 'Ann' } } };
    await expect(offline.answer(ANN, id, answer)).rejects.toThrow('no network');
    expect(await world.tasks.read(ANN, id)).toMatchObject({ waits: 1 });
    await world.tasks.answer(ANN, id, answer);
    expect(await untilEnd(world.tasks, id)).toMatchObject({ status: 'completed' });
  });

  it('cancels a task all the same', async () => {
    const { id } = await started(world.tasks, 'ask');
    const offline = createTasks({ definitions, records: world.records, engine: broken });
    expect(await offline.cancel(ANN, id)).toMatchObject({ cancelled: true });
    expect(await world.tasks.read(ANN, id)).toMatchObject({ status: 'cancelled' });
  });

  it('rejects with an error that names what failed', async () => {
    const client = lambdaClient('http://127.0.0.1:9');
    const engine = createDurableEngine({ functionArn: FUNCTION_ARN, client });
    const error = await engine.start(newRecord()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskEngineError);
    expect(error).toMatchObject({
      code: 'TASK_ENGINE_FAILED',
      message: expect.stringContaining('Lambda could not start a task'),
      cause: expect.any(Error),
    });
  });
});

describe('a silent task', () => {
  it('is started again by a read if it never began', async () => {
    const record = newRecord({
      owner: '',
      tool: 'quick',
      args: '{"text":"again"}',
      updatedAt: Date.now() - 61_000,
    });
    const owned = { ...record, owner: ownerOf(ANN, record.id) };
    await world.records.create(owned);
    expect(await world.tasks.read(ANN, record.id)).toMatchObject({ status: 'open' });
    expect((await untilEnd(world.tasks, record.id)).end).toMatchObject({
      result: { content: [{ text: 'quick again' }] },
    });
  });

  it('is cancelled if its execution was stopped from outside, and Lambda is asked once', async () => {
    const { id } = await started(world.tasks, 'ask');
    const { execution } = await until(world.tasks, id, ({ waits }) => waits === 1);
    const counts = world.lambda?.executions.counts ?? { reads: Number.NaN };
    const before = counts.reads;
    const client = lambdaClient(world.lambda?.endpoint ?? '');
    await client.send(new StopDurableExecutionCommand({ DurableExecutionArn: execution }));
    expect(await world.tasks.read(ANN, id)).toMatchObject({ status: 'open' });
    expect(counts.reads).toBe(before);
    expect(await ahead(31, () => world.tasks.read(ANN, id))).toMatchObject({ status: 'cancelled' });
    expect(await ahead(31, () => world.tasks.read(ANN, id))).toMatchObject({ status: 'cancelled' });
    expect(counts.reads).toBe(before + 1);
  });

  it('stays open while its execution runs', async () => {
    const { id } = await started(world.tasks, 'ask');
    await until(world.tasks, id, ({ waits }) => waits === 1);
    expect(await ahead(3600, () => world.tasks.read(ANN, id))).toMatchObject({ status: 'open', waits: 1 });
  });

  it('has failed if its process has ended', async () => {
    const records = createMemoryRecords();
    const engine = () => createEmbeddedEngine({ definitions, records });
    const first = createTasks({ definitions, records, engine: engine() });
    const { id } = await started(first, 'ask');
    await until(first, id, ({ waits }) => waits === 1);
    const second = createTasks({ definitions, records, engine: engine() });
    expect(await second.read(ANN, id)).toMatchObject({ status: 'open' });
    expect((await ahead(31, () => second.read(ANN, id)))?.end).toMatchObject({
      status: 'failed',
      error: { code: -32603, message: 'The process that ran the task has ended. Call the tool again.' },
    });
  });

  it('says that a large result is gone if its engine does not have it any more', async () => {
    const record = newRecord({
      execution: 'arn:aws:lambda:eu-central-1:123456789012:function:tasks:durable/gone',
    });
    const owned = { ...record, owner: ownerOf(ANN, record.id) };
    await world.records.create(owned);
    await world.records.change(owned.owner, owned.id, { kind: 'ended', end: LARGE });
    expect((await world.tasks.read(ANN, owned.id))?.end).toMatchObject({
      status: 'failed',
      error: {
        code: -32603,
        message: expect.stringContaining('does not keep the result of the task any more'),
      },
    });
  });
});

describe('a large result', () => {
  it('has not finished the task until the engine has the result too', async () => {
    const records = createMemoryRecords();
    let outcome: TaskEnd | undefined;
    const engine: TaskEngine = { ...broken, start: async () => {}, outcome: async () => outcome };
    const tasks = createTasks({ definitions, records, engine });
    const { owner, id } = await started(tasks, 'large');
    await records.change(owner, id, { kind: 'ended', end: LARGE });
    const early = await tasks.read(ANN, id);
    expect(early).toMatchObject({ status: 'open', waits: 0 });
    expect(early?.end).toBeUndefined();
    outcome = LARGE;
    expect(await tasks.read(ANN, id)).toMatchObject({ status: 'completed', end: LARGE });
  });
});

describe('the durable engine and its worker', () => {
  it.each([
    '',
    'tasks',
    'arn:aws:lambda:eu-central-1:123456789012:function:tasks',
    `${FUNCTION_ARN.replace('durable', '$LATEST')}`,
  ])('refuse the function %s, whose code can change under a task', (functionArn) => {
    expect(() => createDurableEngine({ functionArn })).toThrow(TaskFunctionError);
  });

  it('explain an invocation that is not durable', async () => {
    const worker = createTaskWorker({ definitions, records: createMemoryRecords() });
    for (const event of [{}, undefined, { body: 'x' }]) {
      await expect(worker(event, {})).rejects.toMatchObject({
        code: 'TASK_FUNCTION_INVALID',
        message: expect.stringContaining('Set durableConfig'),
      });
    }
  });

  it('end a task that the worker does not have', async () => {
    const record = newRecord({ tool: 'unknown' });
    const owned = { ...record, owner: ownerOf(ANN, record.id) };
    await world.records.create(owned);
    await createDurableEngine({
      functionArn: FUNCTION_ARN,
      client: lambdaClient(world.lambda?.endpoint ?? ''),
    }).start(owned);
    expect((await untilEnd(world.tasks, record.id)).end).toMatchObject({
      error: { message: 'The worker has no task unknown. Deploy it with the endpoint.' },
    });
  });
});

describe('the worker in the test runner of the SDK', () => {
  beforeAll(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }));
  afterAll(() => LocalDurableTestRunner.teardownTestEnvironment());

  it('runs a task with a question to its end', async () => {
    const records = createMemoryRecords();
    const record = newRecord({ tool: 'ask' });
    await records.create(record);
    const worker = createTaskWorker({ definitions, records });
    const runner = new LocalDurableTestRunner({ handlerFunction: worker as never });
    const { owner, id, tool, args } = record;
    const asked = runner.getOperation('name');
    const run = runner.run({ payload: { owner, id, tool, args } });
    await asked.waitForData();
    await expect.poll(async () => (await records.get(owner, id))?.waits).toBe(1);
    await asked.sendCallbackSuccess(
      JSON.stringify({ answer: { action: 'accept', content: { name: 'Ann' } } }),
    );
    const result = await run;
    expect(result.getStatus()).toBe('SUCCEEDED');
    expect((await records.get(owner, id))?.end).toMatchObject({
      result: { content: [{ text: 'accept Ann' }] },
    });
  });
});
