import { pathReader } from './expression/evaluate.js';
import type { Primitive } from './mapping.js';

/** Where a tool names the page that shows its result (MCP Apps, SEP-1865). The other forms are those of earlier drafts and of one host. */
const PAGE_READERS = ['ui.resourceUri', 'ui/resourceUri', 'openai/outputTemplate'].map(pathReader);
const readVisibility = pathReader('ui.visibility');

/** @returns the URIs of pages that a tool names, as a server lists it */
export const pagesOf = ({ _meta }: Primitive): string[] =>
  PAGE_READERS.map((read) => read(_meta)).filter((uri) => typeof uri === 'string');

/**
 * @param primitive a tool as the server lists it
 * @returns the URI of its page; undefined if it has none
 * @example
 * pageOf({ name: 'chart', _meta: { ui: { resourceUri: 'ui://chart.html' } } }); // 'ui://chart.html'
 */
export const pageOf = (primitive: Primitive): string | undefined => pagesOf(primitive)[0];

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
