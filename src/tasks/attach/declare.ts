import type { Call } from '../../core/wire/calls.js';
import { membersOf, read, TASKS_EXTENSION } from '../../core/wire/messages.js';
import { supportsTasks } from '../../core/wire/task-streams.js';
import { jsonSchemaOf, type TaskDefinition } from '../author/definition.js';
import type { Tasks } from '../port/tasks.js';

type Result = Record<string, unknown>;

/** Adds the tools of tasks that run as plain calls, and other capabilities. */
export function declareTools(result: Result, others: Result = {}): Result {
  return { ...result, capabilities: { tools: {}, ...membersOf(result.capabilities), ...others } };
}

/** Adds the capability of protocol 2025-11-25 to the result of `initialize`. */
export const declareLegacy = (result: Result): Result =>
  declareTools(result, { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } });

/** Adds the Tasks extension to the result of `server/discover`. */
export const declareModern = (result: Result): Result =>
  declareTools(result, {
    extensions: { ...membersOf(read(result, 'capabilities', 'extensions')), [TASKS_EXTENSION]: {} },
  });

/**
 * Adds the tools of tasks to the last page of `tools/list`. A tool of the server with the same name is replaced. A gate that
 * reads the list first decides which tools the client is shown.
 */
export function addTools(
  result: Result,
  { definitions, plain = false }: Pick<Tasks, 'definitions' | 'plain'>,
  { era, capabilities, isGated }: Call,
): Result {
  const tools = read(result, 'tools');
  const isOther = (tool: unknown) => !definitions.has(String(read(tool, 'name')));
  const others = (Array.isArray(tools) ? tools : []).filter(isOther);
  const isLast = read(result, 'nextCursor') === undefined;
  const withSupport = !plain && (isGated || era === 'legacy');
  const callable = (isLast ? [...definitions.values()] : []).filter(
    ({ support }) => withSupport || supportsTasks(capabilities) || support === 'optional',
  );
  const own = callable.map((definition) => toolOf(definition, withSupport));
  return { ...result, tools: [...others, ...own] };
}

/**
 * Describes a task as a tool for `tools/list`.
 *
 * @param definition the task
 * @param withSupport whether to say how it may be called: in protocol 2025-11-25, and to a gate, which leaves out tools that
 *   a client cannot call. In the Tasks extension, the server decides, and tools do not tell.
 */
export function toolOf(definition: TaskDefinition, withSupport: boolean): Readonly<Record<string, unknown>> {
  const { name, title, description, annotations, _meta, support } = definition;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: jsonSchemaOf(definition),
    ...(annotations === undefined ? {} : { annotations }),
    ...(withSupport ? { execution: { taskSupport: support } } : {}),
    ...(_meta === undefined ? {} : { _meta }),
  };
}
