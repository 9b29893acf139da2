import { ConcernsError, type ErrorClass, errorClass } from '../../core/errors.js';

const TaskDefinitionErrorBase: ErrorClass<'TaskDefinitionError', 'TASK_DEFINITION_INVALID'> = errorClass(
  'TaskDefinitionError',
  'TASK_DEFINITION_INVALID',
);

/** A definition of a task is not valid. Thrown by `defineTask`, when the server starts. */
export class TaskDefinitionError extends TaskDefinitionErrorBase {}

/** What a task did that would not replay. Each code has its own fix. */
export type TaskRule =
  | 'TASK_ORDER_CHANGED'
  | 'TASK_CALLS_OVERLAP'
  | 'TASK_CALL_NOT_AWAITED'
  | 'TASK_VALUE_NOT_JSON'
  | 'TASK_QUESTION_REPEATED'
  | 'TASK_ARGUMENT_INVALID'
  | 'TASK_RESULT_INVALID';

/** A broken rule, as data: a checkpoint keeps no classes. */
export interface BrokenRule {
  readonly code: TaskRule;
  readonly message: string;
}

/** A task that calls other operations when it runs again. */
export const orderOfCalls = (what: string): BrokenRule => ({
  code: 'TASK_ORDER_CHANGED',
  message: `The task called other operations when it ran again: ${what}. Their order and names must not depend on time, chance, files or the network: read these in ctx.step.`,
});

/**
 * A task breaks a rule that replaying depends on. It ends the task with the JSON-RPC error -32603, also if the task
 * catches it: the task would behave differently in another process.
 */
export class TaskRuleError extends ConcernsError {
  override readonly name = 'TaskRuleError';

  constructor(
    override readonly code: TaskRule,
    message: string,
  ) {
    super(message);
  }
}

const TaskStepErrorBase: ErrorClass<'TaskStepError', 'TASK_STEP_FAILED'> = errorClass(
  'TaskStepError',
  'TASK_STEP_FAILED',
);

/**
 * A step or a branch failed, after its retries. A task can catch it. Only the message of the original error is kept,
 * because a checkpoint keeps no classes.
 */
export class TaskStepError extends TaskStepErrorBase {}

const TaskQuestionErrorBase: ErrorClass<'TaskQuestionError', 'TASK_QUESTION_REFUSED'> = errorClass(
  'TaskQuestionError',
  'TASK_QUESTION_REFUSED',
);

/**
 * The client of the task cannot answer a question, because it did not declare the capability, or refuses to. A task can
 * catch it and go on.
 */
export class TaskQuestionError extends TaskQuestionErrorBase {}

const TaskCancelledBase: ErrorClass<'TaskCancelled', 'TASK_CANCELLED'> = errorClass(
  'TaskCancelled',
  'TASK_CANCELLED',
);

/** The task has ended, usually because its caller cancelled it. Nothing that the task does from here on is recorded. */
export class TaskCancelled extends TaskCancelledBase {}

const TaskProtocolErrorBase: ErrorClass<'TaskProtocolError', 'TASK_PROTOCOL_ERROR'> = errorClass(
  'TaskProtocolError',
  'TASK_PROTOCOL_ERROR',
);

/**
 * Ends a task with a JSON-RPC error instead of a tool error. Throw it from the task or from one of its steps.
 *
 * @example
 * throw new TaskProtocolError(-32602, `There is no report ${id}.`, { id });
 */
export class TaskProtocolError extends TaskProtocolErrorBase {
  /**
   * @param rpcCode the code of the JSON-RPC error
   * @param message the message that clients receive
   * @param data the data of the JSON-RPC error, as JSON
   */
  constructor(
    readonly rpcCode: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** Returns the message of anything that was thrown. It is never empty, so that it survives every checkpoint. */
export function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return message === '' ? 'An error without a message was thrown.' : message;
}
