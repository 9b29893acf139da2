import type { TaskDefinition } from '../author/definition.js';
import { member } from '../wire/answer.js';
import { TASKS_EXTENSION } from '../wire/start.js';
import { toolOf } from '../wire/tools.js';

type Result = Readonly<Record<string, unknown>>;

/** Adds the capability of protocol 2025-11-25 to the result of `initialize`. */
export function declareLegacy(result: Result): Result {
  const capabilities = Object(member(result, 'capabilities'));
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  return { ...result, capabilities: { tools: {}, ...capabilities, tasks } };
}

/** Adds the Tasks extension to the result of `server/discover`. */
export function declareModern(result: Result): Result {
  const capabilities = Object(member(result, 'capabilities'));
  const extensions = { ...Object(member(capabilities, 'extensions')), [TASKS_EXTENSION]: {} };
  return { ...result, capabilities: { tools: {}, ...capabilities, extensions } };
}

/** Adds the tools of tasks to the last page of `tools/list`. A tool of the server with the same name is replaced. */
export function addTools(
  result: Result,
  definitions: ReadonlyMap<string, TaskDefinition>,
  era: 'legacy' | 'modern',
): Result {
  const tools = member(result, 'tools');
  const others = (Array.isArray(tools) ? tools : []).filter(
    (tool) => !definitions.has(String(member(tool, 'name'))),
  );
  const isLast = member(result, 'nextCursor') === undefined;
  const own = isLast ? [...definitions.values()].map((definition) => toolOf(definition, era)) : [];
  return { ...result, tools: [...others, ...own] };
}
