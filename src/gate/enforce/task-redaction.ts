import { type Failure, read } from '../../wire/messages.js';
import { redactError, redactResult } from './result-redaction.js';

type Members = Record<string, unknown>;
type Redact = (text: string) => string;

/** Returns whether a result has texts of a task: status messages, the error of a task, or a tool's failed result. */
export function hasTaskText(result: Members): boolean {
  return (
    typeof result.statusMessage === 'string' ||
    typeof read(result, 'task', 'statusMessage') === 'string' ||
    read(result, 'result', 'isError') === true ||
    isError(result.error)
  );
}

/**
 * Redacts the texts of a task, in the answer to a call that created it and in the answers of task methods.
 *
 * @param result the result
 * @param redaction returns the function that redacts a text; called only if there is one
 * @returns the result; the same object if it has no text of a task
 */
export function redactTask(result: Members, redaction: () => Redact): Members {
  if (!hasTaskText(result)) return result;
  const redact = redaction();
  const { statusMessage, task, error, result: outcome } = result;
  const created = read(task, 'statusMessage');
  return {
    ...result,
    ...(typeof statusMessage === 'string' ? { statusMessage: redact(statusMessage) } : {}),
    ...(typeof created === 'string'
      ? { task: { ...(task as Members), statusMessage: redact(created) } }
      : {}),
    ...(isError(error) ? { error: redactError(error, redact) } : {}),
    ...(read(outcome, 'isError') === true
      ? { result: redactResult({ ...(outcome as Members) }, redact) }
      : {}),
  };
}

/** The type of the code is not checked: only texts are read. */
const isError = (error: unknown): error is Failure['error'] => typeof read(error, 'message') === 'string';
