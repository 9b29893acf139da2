import type { CallAnswer } from '../../core/wire/calls.js';
import { ERRORS, read, refusal } from '../../core/wire/messages.js';
import { MISSING_EXTENSION, supportsTasks } from '../../core/wire/task-streams.js';
import type { TaskDefinition } from '../author/definition.js';
import { answerable } from '../execution/questions.js';
import type { StartOptions } from '../port/tasks.js';
import type { TaskRecord, ToolResult } from '../records/record.js';
import { invalidParams, notATask, type TaskCall } from './answer.js';
import { legacyTask, modernTask } from './describe.js';

/** How long a plain call of a tool waits for its task, in milliseconds. API Gateway ends requests after 30 seconds. */
const INLINE_MS = 20_000;

/**
 * Answers `tools/call` of a tool that is a task.
 *
 * @param definition the task of the tool
 * @param call the call
 * @param inlineMs how long a plain call waits
 */
export async function callTask(
  definition: TaskDefinition,
  call: TaskCall,
  inlineMs: number = INLINE_MS,
): Promise<CallAnswer> {
  const { tasks, era, caller, params } = call;
  // Over HTTP, this server has not seen the client initialize. The session knows what it declared then.
  const capabilities = call.capabilities ?? (era === 'legacy' ? await call.questions() : undefined);
  // Without a session nothing tells what a legacy client declared. Then every question is asked, and it can refuse.
  const answers = capabilities === undefined ? undefined : answerable(capabilities);
  if (era === 'modern') {
    if (tasks.plain === true || !supportsTasks(capabilities)) {
      return definition.support === 'required' ? MISSING_EXTENSION : begin({ answers: [] }, inline);
    }
    return begin({ answers }, (record) => ({
      result: { resultType: 'task', ...modernTask(record, Date.now()) },
    }));
  }
  const task = read(params, 'task');
  if (task === undefined) {
    if (definition.support === 'optional') return begin({ answers: [] }, inline);
    return refusal(ERRORS.methodNotFound, `Tool ${definition.name} must be called as a task.`);
  }
  if (tasks.plain === true) return notATask(definition.name);
  const ttlMs = read(task, 'ttl');
  if (typeof task !== 'object' || task === null || !(ttlMs === undefined || typeof ttlMs === 'number')) {
    return invalidParams('params.task must be an object, and its ttl a number of milliseconds.');
  }
  // The answer to a call that asks for a task is a task, whatever its arguments (MCP 2025-11-25, "Tasks: Creating Tasks").
  return begin({ answers, ttlMs, always: true }, (record) => ({
    result: { task: legacyTask(record, Date.now()) },
  }));

  async function begin(
    options: StartOptions,
    describe: (record: TaskRecord) => CallAnswer | Promise<CallAnswer>,
  ): Promise<CallAnswer> {
    const started = await tasks.start(caller, definition.name, read(params, 'arguments'), options);
    if (started.ok) return describe(started.record);
    const { reason, message } = started;
    // A tool error, so that the model can correct itself (MCP, "Tools: Error Handling").
    if (reason === 'invalid-arguments')
      return toolResult({ content: [{ type: 'text', text: message }], isError: true });
    return refusal(reason === 'not-started' ? ERRORS.internal : ERRORS.invalidParams, message);
  }

  function toolResult(result: ToolResult): CallAnswer {
    return { result: era === 'modern' ? { resultType: 'complete', ...result } : result };
  }

  /** Waits for a task within a plain call, whose client cannot be asked anything. */
  async function inline({ id }: TaskRecord): Promise<CallAnswer> {
    const giveUp = performance.now() + inlineMs;
    for (let pause = 10; performance.now() < giveUp; pause = Math.min(500, pause * 2)) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      const { end } = (await tasks.read(caller, id)) ?? {};
      if (end !== undefined && 'result' in end) return toolResult(end.result);
      if (end !== undefined && 'error' in end) return { error: end.error };
    }
    await tasks.cancel(caller, id);
    return refusal(
      ERRORS.internal,
      `Tool ${definition.name} needs more than ${inlineMs / 1000} seconds. Call it as a task.`,
    );
  }
}
