import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDurableEngine } from '../../src/tasks/durable/engine.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import { createTasks, type Tasks } from '../../src/tasks/index.js';
import { ACCOUNT, type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { injectFaults } from '../session/faults.js';
import { definitions } from './demo-tasks.js';
import { startEnvironments } from './http-endpoint.js';
import type { Crash } from './lambda/executions.js';
import { bundleWorker, inProcesses, type WorkerProgram } from './lambda/invoke.js';
import { startFakeLambda } from './lambda/server.js';
import { createTaskTable } from './table.js';
import { followLegacy, followModern, followRaw, followV1 } from './wire-clients.js';
import { startEndpoint } from './wire-endpoint.js';
import { ANN, FUNCTION_ARN, lambdaClient, started, until, untilEnd } from './worlds.js';

// Clients wait as long as they are told to; poll.test.ts tests the real intervals.
vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 200 }));

let dynamo: LocalDynamo;
let program: WorkerProgram;
beforeAll(async () => {
  [dynamo, program] = await Promise.all([startDynamo(), bundleWorker('test/tasks/worker-process.ts')]);
});
afterAll(() => Promise.all([dynamo.close(), program.remove()]));

const accept = (name: string) => ({ action: 'accept', content: { name } });

/** How often each step of the report ran, by the id of the task. */
type Effects = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** A cloud where each invocation is a process of its own. A second takes 1 millisecond. */
async function openCloud(options: {
  readonly dieInSteps: boolean;
  readonly crash?: (checkpoint: number) => Crash;
}) {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'));
  const table = await createTaskTable(dynamo);
  const lambda = await startFakeLambda({
    second: 1,
    ...(options.crash === undefined ? {} : { crash: options.crash }),
    invoke: inProcesses(program, () => ({
      TASK_TABLE: table,
      DYNAMO_ENDPOINT: dynamo.endpoint,
      LAMBDA_ENDPOINT: lambda.endpoint,
      TASK_EFFECTS: folder,
      TASK_DIE: options.dieInSteps ? 'yes' : 'no',
    })),
  });
  let requests = 0;
  const engine = () =>
    createDurableEngine({ functionArn: FUNCTION_ARN, client: lambdaClient(lambda.endpoint) });
  /** An environment of the endpoint: nothing in common with the others. The table loses every third reply. */
  const environment = (): Tasks => {
    const client = new DynamoDBClient({ ...ACCOUNT, endpoint: dynamo.endpoint, maxAttempts: 5 });
    injectFaults(client, ({ attempt }) => (attempt === 0 && requests++ % 3 === 2 ? 'lost reply' : undefined));
    return createTasks({ definitions, records: createDynamoRecords({ table, client }), engine: engine() });
  };
  const effects = async (): Promise<Effects> => {
    const counts: Record<string, Record<string, number>> = {};
    for (const line of (await readFile(join(folder, 'effects'), 'utf8')).trimEnd().split('\n')) {
      const [id = '', step = ''] = line.split(' ');
      const steps = counts[id] ?? {};
      counts[id] = { ...steps, [step]: (steps[step] ?? 0) + 1 };
    }
    return counts;
  };
  const close = async (): Promise<void> => {
    await lambda.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { environment, engine, effects, counts: lambda.executions.counts, close };
}

/** Runs the report of 20 minutes to its end. */
async function runReport(options: Parameters<typeof openCloud>[0]) {
  const cloud = await openCloud(options);
  try {
    const [one, two] = [cloud.environment(), cloud.environment()];
    const record = await started(one, 'report', { topic: 'snow' });
    // The start event is delivered again.
    await cloud.engine().start(record);
    await until(two, record.id, ({ inputs }) => inputs.author !== undefined);
    await two.answer(ANN, record.id, { author: accept('Ann') });
    await one.answer(ANN, record.id, { author: accept('Eve') });
    await until(one, record.id, ({ inputs }) => inputs.signer !== undefined);
    await one.answer(ANN, record.id, { signer: accept('Bo') });
    const ended = await untilEnd(two, record.id);
    return { ended, effects: (await cloud.effects())[record.id] ?? {}, counts: cloud.counts };
  } finally {
    await cloud.close();
  }
}

const RESULT = {
  status: 'completed',
  waits: 0,
  end: {
    status: 'completed',
    result: { content: [{ type: 'text', text: '7+11 rows on snow by Ann, signed by Bo' }] },
  },
};

// Hundreds of processes: minutes on a loaded machine.
describe('a task of 20 minutes with two questions', () => {
  let checkpoints = 0;

  it('runs each step once while no process dies', async () => {
    const { ended, effects, counts } = await runReport({ dieInSteps: false });
    checkpoints = counts.checkpoints;
    expect(ended).toMatchObject(RESULT);
    expect(effects).toEqual({ collect: 1, first: 1, second: 1, sign: 1 });
    expect(counts.deaths).toBe(0);
    // Read only for silent tasks.
    expect(counts.reads).toBe(0);
  });

  it('ends with the same result if its process dies inside every step', async () => {
    const { ended, effects, counts } = await runReport({ dieInSteps: true });
    expect(ended).toMatchObject(RESULT);
    // Four steps, each killed once. A step beside a killed one may run again too.
    expect(counts.deaths).toBe(4);
    expect(effects.collect).toBe(2);
    expect(effects.sign).toBe(2);
    for (const branch of [effects.first, effects.second]) {
      expect(branch).toBeGreaterThanOrEqual(2);
      expect(branch).toBeLessThanOrEqual(3);
    }
  });

  it.each(['before', 'after'] as const)(
    'ends with the same result if a process dies %s every checkpoint',
    async (when) => {
      // Each process dies at its second checkpoint: it makes one step of progress at most.
      let last: number | undefined;
      const crash = (checkpoint: number): Crash => {
        if (last !== undefined && checkpoint === last + 1) return undefined;
        last = checkpoint;
        return when;
      };
      const { ended, effects, counts } = await runReport({ dieInSteps: false, crash });
      expect(ended).toMatchObject(RESULT);
      expect(counts.deaths).toBeGreaterThan(checkpoints / 3);
      for (const times of Object.values(effects)) {
        expect(times).toBeGreaterThanOrEqual(1);
        expect(times).toBeLessThanOrEqual(1 + counts.deaths);
      }
    },
  );

  it('ends with the same result in four clients, if its process dies inside every step', async () => {
    const cloud = await openCloud({ dieInSteps: true });
    const endpoint = await startEndpoint(cloud.environment, () => true, { elicitation: {} });
    const environments = await startEnvironments(cloud.environment);
    try {
      const follow = [followModern, followLegacy, followRaw].map((each) => each(endpoint.url));
      const results = await Promise.all([...follow, followV1(environments.url)]);
      for (const result of results) expect(result).toContain('7+11 rows on snow by Ann, signed by Ann');
      const tasks = Object.values(await cloud.effects());
      expect(tasks).toHaveLength(4);
      expect(cloud.counts.deaths).toBe(16);
      for (const steps of tasks) {
        expect(steps).toMatchObject({ collect: 2, sign: 2 });
        expect(Math.max(...Object.values(steps))).toBeLessThanOrEqual(3);
      }
    } finally {
      await environments.close();
      await endpoint.close();
      await cloud.close();
    }
  });
});
