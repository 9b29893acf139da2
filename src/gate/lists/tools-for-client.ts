import type { Kind } from '../../engine/policy.js';
import { CLIENT_CAPABILITIES_META, read, TASKS_EXTENSION } from '../../wire/messages.js';
import { isUriShown } from '../enforce/visibility.js';
import { ask, type Settling } from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';
import { KINDS_OF } from '../table/routing.js';

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

/** Returns whether a tool can only be called as a task. */
export const isTaskOnly = (tool: unknown): boolean => read(tool, 'execution', 'taskSupport') === 'required';

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

/** Where a tool names the resource that shows its result (SEP-1865). The second form is that of earlier drafts. */
const UI_PATHS: readonly (readonly [string, ...string[]])[] = [['ui', 'resourceUri'], ['ui/resourceUri']];

/**
 * Removes the links from listed tools to hidden resources under `enforce`. Without such a link, nothing is needed, and the
 * list stays the same.
 */
export function* withoutHiddenUi(
  facts: Facts,
  kind: Kind,
  items: readonly object[],
): Settling<readonly object[]> {
  const uris = kind === 'tools' && facts.isEnforced ? new Set(items.flatMap(linksOf)) : undefined;
  if (uris === undefined || uris.size === 0) return items;
  const targets = [...uris].map((name) => ({ type: 'uri', name }) as const);
  const { lists, enough } = yield* ask({ need: 'lists', kinds: KINDS_OF.uri, targets });
  const hidden = [...uris].filter((uri) => !enough || !isUriShown(lists, uri, facts.configuration));
  return hidden.length === 0 ? items : items.map((item) => withoutLinks(item, new Set(hidden)));
}

const linkAt = (tool: object, path: readonly string[]): unknown => read(tool, '_meta', ...path);

function linksOf(tool: object): readonly string[] {
  if (read(tool, '_meta') === undefined) return [];
  return UI_PATHS.flatMap((path) => {
    const uri = linkAt(tool, path);
    return typeof uri === 'string' ? [uri] : [];
  });
}

function withoutLinks(tool: object, hidden: ReadonlySet<unknown>): object {
  const _meta = { ...(read(tool, '_meta') as object | undefined) };
  const dropped = UI_PATHS.filter((path) => hidden.has(linkAt(tool, path)));
  if (dropped.length === 0) return tool;
  return { ...tool, _meta: dropped.reduce<object>((meta, path) => withoutKey(meta, path), _meta) };
}

function withoutKey(value: object, [key, ...rest]: readonly string[]): object {
  const entries = Object.entries(value).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner]];
    return rest.length === 0 ? [] : [[name, withoutKey(inner as object, rest)]];
  });
  return Object.fromEntries(entries);
}
