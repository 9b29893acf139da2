import { canShowWithout } from '../../analysis/analyze.js';
import { isForPages, ownersOf, pageOf } from '../../engine/companions.js';
import { identityOf, mapPrimitive, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import type { Kind, Policy } from '../../engine/policy.js';

/** A page, or a tool that only pages can call, which can be hidden while a tool that needs it is shown. */
export interface HiddenCompanion {
  readonly kind: Kind;
  readonly name: string;
  /** The tool that needs it. */
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
  const needs = tools.flatMap((tool, position): [Kind, Primitive, Primitive][] => {
    const uri = isForPages(tool) ? undefined : pageOf(tool);
    if (uri === undefined) return [];
    const page = catalog.resources?.find((each) => identityOf('resources', each) === uri) ?? { uri };
    const helpers = tools.filter((each) => isForPages(each) && ownersOf(tools, each).includes(position));
    return [
      ['resources', page, tool],
      ...helpers.map((each): [Kind, Primitive, Primitive] => ['tools', each, tool]),
    ];
  });
  const found = new Map<string, HiddenCompanion>();
  for (const [kind, needed, tool] of needs) {
    const name = identityOf(kind, needed);
    const key = `${kind} ${name}`;
    if (found.has(key)) continue;
    const [own, other] = [mapPrimitive(policy, 'tools', tool), mapPrimitive(policy, kind, needed)];
    if (canShowWithout(policy, own, other)) found.set(key, { kind, name, tool: identityOf('tools', tool) });
  }
  return [...found.values()];
}
