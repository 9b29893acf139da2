import { canShowWithout } from '../../analysis/analyze.js';
import { isForPages, ownersOf, pageOf } from '../../engine/companions.js';
import { identityOf, mapPrimitive, type ServerCatalog } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import { groupBy } from '../../once.js';

/** A page, or a tool of a page, that can be hidden while a tool needs it. */
export interface HiddenCompanion {
  readonly kind: 'tools' | 'resources';
  readonly name: string;
  readonly tool: string;
}

/**
 * Finds what tools with pages (MCP Apps) need, and what the policy can hide while the tool is shown.
 *
 * @param policy the policy
 * @param catalog the primitives that the server lists
 * @returns each page and each tool of a page once, with the first tool that needs it
 * @example
 * findHiddenCompanions(policy, catalog); // [{ kind: 'resources', name: 'ui://chart.html', tool: 'chart' }]
 */
export function findHiddenCompanions(policy: Policy, catalog: ServerCatalog): readonly HiddenCompanion[] {
  const tools = catalog.tools ?? [];
  const needs = tools.flatMap((tool, position) => {
    const uri = isForPages(tool) ? undefined : pageOf(tool);
    if (uri === undefined) return [];
    const page = catalog.resources?.find((each) => identityOf('resources', each) === uri) ?? { uri };
    const helpers = tools.filter((each) => isForPages(each) && ownersOf(tools, each).includes(position));
    return [
      { kind: 'resources' as const, needed: page, tool },
      ...helpers.map((needed) => ({ kind: 'tools' as const, needed, tool })),
    ];
  });
  const hidden = needs.filter(({ kind, needed, tool }) =>
    canShowWithout(policy, mapPrimitive(policy, 'tools', tool), mapPrimitive(policy, kind, needed)),
  );
  const byName = groupBy(hidden, ({ kind, needed }) => `${kind} ${identityOf(kind, needed)}`);
  return [...byName.values()].map(([{ kind, needed, tool }]) => ({
    kind,
    name: identityOf(kind, needed),
    tool: identityOf('tools', tool),
  }));
}
