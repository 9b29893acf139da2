import { CLIENT_CAPABILITIES_META, ERRORS, type Failure, read, TASKS_EXTENSION } from './messages.js';

/** Tells a stream of the state of a task (SEP-2663). */
export const TASK_CHANGED = 'notifications/tasks';

/** The most tasks of one stream: each is read again and again. */
const MAX_TASKS = 100;

/** Whether a client declares the Tasks extension. */
export const supportsTasks = (capabilities: unknown): boolean =>
  read(capabilities, 'extensions', TASKS_EXTENSION) !== undefined;

/**
 * The error of a request whose client does not declare the Tasks extension (MCP 2026-07-28, Lifecycle). Its HTTP status is
 * 400.
 */
export const MISSING_EXTENSION: Pick<Failure, 'error'> = {
  error: {
    code: -32021,
    message: 'Missing required client capability',
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  },
};

/**
 * Returns the tasks that `subscriptions/listen` asks for, each once; an error if it cannot ask for them; `undefined` if it
 * asks for none.
 */
export function askedTasks(params: unknown): readonly string[] | Pick<Failure, 'error'> | undefined {
  const sent = read(params, 'notifications', 'taskIds');
  if (sent === undefined) return undefined;
  if (!supportsTasks(read(params, '_meta', CLIENT_CAPABILITIES_META))) return MISSING_EXTENSION;
  if (Array.isArray(sent) && sent.length <= MAX_TASKS && sent.every((each) => typeof each === 'string')) {
    return [...new Set<string>(sent)];
  }
  const message = `params.notifications.taskIds must be an array of at most ${MAX_TASKS} strings.`;
  return { error: { code: ERRORS.invalidParams, message } };
}
