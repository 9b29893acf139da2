import type { ConcernWarning } from '../../engine/configuration.js';
import { ownerOf, type TaskCaller } from '../../session/task-owner.js';
import { ACCESS_METHODS, type Answer, type Failure, type Request, read } from '../../wire/messages.js';
import { settleAccess } from '../enforce/access-check.js';
import { isRedacted } from '../request/configure.js';
import { ask, type ResponseOutcome, type ResponseSteps } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { storeWarning } from '../request/report.js';

/**
 * The client must not learn the id of a task before it is remembered. Most answers need neither of the two decisions, and
 * each one costs 0.4 us although it asks for nothing.
 */
export function* settleCall(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  const settled = isRedacted(facts) ? yield* settleAccess(facts, message) : { message };
  const created = createdBy(facts.request, settled.message);
  return created === undefined ? settled : yield* rememberTask(facts, settled);
}

/**
 * Remembers who created a task and by which tool, from the answer to the tool call: a task itself names neither. Until then
 * the client must not learn the id of the task.
 *
 * @param facts the request
 * @param settled the answer
 * @returns the answer. If the store fails, it tells so.
 */
export function* rememberTask(facts: Facts, settled: ResponseOutcome): ResponseSteps<ResponseOutcome> {
  const { message } = settled;
  const created = createdBy(facts.request, message);
  if (created === undefined) return settled;
  const { taskId, tool } = created;
  const warnings: ConcernWarning[] = [];
  let caller: TaskCaller = {};
  try {
    caller = yield* ask({ need: 'owner' });
  } catch (cause) {
    // Nothing tells whose session it is, but the client gets the id, and must be able to use it.
    warnings.push(storeWarning('read', cause));
  }
  try {
    yield* ask({ need: 'remember', taskId, maker: { tool, owner: ownerOf(caller, taskId) } });
  } catch (cause) {
    warnings.push(storeWarning('written', cause));
  }
  // Only errors are reported otherwise.
  return warnings.length === 0 ? settled : { message, tell: () => [{ warnings }] };
}

/** Protocol version 2025-11-25 has the task in a member, the Tasks extension of 2026-07-28 is the task itself. */
function createdBy(
  { method, params }: Request,
  message: Answer | Failure,
): { readonly taskId: string; readonly tool: string } | undefined {
  if (method !== ACCESS_METHODS.call || 'error' in message) return undefined;
  const nested = params?.task === undefined ? undefined : read(message.result, 'task', 'taskId');
  const taskId = nested ?? (message.result.resultType === 'task' ? message.result.taskId : undefined);
  const tool = read(params, 'name');
  return typeof taskId === 'string' && typeof tool === 'string' ? { taskId, tool } : undefined;
}
