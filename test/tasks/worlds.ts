import { LambdaClient } from '@aws-sdk/client-lambda';
import { createDurableEngine } from '../../src/tasks/durable/engine.js';
import { createTaskWorker } from '../../src/tasks/durable/worker.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import {
  createEmbeddedEngine,
  createMemoryRecords,
  createTasks,
  type TaskCaller,
  type TaskDefinition,
  type TaskRecord,
  type TaskRecords,
  type Tasks,
} from '../../src/tasks/index.js';
import { PATIENCE } from '../patience.js';
import { ACCOUNT, type LocalDynamo } from '../session/dynamo.js';
import { inProcess } from './lambda/invoke.js';
import { type FakeLambda, startFakeLambda } from './lambda/server.js';
import { createTaskTable } from './table.js';

export const FUNCTION_ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:tasks:durable';

/** How many milliseconds a second of a wait takes in tests. */
const SECOND = 2;

/** Tasks, with the ports behind them. */
export interface World {
  readonly tasks: Tasks;
  readonly records: TaskRecords;
  /** Other tasks over the same records and engine, as another process has them. */
  another(): Tasks;
  readonly lambda?: FakeLambda;
  close(): Promise<void>;
}

/** A combination of records and engine. */
export interface Combination {
  readonly records: 'memory' | 'dynamo';
  readonly engine: 'embedded' | 'durable';
}

/** Everything that is combined. */
export const COMBINATIONS: readonly Combination[] = [
  { records: 'memory', engine: 'embedded' },
  { records: 'dynamo', engine: 'embedded' },
  { records: 'memory', engine: 'durable' },
  { records: 'dynamo', engine: 'durable' },
];

/** Opens a combination. Durable functions run in this process here; `kills.test.ts` runs them in their own. */
export async function openWorld(
  combination: Combination,
  definitions: readonly TaskDefinition[],
  dynamo: LocalDynamo,
): Promise<World> {
  const records =
    combination.records === 'memory'
      ? createMemoryRecords()
      : createDynamoRecords({ table: await createTaskTable(dynamo), client: dynamo.client() });
  if (combination.engine === 'embedded') {
    const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
    const another = () => createTasks({ definitions, records, engine });
    return { tasks: another(), records, another, close: async () => {} };
  }
  const lambda = await startFakeLambda({
    second: SECOND,
    invoke: inProcess(() =>
      createTaskWorker({ definitions, records, client: lambdaClient(lambda.endpoint) }),
    ),
  });
  const another = () => {
    const engine = createDurableEngine({ functionArn: FUNCTION_ARN, client: lambdaClient(lambda.endpoint) });
    return createTasks({ definitions, records, engine });
  };
  return { tasks: another(), records, another, lambda, close: () => lambda.close() };
}

/** An AWS client for the fake. */
export function lambdaClient(endpoint: string): LambdaClient {
  return new LambdaClient({ ...ACCOUNT, endpoint, maxAttempts: 2 });
}

/** The timer of an embedded engine with compressed time. */
export function fastTimer(seconds: number, then: () => void): () => void {
  const timer = setTimeout(then, seconds * SECOND);
  return () => clearTimeout(timer);
}

export const ANN: TaskCaller = { issuer: 'https://login.example', subject: 'ann' };

/** Starts a task that must start. */
export async function started(
  tasks: Tasks,
  tool: string,
  args: unknown = {},
  caller = ANN,
): Promise<TaskRecord> {
  const start = await tasks.start(caller, tool, args);
  if (!start.ok) throw new Error(start.message, { cause: start.cause });
  return start.record;
}

/** Reads a task until its record satisfies a condition. */
export async function until(
  tasks: Tasks,
  id: string,
  condition: (record: TaskRecord) => boolean,
  caller = ANN,
): Promise<TaskRecord> {
  const giveUp = performance.now() + PATIENCE.wait;
  for (;;) {
    const record = await tasks.read(caller, id);
    if (record === undefined) throw new Error(`Task ${id} is gone.`);
    if (condition(record)) return record;
    if (performance.now() > giveUp) throw new Error(`Waited in vain: ${JSON.stringify(record)}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

/** Reads a task until it ends. */
export function untilEnd(tasks: Tasks, id: string, caller = ANN): Promise<TaskRecord> {
  return until(tasks, id, ({ status }) => status !== 'open', caller);
}
