import type { Kind } from '../../engine/policy.js';
import { CLIENT_CAPABILITIES_META, read, TASKS_EXTENSION } from '../../wire/messages.js';
import type { RequestFacts } from '../request/facts.js';

/** What the tools of a list say about tasks. */
interface Support {
  /** Whether a tool says how it can be called as a task. */
  readonly isTold: boolean;
  /** Whether a tool can only be called as a task. */
  readonly isRequired: boolean;
}

/** Lists are remembered: most requests share a selection, and a list can have thousands of tools. */
const remembered = new WeakMap<readonly unknown[], Support>();

function supportIn(tools: readonly unknown[]): Support {
  const known = remembered.get(tools);
  if (known !== undefined) return known;
  const support = {
    isTold: tools.some((tool) => read(tool, 'execution') !== undefined),
    isRequired: tools.some(isTaskOnly),
  };
  remembered.set(tools, support);
  return support;
}

const isTaskOnly = (tool: unknown): boolean => read(tool, 'execution', 'taskSupport') === 'required';

/** Returns whether a server's result lists tools that can only be called as tasks. */
export function listsTaskOnlyTools(result: unknown): boolean {
  const tools = read(result, 'tools');
  return Array.isArray(tools) && supportIn(tools).isRequired;
}

/**
 * Returns the tools that a client can call. Without `settings.tasks: show`, a client of 2026-07-28 that does not declare the
 * Tasks extension does not get tools that can only be called as tasks. In 2025-11-25, no capability says that a client can
 * call tools as tasks.
 *
 * @returns the same list if the client can call all of it
 */
export function callableTools<T extends object>(
  { era, policy, request }: RequestFacts,
  kind: Kind,
  items: readonly T[],
): readonly T[] {
  if (kind !== 'tools' || era !== 'modern' || policy.settings.tasks === 'show') return items;
  if (read(request.params, '_meta', CLIENT_CAPABILITIES_META, 'extensions', TASKS_EXTENSION) !== undefined)
    return items;
  return supportIn(items).isRequired ? items.filter((tool) => !isTaskOnly(tool)) : items;
}

/** Returns tools as a client of their era knows them: 2026-07-28 has no `execution`. The same list if nothing changes. */
export function toolsOfEra(
  { era }: Pick<RequestFacts, 'era'>,
  kind: Kind,
  items: readonly object[],
): readonly object[] {
  if (kind !== 'tools' || era !== 'modern' || !supportIn(items).isTold) return items;
  return items.map((tool) => {
    if (!('execution' in tool)) return tool;
    const { execution: _execution, ...rest } = tool;
    return rest;
  });
}
