import type { TaskDefinition } from '../author/definition.js';
import { TaskCancelled } from '../author/errors.js';
import type { TaskEnd, TaskRecords } from '../records/record.js';
import { createContext, type TaskRun, WRITE_RETRIES } from './context.js';
import type { TaskInput, TaskOperations } from './engine.js';
import { endOfError, endOfResult, failedBy, outcomeOf, unwrap } from './outcome.js';

/**
 * Runs a task from its start to its end, over the operations of an engine: the same for every engine.
 *
 * @param definition the task
 * @param input what the execution was started with
 * @param engine the engine's name of this execution, and its operations
 * @param records where the task is recorded
 * @returns how the task ended. The record has it too, unless it is too large.
 */
export async function runTask(
  definition: TaskDefinition,
  input: TaskInput,
  engine: { readonly execution: string; readonly operations: TaskOperations },
  records: TaskRecords,
): Promise<TaskEnd> {
  const { operations, execution } = engine;
  const write: TaskRun['write'] = async (change) => {
    const record = await records.change(input.owner, input.id, change);
    if (record === undefined) throw new TaskCancelled(`The task ${input.id} has ended. Stop its work.`);
    return record;
  };
  const run: TaskRun = { input, write, keys: new Set() };
  const { ctx, finish } = createContext(run, operations);
  const checkpoint = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    unwrap(
      await operations.step(name, WRITE_RETRIES, () => outcomeOf(name, async () => void (await work()))),
    );
  };

  let end: TaskEnd;
  try {
    await checkpoint('begin', () => write({ kind: 'began', execution }));
    const returned = await definition.run(JSON.parse(input.args), ctx);
    finish();
    end = endOfResult(returned);
  } catch (error) {
    end = endOfError(error);
  }
  if (run.broken !== undefined) end = failedBy(run.broken);
  // The record is written by whoever ends the task. If that was somebody else, this write changes nothing.
  if (end.status !== 'cancelled') {
    const ended = end;
    await checkpoint('end', () => records.change(input.owner, input.id, { kind: 'ended', end: ended }));
  }
  return end;
}
