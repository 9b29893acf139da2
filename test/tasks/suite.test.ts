import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTaskId } from '../../src/tasks/records/owner.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { definitions } from './demo-tasks.js';
import { hideStoppedExecutions } from './stopped-executions.js';
import { ANN, COMBINATIONS, openWorld, started, until, untilEnd, type World } from './worlds.js';

hideStoppedExecutions();

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const accept = (name: string) => ({ action: 'accept', content: { name } });

describe.each(COMBINATIONS)('tasks with $records records and the $engine engine', (combination) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(combination, definitions, dynamo);
  });
  afterAll(() => world.close());
  const end = async (tool: string, args?: unknown) =>
    (await untilEnd(world.tasks, (await started(world.tasks, tool, args)).id)).end;

  it('ends with the text or the whole result that the function returns', async () => {
    expect(await end('quick', { text: 'x' })).toEqual({ status: 'completed', result: text('quick x') });
    expect(await end('nothing')).toEqual({ status: 'completed', result: { content: [] } });
    expect(await end('whole')).toEqual({
      status: 'completed',
      result: { ...text('whole'), structuredContent: { rows: 1 } },
    });
  });

  it('asks, sleeps, runs branches and shows messages until the end', async () => {
    const { id } = await started(world.tasks, 'report', { topic: 'snow' });
    const first = await until(world.tasks, id, ({ waits }) => waits === 1);
    expect(first).toMatchObject({ status: 'open', message: '1 of 3: collecting' });
    expect(first.inputs.author?.request).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Who writes?' },
    });
    await world.another().answer(ANN, id, { author: accept('Ann') });
    const second = await until(world.tasks, id, ({ inputs }) => inputs.signer !== undefined);
    expect(second).toMatchObject({ waits: 1, message: '2 of 3: waiting for a signature' });
    await world.another().answer(ANN, id, { signer: accept('Bo') });
    expect((await untilEnd(world.tasks, id)).end).toEqual({
      status: 'completed',
      result: text('7+11 rows on snow by Ann, signed by Bo'),
    });
  });

  it('takes the first answer to a question and ignores others', async () => {
    const { id } = await started(world.tasks, 'ask');
    await until(world.tasks, id, ({ waits }) => waits === 1);
    expect(await world.tasks.answer(ANN, id, { other: accept('X'), toString: accept('X') })).toMatchObject({
      answered: [],
      ignored: [
        { key: 'other', reason: 'not-asked' },
        { key: 'toString', reason: 'not-asked' },
      ],
    });
    const big = { action: 'accept', content: { name: 'x'.repeat(300_000) } };
    expect(await world.tasks.answer(ANN, id, { name: big })).toMatchObject({
      ignored: [{ key: 'name', reason: 'too-large' }],
    });
    const answers = ['Ann', 'Eve', 'Bo'].map((name) =>
      world.another().answer(ANN, id, { name: accept(name) }),
    );
    await Promise.all(answers);
    const { end } = await untilEnd(world.tasks, id);
    expect(end).toMatchObject({ status: 'completed' });
    expect(JSON.stringify(end)).toMatch(/accept (Ann|Eve|Bo)"/);
    expect(await world.tasks.answer(ANN, id, { name: accept('Late') })).toMatchObject({ answered: [] });
    expect((await world.tasks.read(ANN, id))?.end).toEqual(end);
  });

  it('tells what a thrown error is: of the tool, or of the protocol', async () => {
    const failed = (message: string) => ({
      status: 'tool_error',
      result: { ...text(message), isError: true },
    });
    expect(await end('throws')).toEqual(failed('no luck'));
    expect(await end('is-error')).toEqual({
      status: 'tool_error',
      result: { isError: true, ...text('bad input') },
    });
    expect(await end('step-fails')).toEqual(failed('Step "disk" failed: disk full'));
    expect(await end('branch-fails')).toEqual(failed('Step "bad" failed: bad branch'));
    expect(await end('protocol-error')).toEqual({
      status: 'failed',
      error: { code: -32602, message: 'no such row', data: { row: 1 } },
    });
  });

  it('lets a task catch a failed step, and retries as often as the step says', async () => {
    expect(await end('step-recovers')).toMatchObject({
      result: text('TaskStepError: Step "disk" failed: disk full'),
    });
    expect(await end('retries')).toMatchObject({ result: text('third time lucky, after 3 tries') });
  });

  it.each([
    ['overlaps', 'TASK_CALLS_OVERLAP', /ctx\.step\("b"\) began before ctx\.step\("a"\) ended.*ctx\.all/],
    ['hides-overlap', 'TASK_CALLS_OVERLAP', /ctx\.step\("b"\) began before/],
    ['nests', 'TASK_CALLS_OVERLAP', /ctx\.step\("inner"\) began before ctx\.step\("outer"\) ended/],
    ['forgets', 'TASK_CALL_NOT_AWAITED', /before ctx\.step\("forgotten"\) ended/],
    ['returns-date', 'TASK_VALUE_NOT_JSON', /ctx\.step\("date"\) is not JSON: \.rows\[0\]\.at is a Date/],
    ['sleeps-back', 'TASK_ARGUMENT_INVALID', /ctx\.sleep\("back"\) needs seconds above 0/],
    ['no-content', 'TASK_RESULT_INVALID', /has no array "content"/],
    ['too-large', 'TASK_RESULT_INVALID', /1100\d+ bytes, and at most 1000000/],
  ])('ends %s with the error %s', async (tool, code, message) => {
    expect(await end(tool)).toEqual({
      status: 'failed',
      error: { code: -32603, message: expect.stringMatching(message), data: { code } },
    });
  });

  it.each([
    ['random', /other operations when it ran again: .*read these in ctx\.step/],
    ['hides-random', /step \d/],
  ])('ends %s with the error TASK_ORDER_CHANGED when it runs again', async (tool, message) => {
    const { id } = await started(world.tasks, tool);
    await until(world.tasks, id, ({ waits }) => waits === 1);
    // An invocation that still runs would go on with the answer, instead of running again.
    await expect.poll(() => world.lambda?.executions.find(id)?.invocation).toBeUndefined();
    await world.tasks.answer(ANN, id, { name: accept('Ann') });
    expect((await untilEnd(world.tasks, id)).end).toEqual({
      status: 'failed',
      error: { code: -32603, message: expect.stringMatching(message), data: { code: 'TASK_ORDER_CHANGED' } },
    });
  });

  it('ends a task that asks the same question twice', async () => {
    const { id } = await started(world.tasks, 'asks-twice');
    await until(world.tasks, id, ({ waits }) => waits === 1);
    await world.tasks.answer(ANN, id, { name: accept('Ann') });
    expect((await untilEnd(world.tasks, id)).end).toMatchObject({
      error: { data: { code: 'TASK_QUESTION_REPEATED' } },
    });
  });

  it('returns a result that is too large for the record', async () => {
    expect(await end('large')).toEqual({ status: 'completed', result: text('x'.repeat(200_000)) });
  });

  it('ends a task with a tool error if the client cannot answer its question', async () => {
    const start = await world.tasks.start(ANN, 'ask', {}, { answers: ['sampling'] });
    if (!start.ok) throw new Error(start.message);
    const { end } = await untilEnd(world.tasks, start.record.id);
    expect(end).toMatchObject({ status: 'tool_error' });
    expect(JSON.stringify(end)).toContain('did not declare the capability \\"elicitation.form\\"');
  });

  it('validates arguments before anything is recorded', async () => {
    expect(await world.tasks.start(ANN, 'report', { topic: 7 })).toMatchObject({
      ok: false,
      reason: 'invalid-arguments',
      message: expect.stringMatching(/^Invalid arguments for tool report: topic: /),
    });
    expect(await world.tasks.start(ANN, 'quick', { text: 7 })).toMatchObject({ reason: 'invalid-arguments' });
    expect(await world.tasks.start(ANN, 'quick', { text: 'x'.repeat(130_000) })).toMatchObject({
      message: expect.stringContaining('a task takes at most 128000'),
    });
    expect(await world.tasks.start(ANN, 'toString', {})).toMatchObject({ reason: 'unknown-tool' });
    const caller = { session: 'fresh' };
    await world.tasks.start(caller, 'quick', { text: 7 });
    const query = { orderBy: 'createdAt', ascending: true, limit: 10 } as const;
    expect(await world.tasks.list(caller, query)).toEqual({ tasks: [] });
  });

  it('fills in the defaults of the schema', async () => {
    const { args } = await started(world.tasks, 'report');
    expect(args).toBe('{"topic":"rain"}');
  });

  it('cancels a task once, and stops its work', async () => {
    const { id } = await started(world.tasks, 'long');
    await until(world.tasks, id, ({ message }) => message !== undefined);
    expect(await world.another().cancel(ANN, id)).toMatchObject({
      cancelled: true,
      record: { status: 'cancelled' },
    });
    expect(await world.tasks.cancel(ANN, id)).toMatchObject({
      cancelled: false,
      record: { status: 'cancelled' },
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    const record = await world.tasks.read(ANN, id);
    expect(record).toMatchObject({ status: 'cancelled' });
    expect(record).not.toHaveProperty('message');
  });

  it('keeps the first of an end and concurrent cancellations', async () => {
    const { id } = await started(world.tasks, 'ask');
    await until(world.tasks, id, ({ waits }) => waits === 1);
    const results = await Promise.all([
      world.tasks.answer(ANN, id, { name: accept('Ann') }),
      world.tasks.cancel(ANN, id),
      world.another().cancel(ANN, id),
    ]);
    const { status } = await untilEnd(world.tasks, id);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await world.tasks.read(ANN, id))?.status).toBe(status);
    expect(results.slice(1)).toContainEqual(expect.objectContaining({ cancelled: status === 'cancelled' }));
  });

  it('shows a task to its owner alone', async () => {
    const sessions = { session: 'shared' };
    for (const [owner, same, others] of [
      [
        ANN,
        { ...ANN, session: 'other' },
        [{ ...ANN, subject: 'eve' }, { ...ANN, issuer: 'x' }, sessions, {}],
      ],
      [sessions, sessions, [{ session: 'guess' }, { ...ANN, session: 'shared' }, {}]],
      [{}, {}, [ANN, sessions]],
    ] as const) {
      const { id } = await started(world.tasks, 'ask', {}, owner);
      await until(world.tasks, id, ({ waits }) => waits === 1, owner);
      expect(await world.another().read(same, id)).toMatchObject({ id });
      for (const other of others) {
        expect(await world.tasks.read(other, id)).toBeUndefined();
        expect(await world.tasks.answer(other, id, { name: accept('Eve') })).toBeUndefined();
        expect(await world.tasks.cancel(other, id)).toBeUndefined();
      }
      for (const wrong of [newTaskId(Date.now()), id.toUpperCase(), '__proto__', undefined, { id }, 7]) {
        expect(await world.tasks.read(owner, wrong)).toBeUndefined();
      }
      expect(await world.tasks.read(owner, id)).toMatchObject({ status: 'open', waits: 1 });
      await world.tasks.cancel(owner, id);
    }
  });

  it('lists the tasks of a caller, but none for a caller without identity', async () => {
    const caller = { session: 'lister' };
    const ids = [];
    for (let each = 0; each < 3; each++) ids.push((await started(world.tasks, 'nothing', {}, caller)).id);
    await started(world.tasks, 'nothing', {}, {});
    const query = { orderBy: 'createdAt', ascending: true, limit: 10 } as const;
    const listed = (await world.tasks.list(caller, query)).tasks.map(({ id }) => id);
    expect(listed.sort()).toEqual(ids.sort());
    expect(await world.tasks.list({}, query)).toEqual({ tasks: [] });
  });

  it('lives as long as the client asks for, but not longer than the definition allows', async () => {
    for (const [ttlMs, expected] of [
      [60_000, 60_000],
      [1, 1000],
      [1e12, 86_400_000],
      [undefined, 86_400_000],
    ]) {
      const start = await world.tasks.start(ANN, 'nothing', {}, { ttlMs });
      expect(start).toMatchObject({ record: { ttlMs: expected } });
    }
  });
});
