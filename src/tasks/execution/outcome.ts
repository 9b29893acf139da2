import { ERRORS, rpcError } from '../../core/wire/messages.js';
import {
  type BrokenRule,
  messageOf,
  TaskCancelled,
  TaskProtocolError,
  TaskRuleError,
  TaskStepError,
} from '../author/errors.js';
import { jsonBytes, jsonProblem } from '../author/json-value.js';
import type { TaskEnd, ToolResult } from '../records/record.js';

/** What a checkpoint keeps of work that is over: its value, or an error that means something to the task. */
export type Outcome<T = unknown> =
  | { readonly value: T }
  | { readonly cancelled: string }
  | { readonly rule: BrokenRule }
  | { readonly protocol: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly failed: string };

/**
 * Runs work and turns its errors into data, because errors lose their class and code at a checkpoint.
 *
 * @param place what runs, for messages
 * @param work the work
 * @returns what happened. Other errors than those of this package are thrown, so that the engine can retry.
 */
export async function outcomeOf<T>(place: string, work: () => Promise<T> | T): Promise<Outcome<T>> {
  try {
    const value = await work();
    const problem = jsonProblem(value);
    return problem === undefined
      ? { value }
      : {
          rule: {
            code: 'TASK_VALUE_NOT_JSON',
            message: `The value of ${place} is not JSON: ${problem}. Return plain data, such as toISOString() of a date.`,
          },
        };
  } catch (error) {
    if (error instanceof TaskCancelled) return { cancelled: error.message };
    if (error instanceof TaskRuleError) return { rule: { code: error.code, message: error.message } };
    if (error instanceof TaskProtocolError) return { protocol: rpcErrorOf(error) };
    throw error;
  }
}

/** Returns the value of an outcome, or throws its error. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if ('failed' in outcome) throw new TaskStepError(outcome.failed);
  if ('cancelled' in outcome) throw new TaskCancelled(outcome.cancelled);
  if ('rule' in outcome) throw new TaskRuleError(outcome.rule.code, outcome.rule.message);
  if ('protocol' in outcome) {
    throw new TaskProtocolError(outcome.protocol.code, outcome.protocol.message, outcome.protocol.data);
  }
  return outcome.value;
}

/** The largest result of a task, in bytes of JSON: what an execution keeps and a response can carry. */
const MAX_RESULT_BYTES = 1_000_000;

const resultInvalid = (what: string): BrokenRule => ({
  code: 'TASK_RESULT_INVALID',
  message: `The result of the task cannot be sent: ${what}`,
});

/** Returns the end of a task whose function returned. */
export function endOfResult(returned: unknown): TaskEnd {
  const result = typeof returned === 'string' ? textResult(returned) : (returned ?? { content: [] });
  const problem = jsonProblem(result);
  if (problem !== undefined || !isToolResult(result)) {
    const what = problem === undefined ? 'it has no array "content"' : `it is not JSON: ${problem}`;
    return failedBy(resultInvalid(`${what}. Return a text, or {content: [...]}.`));
  }
  const bytes = jsonBytes(result);
  if (bytes > MAX_RESULT_BYTES) {
    return failedBy(
      resultInvalid(
        `it has ${bytes} bytes, and at most ${MAX_RESULT_BYTES} are kept. Return a resource link.`,
      ),
    );
  }
  return { status: result.isError === true ? 'tool_error' : 'completed', result };
}

/** Returns the end of a task whose function threw. */
export function endOfError(error: unknown): TaskEnd {
  if (error instanceof TaskCancelled) return { status: 'cancelled' };
  if (error instanceof TaskRuleError) return failedBy(error);
  if (error instanceof TaskProtocolError) return { status: 'failed', error: rpcErrorOf(error) };
  return { status: 'tool_error', result: { ...textResult(messageOf(error)), isError: true } };
}

/** Returns the end of a task that breaks a rule. */
export function failedBy({ code, message }: BrokenRule): TaskEnd {
  return { status: 'failed', error: { code: ERRORS.internal, message, data: { code } } };
}

/** Returns the end of a task that its engine could not finish. */
export function failedInternally(message: string): TaskEnd {
  return { status: 'failed', error: { code: ERRORS.internal, message } };
}

const rpcErrorOf = ({ rpcCode, message, data }: TaskProtocolError) => rpcError(rpcCode, message, data);

function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}
