import { type Answer, ERRORS, type Failure } from '../../wire/messages.js';
import { rewriteJson } from '../../wire/rewrite-json.js';
import { redactError } from '../enforce/redact-texts.js';
import { redactResponse } from '../enforce/redaction.js';
import {
  ask,
  pass,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
  refuse,
} from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { storeWarning } from '../request/report.js';
import { isPrivate, mayUse } from './task-owner.js';
import { unknownTaskId } from './unknown-task-id.js';

/**
 * Handles a request that names a task by its id, such as `tasks/get`. For a task of another caller, the server is asked
 * for a task that does not exist: so the client gets the server's own answer to an unknown task, in every enforcement mode.
 */
export function* judgeTask(facts: RequestFacts): RequestSteps<RequestOutcome> {
  const { params } = facts.request;
  const taskId = params?.taskId;
  if (taskId !== undefined && typeof taskId !== 'string') {
    // A server may read a list of one id as that id.
    return refuse(ERRORS.invalidParams, 'params.taskId must be a string.');
  }
  // The answer is redacted, for which the configuration must be known.
  if (facts.isEnforced) yield* ask({ need: 'preferences', invalid: 'refuse' });
  const told = () => [{}] as const;
  if (taskId === undefined) return pass(facts, told);
  try {
    if (yield* mayUseTask(facts, taskId)) return pass(facts, told);
  } catch (cause) {
    return refuseUnread(cause);
  }
  const sent = unknownTaskId(taskId);
  const substitute = { name: sent, sent, original: taskId };
  return { to: 'server', params: { ...params, taskId: sent }, substitute, tell: told };
}

/** Returns whether the task belongs to the caller. Over HTTP, a task of an unknown maker belongs to nobody. */
function* mayUseTask(facts: RequestFacts, taskId: string): ResponseSteps<boolean> {
  if (isPrivate(facts)) return true;
  const [maker] = yield* ask({ need: 'makers', taskIds: [taskId] });
  return maker !== undefined && mayUse(yield* ask({ need: 'owner' }), taskId, maker);
}

/** Answers a request whose task cannot be attributed, because the session store cannot be read. */
export function refuseUnread(cause: unknown): RequestOutcome {
  return refuse(ERRORS.internal, 'The owners of tasks could not be read. Try again.', undefined, () => [
    { warnings: [storeWarning('read', cause)] },
  ]);
}

/** Puts the id of the client back into the answer and, under `enforce`, redacts the answer as that of the tool call. */
export function* settleTask(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  if (!facts.isEnforced) return { message: withOriginalId(facts, message) };
  const redacted = yield* redactResponse(facts, message);
  return { ...redacted, message: withOriginalId(facts, redacted.message) };
}

function withOriginalId({ substitute }: Facts, message: Answer | Failure): Answer | Failure {
  if (substitute === undefined) return message;
  const { sent, original } = substitute;
  const put = (text: string): string => text.replaceAll(sent, () => original);
  return 'error' in message
    ? { ...message, error: redactError(message.error, put) }
    : { ...message, result: rewriteJson(message.result, { text: put, key: put }) };
}
