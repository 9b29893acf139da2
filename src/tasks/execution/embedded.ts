import type { TaskDefinition } from '../author/definition.js';
import { messageOf, TaskRuleError } from '../author/errors.js';
import { fitsRecord, type TaskEnd, type TaskRecords } from '../records/record.js';
import { inputOf, type TaskEngine, type TaskInput } from './engine.js';
import { failedBy, failedInternally } from './outcome.js';
import { createOperations, type Execution, startTimer, type Timer } from './replay.js';
import { runTask } from './run-task.js';

/** What the embedded engine needs. */
export interface EmbeddedEngineOptions {
  readonly definitions: readonly TaskDefinition[];
  readonly records: TaskRecords;
  /** Calls a function after some seconds, and returns a function that prevents it. Tests compress time with it. */
  readonly timer?: Timer;
}

interface Running extends Execution {
  readonly input: TaskInput;
  readonly expiresAt: number;
  end?: TaskEnd;
}

/**
 * Runs tasks in this process, with the replay of durable functions: after each sleep and each answer the function runs
 * again from its start, and finished calls are answered from a log. So a task that would fail on Lambda fails here too.
 * A restart of the process ends its tasks.
 *
 * @param options the tasks and their records
 * @returns the engine
 * @example
 * const engine = createEmbeddedEngine({ definitions, records });
 */
export function createEmbeddedEngine(options: EmbeddedEngineOptions): TaskEngine {
  const { records, timer = startTimer } = options;
  const definitions = new Map(options.definitions.map((definition) => [definition.name, definition]));
  const executions = new Map<string, Running>();
  const tokens = new Map<string, (text: string) => void>();

  const finish = async (running: Running, end: TaskEnd, recorded: boolean): Promise<void> => {
    running.end = end;
    running.log.clear();
    const { owner, id } = running.input;
    try {
      if (!recorded) await records.change(owner, id, { kind: 'ended', end });
      // What the record has is not kept twice.
      if (fitsRecord(end)) executions.delete(id);
    } catch {
      // The records cannot be reached. The next read of the task asks for its outcome, and writes it then.
    }
  };
  const attempt = (running: Running): void => {
    const number = ++running.attempt;
    const { input } = running;
    const definition = definitions.get(input.tool);
    if (definition === undefined) {
      return void finish(running, failedInternally(`This process has no task ${input.tool}.`), false);
    }
    const operations = createOperations(running, number, { timer, tokens, again: () => attempt(running) });
    runTask(definition, input, { execution: `embedded:${input.id}`, operations }, records).then(
      (end) => (number === running.attempt ? finish(running, end, true) : undefined),
      (error) => {
        if (number !== running.attempt) return;
        const broken = running.broken ?? (error instanceof TaskRuleError ? error : undefined);
        return finish(running, broken ? failedBy(broken) : failedInternally(messageOf(error)), false);
      },
    );
  };
  const sweep = (): void => {
    const now = Date.now() / 1000;
    for (const [id, { expiresAt, end }] of executions) if (end && expiresAt <= now) executions.delete(id);
  };

  return {
    async start(record) {
      sweep();
      if (executions.has(record.id)) return;
      const { expiresAt, id } = record;
      const running: Running = { input: inputOf(record), expiresAt, log: new Map(), attempt: 0, active: 0 };
      executions.set(id, running);
      // The caller learns the id of the task before the work begins.
      setTimeout(() => attempt(running), 0);
    },

    async answer(_record, token, answer) {
      const give = tokens.get(token);
      tokens.delete(token);
      give?.(JSON.stringify(answer));
    },

    async stop({ id }) {
      const running = executions.get(id);
      if (running === undefined) return;
      for (const { cancel, token } of running.log.values()) {
        cancel?.();
        if (token !== undefined) tokens.delete(token);
      }
      running.attempt = Number.POSITIVE_INFINITY;
      executions.delete(id);
    },

    async outcome({ id }) {
      const running = executions.get(id);
      if (running !== undefined) return running.end;
      return failedInternally('The process that ran the task has ended. Call the tool again.');
    },
  };
}
