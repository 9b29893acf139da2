import { pagesOf } from '../../engine/companions.js';
import type { Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import { CLIENT_CAPABILITIES_META, read, TASKS_EXTENSION } from '../../wire/messages.js';
import { rewriteJson } from '../../wire/rewrite-json.js';
import { isUriShown } from '../enforce/visibility.js';
import { listsFor, type ResponseSteps } from '../request/decision.js';
import type { Facts, RequestFacts } from '../request/facts.js';

/** Returns whether a tool can only be called as a task. */
export const isTaskOnly = (tool: unknown): boolean => read(tool, 'execution', 'taskSupport') === 'required';

/** Returns whether a server's result lists tools that can only be called as tasks. */
export function listsTaskOnlyTools(result: unknown): boolean {
  const tools = read(result, 'tools');
  return Array.isArray(tools) && tools.some(isTaskOnly);
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
  return items.some(isTaskOnly) ? items.filter((tool) => !isTaskOnly(tool)) : items;
}

/** Returns tools as a client of their era knows them: 2026-07-28 has no `execution`. The same list if nothing changes. */
export function toolsOfEra(
  { era }: Pick<RequestFacts, 'era'>,
  kind: Kind,
  items: readonly Primitive[],
): readonly Primitive[] {
  if (kind !== 'tools' || era !== 'modern' || !items.some((tool) => 'execution' in tool)) return items;
  return items.map((tool) => {
    if (!('execution' in tool)) return tool;
    const { execution: _execution, ...rest } = tool;
    return rest;
  });
}

/**
 * Removes the links from listed tools to hidden resources under `enforce`. Without such a link, nothing is needed, and the
 * list stays the same.
 */
export function* withoutHiddenUi(
  facts: Facts,
  kind: Kind,
  items: readonly Primitive[],
): ResponseSteps<readonly Primitive[]> {
  const uris = kind === 'tools' && facts.isEnforced ? new Set(items.flatMap(pagesOf)) : undefined;
  if (uris === undefined || uris.size === 0) return items;
  const { lists, enough } = yield* listsFor('uri', uris);
  const hidden = new Set([...uris].filter((uri) => !enough || !isUriShown(lists, uri, facts.configuration)));
  return hidden.size === 0 ? items : items.map((item) => withoutLinks(item, hidden));
}

/** The members of `_meta` that can name a page. */
const PAGE_MEMBERS: ReadonlySet<string | undefined> = new Set([
  'resourceUri',
  'ui/resourceUri',
  'openai/outputTemplate',
]);

function withoutLinks(tool: Primitive, hidden: ReadonlySet<string>): Primitive {
  const text = (uri: string, member: string | undefined): string | undefined =>
    PAGE_MEMBERS.has(member) && hidden.has(uri) ? undefined : uri;
  const _meta = rewriteJson(tool._meta, { text });
  return _meta === tool._meta ? tool : { ...tool, _meta };
}
