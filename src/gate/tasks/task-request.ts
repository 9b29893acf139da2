import { type Answer, ERRORS, type Failure } from '../../wire/messages.js';
import { rewriteJson, rewriteObject } from '../../wire/rewrite-json.js';
import { redactNow } from '../gather/gather.js';
import type { Exchange } from '../request/exchange.js';
import { storeWarning } from '../request/report.js';
import { withConfiguration } from '../request/with-configuration.js';
import { callerOf, isPrivate, mayUse } from './task-owner.js';
import { redactTask } from './task-redaction.js';
import { unknownTaskId } from './unknown-task-id.js';

/**
 * Handles a request that names a task by its id, such as `tasks/get`. For a task of another caller, the server is asked
 * for a task that does not exist: so the client gets the server's own answer to an unknown task, in every enforcement mode.
 *
 * @param exchange the request
 * @returns a promise if the session store must be waited for
 */
export function judgeTask(exchange: Exchange): void | Promise<void> {
  exchange.report();
  const { params } = exchange.request;
  const taskId = params?.taskId;
  if (taskId !== undefined && typeof taskId !== 'string') {
    // A server may read a list of one id as that id.
    return exchange.refuse(ERRORS.invalidParams, 'params.taskId must be a string.');
  }
  const judge = (): void | Promise<void> => {
    if (taskId === undefined) return exchange.pass();
    const decide = (may: boolean): void => {
      if (may) return exchange.pass();
      const sent = unknownTaskId(taskId);
      exchange.substitute = { name: sent, sent, original: taskId };
      exchange.pass({ ...params, taskId: sent });
    };
    const may = mayUseTask(exchange, taskId);
    return may instanceof Promise ? may.then(decide, (cause) => refuseUnread(exchange, cause)) : decide(may);
  };
  if (!exchange.isEnforced) return judge();
  // The answer is redacted, for which the configuration must be known.
  let isConfigured = false;
  const configuring = withConfiguration(exchange, () => {
    isConfigured = true;
  });
  if (configuring instanceof Promise) return configuring.then(() => (isConfigured ? judge() : undefined));
  return isConfigured ? judge() : undefined;
}

/** Returns whether the task belongs to the caller. Over HTTP, a task of an unknown maker belongs to nobody. */
function mayUseTask(exchange: Exchange, taskId: string): boolean | Promise<boolean> {
  if (isPrivate(exchange)) return true;
  const [maker, caller] = [exchange.connection.tasks.get(taskId), callerOf(exchange)];
  if (!(maker instanceof Promise) && !(caller instanceof Promise)) {
    return maker !== undefined && mayUse(caller, taskId, maker);
  }
  return Promise.all([maker, caller]).then(([made, by]) => made !== undefined && mayUse(by, taskId, made));
}

/** Answers a request whose task cannot be attributed, because the session store cannot be read. */
export function refuseUnread(exchange: Exchange, cause: unknown): void {
  exchange.report({ warnings: [storeWarning('read', cause)] });
  exchange.refuse(ERRORS.internal, 'The owners of tasks could not be read. Try again.');
}

/** Puts the id of the client back into the answer and, under `enforce`, redacts the answer as that of the tool call. */
export function settleTask(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  if (!exchange.isEnforced) return withOriginalId(exchange, message);
  const finish = (redacted: Answer | Failure) => withOriginalId(exchange, redacted);
  const redacted = redactNow(exchange, message);
  const complete =
    redacted instanceof Promise
      ? redacted.then((each) => redactTask(exchange, each))
      : redactTask(exchange, redacted);
  return complete instanceof Promise ? complete.then(finish) : finish(complete);
}

function withOriginalId({ substitute }: Exchange, message: Answer | Failure): Answer | Failure {
  if (substitute === undefined) return message;
  const { sent, original } = substitute;
  const put = (text: string): string => text.replaceAll(sent, () => original);
  const rewriting = { text: put, key: put };
  if (!('error' in message)) return { ...message, result: rewriteObject(message.result, rewriting) };
  const { message: text, data, ...rest } = message.error;
  return {
    ...message,
    error: {
      ...rest,
      message: typeof text === 'string' ? put(text) : text,
      ...(data === undefined ? {} : { data: rewriteJson(data, rewriting) }),
    },
  };
}
