import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDurableEngine } from '../../src/tasks/durable/engine.js';
import { createTaskWorker } from '../../src/tasks/durable/worker.js';
import {
  createEmbeddedEngine,
  createMemoryRecords,
  createTasks,
  defineTask,
  type TaskContext,
  type Tasks,
} from '../../src/tasks/index.js';
import { PATIENCE } from '../patience.js';
import { sample } from '../sample.js';
import { inProcess } from './lambda/invoke.js';
import { type FakeLambda, startFakeLambda } from './lambda/server.js';
import { ANN, FUNCTION_ARN, lambdaClient, started } from './worlds.js';

/** One call of a random program. */
type Call =
  | { readonly do: 'step'; readonly value: unknown; readonly fails: boolean; readonly caught: boolean }
  | { readonly do: 'sleep' }
  | { readonly do: 'ask' }
  | { readonly do: 'progress' }
  | { readonly do: 'all'; readonly branches: readonly (readonly Call[])[] };

const leaf: fc.Arbitrary<Call> = fc.oneof(
  fc.record({
    do: fc.constant('step' as const),
    value: fc.jsonValue({ maxDepth: 2 }),
    fails: fc.boolean(),
    caught: fc.boolean(),
  }),
  fc.constant({ do: 'sleep' as const }),
  fc.constant({ do: 'ask' as const }),
  fc.constant({ do: 'progress' as const }),
);
const program: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: leaf },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('all' as const),
        branches: fc.array(fc.array(leaf, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      }),
    },
  ),
  { maxLength: 6 },
);

const form = (message: string) => ({
  method: 'elicitation/create' as const,
  params: { message, requestedSchema: { type: 'object' as const, properties: {} } },
});

/** Runs a program over a context. Its trace is what the program saw. */
async function perform(calls: readonly Call[], ctx: TaskContext, place: string): Promise<unknown[]> {
  const trace: unknown[] = [];
  for (const [index, call] of calls.entries()) {
    const name = `${place}${index}`;
    if (call.do === 'step') {
      try {
        const work = () => {
          if (call.fails) throw new RangeError(`failure of ${name}`);
          return call.value;
        };
        trace.push(await ctx.step(name, work));
      } catch (error) {
        if (!call.caught) throw error;
        trace.push(error instanceof Error ? `${error.name} ${error.message}` : error);
      }
    } else if (call.do === 'sleep') await ctx.sleep(name, 30);
    else if (call.do === 'ask') trace.push(await ctx.ask(`q${name}`, form(name)));
    else if (call.do === 'progress') await ctx.progress(name);
    else {
      trace.push(
        await ctx.all(
          name,
          call.branches.map(
            (branch, each) => (inner: TaskContext) => perform(branch, inner, `${name}.${each}.`),
          ),
        ),
      );
    }
  }
  return trace;
}

/** The oracle: the program without an engine. */
const plain = (id: string): TaskContext => ({
  taskId: id,
  async step(name, work) {
    try {
      return structuredClone(await work({ progress: async () => {} }));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw Object.assign(new Error(`Step "${name}" failed: ${message}`), { name: 'TaskStepError' });
    }
  },
  async sleep() {},
  async progress() {},
  ask: async (key) => JSON.parse(JSON.stringify({ action: 'accept', content: { key } })),
  async all(_name, branches) {
    const outcomes = await Promise.allSettled(branches.map((branch) => branch(plain(id))));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        throw Object.assign(outcome.reason, { name: 'TaskStepError' });
      }
    }
    return JSON.parse(JSON.stringify(outcomes.map((outcome) => 'value' in outcome && outcome.value)));
  },
});

async function expected(calls: readonly Call[]): Promise<unknown> {
  try {
    const trace = await perform(calls, plain('oracle'), '');
    return { status: 'completed', result: { content: [{ type: 'text', text: JSON.stringify(trace) }] } };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { status: 'tool_error', result: { content: [{ type: 'text', text }], isError: true } };
  }
}

const definitions = [
  defineTask({
    name: 'program',
    inputSchema: { type: 'object' },
    run: async ({ calls }, ctx) => {
      const program: readonly Call[] = JSON.parse(String(calls));
      return JSON.stringify(await perform(program, ctx, ''));
    },
  }),
];

/** Runs a program to its end and answers each of its questions. Returns the end, and the keys that were asked. */
async function run(tasks: Tasks, calls: readonly Call[]) {
  const { id } = await started(tasks, 'program', { calls: JSON.stringify(calls) });
  const asked = new Set<string>();
  const giveUp = performance.now() + PATIENCE.wait;
  for (;;) {
    const record = await tasks.read(ANN, id);
    if (record === undefined) throw new Error('The task is gone.');
    if (record.status !== 'open') return { end: record.end, asked: [...asked].sort(), waits: record.waits };
    for (const key of Object.keys(record.inputs)) {
      asked.add(key);
      await tasks.answer(ANN, id, { [key]: { action: 'accept', content: { key } } });
    }
    if (performance.now() > giveUp) throw new Error(`Waited in vain: ${JSON.stringify(record)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('random programs', () => {
  let lambda: FakeLambda;
  let durable: Tasks;
  const embedded = createTasks({
    definitions,
    ...(() => {
      const records = createMemoryRecords();
      const timer = (_seconds: number, then: () => void) => {
        const handle = setImmediate(then);
        return () => clearImmediate(handle);
      };
      return { records, engine: createEmbeddedEngine({ definitions, records, timer }) };
    })(),
  });
  beforeAll(async () => {
    const records = createMemoryRecords();
    lambda = await startFakeLambda({
      second: 1,
      invoke: inProcess(() =>
        createTaskWorker({ definitions, records, client: lambdaClient(lambda.endpoint) }),
      ),
    });
    const engine = createDurableEngine({ functionArn: FUNCTION_ARN, client: lambdaClient(lambda.endpoint) });
    durable = createTasks({ definitions, records, engine });
  });
  afterAll(() => lambda.close());

  it('end embedded as they end without an engine', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (calls) => {
        const { end, waits } = await run(embedded, calls);
        expect(end).toEqual(await expected(calls));
        if (end?.status === 'completed') expect(waits).toBe(0);
      }),
      { numRuns: sample(200) },
    );
  });

  it('end alike, with the same questions, embedded and durable', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (calls) => {
        expect(await run(durable, calls)).toEqual(await run(embedded, calls));
      }),
      { numRuns: sample(25) },
    );
  });
});
