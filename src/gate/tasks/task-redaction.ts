import { KINDS } from '../../engine/policy.js';
import { type Answer, type Failure, read } from '../../wire/messages.js';
import { hiddenNameFinder } from '../enforce/hidden-names.js';
import { redactResult } from '../enforce/result-redaction.js';
import { textRedaction } from '../enforce/text-redaction.js';
import { canChange } from '../request/configure.js';
import { type Facts, isEnforced } from '../request/facts.js';
import { listsFor, type Settling } from '../request/needs.js';

type Task = Record<string, unknown>;

/** Returns whether a task has free text of the server: the message of its status, its error, or the result of a failed call. */
const hasText = (task: unknown): boolean =>
  typeof read(task, 'statusMessage') === 'string' ||
  read(task, 'error') !== undefined ||
  read(task, 'result', 'isError') === true;

/**
 * Removes the names of hidden primitives from the free text of a task, in an answer whose links and errors are redacted
 * already. The result of a call that succeeded is the tool author's responsibility, as in the answer to the call.
 */
export function* redactTask(facts: Facts, message: Answer | Failure): Settling<Answer | Failure> {
  if ('error' in message || !hasText(message.result) || !canChange(facts.configuration)) return message;
  return { ...message, result: redactedTask(message.result, yield* redaction(facts)) };
}

/** Does the same for the tasks of a list. */
export function* redactTasks(facts: Facts, tasks: readonly unknown[]): Settling<readonly unknown[]> {
  if (!isEnforced(facts) || !canChange(facts.configuration) || !tasks.some(hasText)) return tasks;
  const redact = yield* redaction(facts);
  return tasks.map((task) => (hasText(task) ? redactedTask(task as Task, redact) : task));
}

function redactedTask(task: Task, redact: (text: string) => string): Task {
  const { statusMessage, error, result } = task;
  return {
    ...task,
    ...(typeof statusMessage === 'string' ? { statusMessage: redact(statusMessage) } : {}),
    ...(typeof error === 'object' && error !== null ? { error: redactResult(error as Task, redact) } : {}),
    ...(typeof error === 'string' ? { error: redact(error) } : {}),
    ...(read(result, 'isError') === true ? { result: redactResult(result as Task, redact) } : {}),
  };
}

function* redaction({ configuration, request }: Facts): Settling<(text: string) => string> {
  const { lists } = yield* listsFor({ kinds: KINDS });
  return textRedaction(hiddenNameFinder(lists, configuration), request, undefined);
}
