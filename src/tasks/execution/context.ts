import type {
  BranchValues,
  StepContext,
  StepOptions,
  TaskAnswer,
  TaskContext,
  TaskQuestion,
} from '../author/context.js';
import {
  type BrokenRule,
  messageOf,
  TaskCancelled,
  TaskQuestionError,
  TaskRuleError,
  TaskStepError,
} from '../author/errors.js';
import { jsonBytes } from '../author/json-value.js';
import type { TaskChange, TaskRecord } from '../records/record.js';
import type { TaskInput, TaskOperations } from './engine.js';
import { type Outcome, outcomeOf, unwrap } from './outcome.js';
import { MAX_QUESTION_BYTES, questionKind } from './questions.js';

/** A year: what durable functions accept as one wait. */
const MAX_SLEEP_SECONDS = 365 * 86_400;
const MAX_NAME = 200;
const KEY = /^[\w.-]{1,64}$/;

/** How often the engine repeats its own writes to the record: the table may be busy. */
export const WRITE_RETRIES = 5;

/** What the contexts of one run share. */
export interface TaskRun {
  readonly input: TaskInput;
  /** Writes a change of the record. Throws {@link TaskCancelled} if the task has ended. */
  readonly write: (change: TaskChange) => Promise<TaskRecord>;
  /** The keys of all questions so far. */
  readonly keys: Set<string>;
  /** The first broken rule. It is kept, so that a task cannot hide it with a catch. */
  broken?: TaskRuleError;
}

/**
 * Makes the context of a task, or of one of its branches, from the operations of an engine.
 *
 * @param run what the contexts of the run share
 * @param operations the operations, in the order of this context
 * @returns the context, and a function that throws if a call is still pending
 */
export function createContext(
  run: TaskRun,
  operations: TaskOperations,
): { readonly ctx: TaskContext; readonly finish: () => void } {
  let pending: string | undefined;
  let messages = 0;

  /** Runs one call of the context. Calls of the same context must not overlap: their order would depend on time. */
  const alone = async <T>(call: string, begin: () => Promise<T>): Promise<T> => {
    if (run.broken !== undefined) throw run.broken;
    if (pending !== undefined) {
      throw broke(run, {
        code: 'TASK_CALLS_OVERLAP',
        message: `${call} began before ${pending} ended. Await each call before the next one. For calls at the same time use ctx.all, and in each branch the context of the branch.`,
      });
    }
    pending = call;
    try {
      return await begin();
    } catch (error) {
      if (error instanceof TaskRuleError) run.broken ??= error;
      throw error;
    } finally {
      pending = undefined;
    }
  };
  const checkName = (call: string, name: string): void => {
    if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME) return;
    throw invalid(run, `${call} needs a name of 1 to ${MAX_NAME} characters.`);
  };
  const step = async <T>(name: string, retries: number, place: string, work: () => Promise<T> | T) => {
    const stepping = operations.step(name, retries, () => outcomeOf(place, work));
    const outcome = await stepping.catch((error: unknown) => {
      throw error instanceof TaskRuleError
        ? error
        : new TaskStepError(`Step "${name}" failed: ${messageOf(error)}`);
    });
    return unwrap(outcome);
  };
  const progress = async (message: string): Promise<void> => {
    await run.write({ kind: 'progress', message: short(message) });
  };

  const ctx: TaskContext = {
    taskId: run.input.id,

    step: <T>(name: string, work: (step: StepContext) => Promise<T> | T, options: StepOptions = {}) =>
      alone(`ctx.step("${name}")`, async () => {
        checkName('ctx.step', name);
        const { retries = 0 } = options;
        if (!Number.isInteger(retries) || retries < 0) {
          throw invalid(run, `The retries of ctx.step("${name}") must be an integer from 0.`);
        }
        return step(name, retries, `ctx.step("${name}")`, () => work({ progress }));
      }),

    sleep: (name, seconds) =>
      alone(`ctx.sleep("${name}")`, async () => {
        checkName('ctx.sleep', name);
        if (!(seconds > 0 && seconds <= MAX_SLEEP_SECONDS)) {
          throw invalid(
            run,
            `ctx.sleep("${name}") needs seconds above 0 and up to ${MAX_SLEEP_SECONDS}, and got ${seconds}.`,
          );
        }
        await operations.wait(name, Math.ceil(seconds));
      }),

    // One checkpoint, so that a run that repeats does not show old messages again.
    progress: (message) =>
      alone('ctx.progress', () =>
        step(`progress ${++messages}`, WRITE_RETRIES, 'ctx.progress', () => progress(message)),
      ),

    ask: <Question extends TaskQuestion>(key: string, question: Question) =>
      alone(`ctx.ask("${key}")`, async () => {
        checkQuestion(run, key, question);
        run.keys.add(key);
        const request = { ...question };
        const text = await operations.question(key, async (token) => {
          await run.write({ kind: 'asked', key, input: { request, token, askedAt: Date.now() } });
        });
        // Not validated: a task reads what the client wrote.
        const reply: { answer: TaskAnswer<Question> } | { refused: string } = JSON.parse(text);
        if ('answer' in reply) return reply.answer;
        throw new TaskQuestionError(`The client refuses the question "${key}": ${reply.refused}`);
      }),

    all: <Branches extends readonly ((branch: TaskContext) => Promise<unknown>)[]>(
      name: string,
      branches: readonly [...Branches],
    ) =>
      alone(`ctx.all("${name}")`, async () => {
        checkName('ctx.all', name);
        const runs = branches.map((branch) => (inner: TaskOperations) => runBranch(run, name, inner, branch));
        const outcomes = await operations.parallel(name, runs);
        // An array of one value per branch: a tuple for the compiler, which map does not keep.
        return outcomes.map(unwrap) as BranchValues<Branches>;
      }),
  };

  const finish = (): void => {
    if (pending === undefined) return;
    throw broke(run, {
      code: 'TASK_CALL_NOT_AWAITED',
      message: `The function returned before ${pending} ended. Await each call of the context.`,
    });
  };
  return { ctx, finish };
}

/** Runs one branch of `ctx.all`. It never rejects, so that the other branches run to their end. */
async function runBranch<T>(
  run: TaskRun,
  name: string,
  operations: TaskOperations,
  branch: (ctx: TaskContext) => Promise<T>,
): Promise<Outcome<T>> {
  const { ctx, finish } = createContext(run, operations);
  try {
    return await outcomeOf(`a branch of ctx.all("${name}")`, async () => {
      const value = await branch(ctx);
      finish();
      return value;
    });
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

/** Returns the error of a broken rule. */
function broke(run: TaskRun, { code, message }: BrokenRule): TaskRuleError {
  run.broken ??= new TaskRuleError(code, message);
  return run.broken;
}

const invalid = (run: TaskRun, message: string): TaskRuleError =>
  broke(run, { code: 'TASK_ARGUMENT_INVALID', message });

function checkQuestion(run: TaskRun, key: string, question: TaskQuestion): void {
  if (!KEY.test(key))
    throw invalid(
      run,
      `The key ${JSON.stringify(key)} of ctx.ask is not valid. Use 1 to 64 letters, digits, "_", "-" or ".".`,
    );
  if (run.keys.has(key))
    throw broke(run, {
      code: 'TASK_QUESTION_REPEATED',
      message: `The task asks "${key}" twice. Use a key of its own for each question.`,
    });
  const kind = questionKind(question);
  if (kind === undefined)
    throw invalid(
      run,
      `ctx.ask("${key}") cannot send ${JSON.stringify(question.method)}. Use elicitation/create, sampling/createMessage or roots/list.`,
    );
  const bytes = jsonBytes(question);
  if (bytes > MAX_QUESTION_BYTES) {
    throw invalid(
      run,
      `The question "${key}" has ${bytes} bytes, and at most ${MAX_QUESTION_BYTES} are kept. Shorten it.`,
    );
  }
  if (run.input.answers !== undefined && !run.input.answers.includes(kind)) {
    throw new TaskQuestionError(
      `The client cannot answer the question "${key}": it did not declare the capability "${kind}". Call the tool from a client that does.`,
    );
  }
}

/** Clients show a message in one line. */
const MAX_MESSAGE = 1000;

function short(message: string): string {
  const text = String(message);
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
}
