import { setTimeout as sleep } from 'node:timers/promises';
import type { TaskCaller } from '../../session/task-owner.js';
import { ERRORS, type Era, read, TASKS_EXTENSION } from '../../wire/messages.js';
import type { TaskDefinition } from '../author/definition.js';
import { answerable } from '../execution/questions.js';
import type { StartOptions, Tasks } from '../port/tasks.js';
import type { TaskRecord } from '../records/record.js';
import { MISSING_CAPABILITY, refusal, result, type WireAnswer } from './answer.js';
import { legacyTask, modernTask } from './describe.js';

/** A call of a tool that is a task. */
export interface TaskCall {
  readonly era: Era;
  readonly caller: TaskCaller;
  /** The capabilities that the client declared: in this request, or when its session began; `undefined` if not known. */
  readonly capabilities: unknown;
  readonly params: unknown;
}

/** How long a plain call of a tool waits for its task, in milliseconds. API Gateway ends requests after 30 seconds. */
const INLINE_MS = 20_000;

/**
 * Answers `tools/call` of a tool that is a task.
 *
 * @param tasks the tasks
 * @param definition the task of the tool
 * @param call the call
 * @param inlineMs how long a plain call waits
 */
export async function callTask(
  tasks: Tasks,
  definition: TaskDefinition,
  call: TaskCall,
  inlineMs = INLINE_MS,
): Promise<WireAnswer> {
  const { era, caller, capabilities, params } = call;
  // Without a session nothing tells what a legacy client declared. Then every question is asked, and it can refuse.
  const answers = capabilities === undefined ? undefined : answerable(capabilities);
  if (era === 'modern') {
    if (!supportsTasks(capabilities)) {
      return definition.support === 'required' ? missingCapability() : inline({ answers: [] });
    }
    return begin({ answers }, (record) => ({ resultType: 'task', ...modernTask(record, Date.now()) }));
  }
  const task = read(params, 'task');
  if (task === undefined) {
    if (definition.support === 'optional') return inline({ answers: [] });
    return refusal(ERRORS.methodNotFound, `Tool ${definition.name} must be called as a task.`);
  }
  const ttlMs = read(task, 'ttl');
  if (typeof task !== 'object' || task === null || !(ttlMs === undefined || typeof ttlMs === 'number')) {
    return refusal(
      ERRORS.invalidParams,
      'params.task must be an object, and its ttl a number of milliseconds.',
    );
  }
  return begin({ answers, ttlMs }, (record) => ({ task: legacyTask(record, Date.now()) }));

  function start(options: StartOptions): ReturnType<Tasks['start']> {
    return tasks.start(caller, definition.name, read(params, 'arguments'), options);
  }

  async function begin(
    options: StartOptions,
    describe: (record: TaskRecord) => Readonly<Record<string, unknown>>,
  ): Promise<WireAnswer> {
    const started = await start(options);
    return started.ok ? result(describe(started.record)) : notStarted(started);
  }

  /** Runs a task within a plain call, whose client cannot be asked anything. */
  async function inline(options: StartOptions): Promise<WireAnswer> {
    const started = await start(options);
    if (!started.ok) return notStarted(started);
    const { id } = started.record;
    const giveUp = performance.now() + inlineMs;
    for (let pause = 10; performance.now() < giveUp; pause = Math.min(500, pause * 2)) {
      await sleep(pause);
      const { end } = (await tasks.read(caller, id)) ?? {};
      if (end !== undefined && 'result' in end)
        return result(era === 'modern' ? { resultType: 'complete', ...end.result } : end.result);
      if (end !== undefined && 'error' in end)
        return refusal(end.error.code, end.error.message, end.error.data);
    }
    await tasks.cancel(caller, id);
    return refusal(
      ERRORS.internal,
      `Tool ${definition.name} needs more than ${inlineMs / 1000} seconds. Call it as a task.`,
    );
  }
}

type NotStarted = Extract<Awaited<ReturnType<Tasks['start']>>, { ok: false }>;

const notStarted = ({ reason, message }: NotStarted): WireAnswer =>
  refusal(reason === 'not-started' ? ERRORS.internal : ERRORS.invalidParams, message);

/** Whether a client declares the Tasks extension. */
export function supportsTasks(capabilities: unknown): boolean {
  return read(capabilities, 'extensions', TASKS_EXTENSION) !== undefined;
}

/** The error of a request whose client does not declare the Tasks extension. Its HTTP status is 400. */
export function missingCapability(): WireAnswer {
  const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
  return {
    kind: 'error',
    code: MISSING_CAPABILITY,
    message: 'Missing required client capability',
    data,
    httpStatus: 400,
  };
}
