import { ConcernsError } from '../../errors.js';

/** The records of tasks cannot be reached. `cause` has the error of the client. */
export class TaskStoreError extends ConcernsError {
  override readonly code = 'TASK_STORE_FAILED';
  override readonly name = 'TaskStoreError';
}
