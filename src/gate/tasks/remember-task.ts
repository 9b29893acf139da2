import type { ConcernWarning } from '../../engine/configuration.js';
import { ownerOf, type TaskCaller } from '../../session/task-owner.js';
import { ACCESS_METHODS, type Answer, type Failure, type Request, read } from '../../wire/messages.js';
import { settleAccess } from '../enforce/access-check.js';
import { ask, type Settled, type Settling } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { storeWarning } from '../request/report.js';

/** The client must not learn the id of a task before it is remembered. */
export function* settleCall(facts: Facts, message: Answer | Failure): Settling<Settled> {
  return yield* rememberTask(facts, yield* settleAccess(facts, message));
}

/**
 * Remembers who created a task and by which tool, from the answer to the tool call: a task itself names neither. Until then
 * the client must not learn the id of the task.
 *
 * @param facts the request
 * @param settled the answer
 * @returns the answer. If the store fails, it tells so.
 */
export function* rememberTask(facts: Facts, settled: Settled): Settling<Settled> {
  const { message } = settled;
  const created = 'error' in message ? undefined : createdBy(facts.request, message.result);
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
  result: Record<string, unknown>,
): { readonly taskId: string; readonly tool: string } | undefined {
  if (method !== ACCESS_METHODS.call) return undefined;
  const nested = params?.task === undefined ? undefined : read(result, 'task', 'taskId');
  const taskId = nested ?? (result.resultType === 'task' ? read(result, 'taskId') : undefined);
  const tool = read(params, 'name');
  return typeof taskId === 'string' && typeof tool === 'string' ? { taskId, tool } : undefined;
}
