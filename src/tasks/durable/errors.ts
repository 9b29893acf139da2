import { ConcernsError } from '../../errors.js';

/** A Lambda function is not set up for tasks. */
export class TaskFunctionError extends ConcernsError {
  override readonly code = 'TASK_FUNCTION_INVALID';
  override readonly name = 'TaskFunctionError';
}

/** Lambda cannot be reached, or refuses a call. `cause` has the error of the AWS client. */
export class TaskEngineError extends ConcernsError {
  override readonly code = 'TASK_ENGINE_FAILED';
  override readonly name = 'TaskEngineError';
}
