import { KINDS } from '../../engine/policy.js';
import { type Answer, type Failure, read } from '../../wire/messages.js';
import { hiddenNameFinder } from '../enforce/hidden-names.js';
import { redactResult } from '../enforce/result-redaction.js';
import { textRedaction } from '../enforce/text-redaction.js';
import { withLists } from '../gather/with-lists.js';
import { canChange } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';

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
export function redactTask(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  if ('error' in message || !hasText(message.result) || !canChange(exchange.configuration)) return message;
  return withRedaction(exchange, (redact) => ({ ...message, result: redactedTask(message.result, redact) }));
}

/** Does the same for the tasks of a list. */
export function redactTasks(exchange: Exchange, tasks: readonly unknown[]): Promise<readonly unknown[]> {
  if (!exchange.isEnforced || !canChange(exchange.configuration) || !tasks.some(hasText)) {
    return Promise.resolve(tasks);
  }
  return withRedaction(exchange, (redact) =>
    tasks.map((task) => (hasText(task) ? redactedTask(task as Task, redact) : task)),
  );
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

function withRedaction<T>(exchange: Exchange, use: (redact: (text: string) => string) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    withLists(exchange, { kinds: KINDS }, (lists) => {
      try {
        const finder = hiddenNameFinder(lists, exchange.configuration);
        resolve(use(textRedaction(finder, exchange.request, undefined)));
      } catch (cause) {
        reject(cause);
      }
    });
  });
}
