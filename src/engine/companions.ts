import { pathReader } from './expression/evaluate.js';
import { identityOf, type Primitive, type ServerCatalog } from './mapping.js';
import type { Kind, Policy } from './policy.js';

/** Where a tool names the page that shows its result (MCP Apps, SEP-1865). The second form is that of earlier drafts. */
const PAGE_READERS = ['ui.resourceUri', 'ui/resourceUri'].map(pathReader);
const readVisibility = pathReader('ui.visibility');

/**
 * @param primitive a tool as the server lists it
 * @returns the URI of its page; undefined if it has none
 * @example
 * pageOf({ name: 'chart', _meta: { ui: { resourceUri: 'ui://chart.html' } } }); // 'ui://chart.html'
 */
export function pageOf({ _meta }: Primitive): string | undefined {
  return PAGE_READERS.map((read) => read(_meta)).find((uri) => typeof uri === 'string');
}

/**
 * @param primitive a tool as the server lists it
 * @returns whether only a page can call it: `_meta.ui.visibility` is `["app"]`
 * @example
 * isForPages({ name: 'refresh', _meta: { ui: { visibility: ['app'] } } }); // true
 */
export function isForPages({ _meta }: Primitive): boolean {
  const visibility = readVisibility(_meta);
  return Array.isArray(visibility) && visibility.includes('app') && !visibility.includes('model');
}

/** @returns whether an entry or a pattern of the policy names a primitive: then the policy alone decides about it */
export function isNamed(policy: Policy, kind: Kind, identity: string): boolean {
  return (
    policy.entries[kind].has(identity) ||
    policy.patterns[kind].some(({ matches }) => matches(identity)) ||
    (kind === 'resources' && policy.covering.some(({ matches }) => matches(identity)))
  );
}

/**
 * Finds the tools that a tool for pages belongs to: those with the same page, or with any page if it names none.
 *
 * @param tools all tools of the server
 * @param helper a tool that only pages can call
 * @returns the positions of the tools
 */
export function ownersOf(tools: readonly Primitive[], helper: Primitive): number[] {
  const page = pageOf(helper);
  return tools.flatMap((tool, position) => {
    const own = isForPages(tool) ? undefined : pageOf(tool);
    return own !== undefined && (page === undefined || own === page) ? [position] : [];
  });
}

/**
 * Finds what tools with pages keep while they are shown, as long as the policy does not name it: the pages, and the tools
 * that only pages can call.
 *
 * @param catalog the primitives that the server lists
 * @returns the resources and tools among them
 * @example
 * companionsIn({ tools: [{ name: 'chart', _meta: { ui: { resourceUri: 'ui://chart.html' } } }] }).size; // 0
 */
export function companionsIn({ tools = [], resources = [] }: ServerCatalog): ReadonlySet<Primitive> {
  const pages = new Set(tools.flatMap((tool) => (isForPages(tool) ? [] : (pageOf(tool) ?? []))));
  return new Set([
    ...tools.filter((tool) => isForPages(tool) && ownersOf(tools, tool).length > 0),
    ...resources.filter((resource) => pages.has(identityOf('resources', resource))),
  ]);
}
