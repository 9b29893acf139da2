import { type Era, read, TASKS_EXTENSION } from '../../wire/messages.js';
import type { TaskDefinition } from '../author/definition.js';
import { toolOf } from '../wire/tools.js';

type Result = Record<string, unknown>;

/** Adds the capability of protocol 2025-11-25 to the result of `initialize`. */
export function declareLegacy(result: Result): Result {
  const capabilities = Object(read(result, 'capabilities'));
  const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
  return { ...result, capabilities: { tools: {}, ...capabilities, tasks } };
}

/** Adds the Tasks extension to the result of `server/discover`. */
export function declareModern(result: Result): Result {
  const capabilities = Object(read(result, 'capabilities'));
  const extensions = { ...Object(read(capabilities, 'extensions')), [TASKS_EXTENSION]: {} };
  return { ...result, capabilities: { tools: {}, ...capabilities, extensions } };
}

/** For whom the tools of tasks are listed. */
export interface ToolsReader {
  readonly era: Era;
  /** Whether the client declares the Tasks extension. */
  readonly supportsTasks: boolean;
  /** Whether a gate with a policy reads the list first. It decides which tools the client is shown. */
  readonly isGate: boolean;
}

/** Adds the tools of tasks to the last page of `tools/list`. A tool of the server with the same name is replaced. */
export function addTools(
  result: Result,
  definitions: ReadonlyMap<string, TaskDefinition>,
  { era, supportsTasks, isGate }: ToolsReader,
): Result {
  const tools = read(result, 'tools');
  const others = (Array.isArray(tools) ? tools : []).filter(
    (tool) => !definitions.has(String(read(tool, 'name'))),
  );
  const isLast = read(result, 'nextCursor') === undefined;
  const callable = (isLast ? [...definitions.values()] : []).filter(
    ({ support }) => isGate || era === 'legacy' || supportsTasks || support === 'optional',
  );
  const own = callable.map((definition) => toolOf(definition, isGate || era === 'legacy'));
  return { ...result, tools: [...others, ...own] };
}
