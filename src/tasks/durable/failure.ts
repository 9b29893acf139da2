import type { ErrorObject } from '@aws-sdk/client-lambda';
import { type ErrorClass, errorClass } from '../../core/errors.js';
import { orderOfCalls } from '../author/errors.js';
import { failedBy, failedInternally } from '../execution/outcome.js';
import type { TaskEnd } from '../records/record.js';

/** Returns how a task ended whose execution failed: outside of the task's own errors, which are results. */
export function endOfFailure(error: ErrorObject | undefined): TaskEnd {
  const { ErrorType = 'Error', ErrorMessage = '' } = error ?? {};
  if (ErrorType === 'NonDeterministicExecutionError') {
    const [, what = ErrorMessage] = /(Expected .+)\. This indicates/.exec(ErrorMessage) ?? [];
    return failedBy(orderOfCalls(what));
  }
  return failedInternally(`The execution of the task failed (${ErrorType}). Call the tool again.`);
}

const TaskFunctionErrorBase: ErrorClass<'TaskFunctionError', 'TASK_FUNCTION_INVALID'> = errorClass(
  'TaskFunctionError',
  'TASK_FUNCTION_INVALID',
);

/** A Lambda function is not set up for tasks. */
export class TaskFunctionError extends TaskFunctionErrorBase {}

const TaskEngineErrorBase: ErrorClass<'TaskEngineError', 'TASK_ENGINE_FAILED'> = errorClass(
  'TaskEngineError',
  'TASK_ENGINE_FAILED',
);

/** Lambda cannot be reached, or refuses a call. `cause` has the error of the AWS client. */
export class TaskEngineError extends TaskEngineErrorBase {}
