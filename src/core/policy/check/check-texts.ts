import { pathsOf } from '../../engine/expression/expression.js';
import { identityOf, type Primitive } from '../../engine/mapping.js';
import type { Policy } from '../../engine/policy.js';
import { argumentNames } from '../../engine/uses/domain.js';
import { parseUse, type UseName } from '../../engine/uses/use-name.js';
import { problem } from '../language/problem.js';
import type { CatalogCheck } from './catalog-places.js';
import { conditionsIn } from './check-rule-names.js';
import { reportsIn } from './check-values.js';

/** What a catalog of facts does not have of a definition: its texts and its schemas, but for the actions of tools. */
const isLeftOut = (path: string): boolean =>
  /^primitive\.(description|parameters|required)$|^arguments\./.test(path);

/**
 * @param policy the policy, prepared
 * @param tools the tools of the catalog of facts
 * @returns the first path that a rule or an `assign` reads and a catalog of facts does not have, or the first use of a tool that
 *   the policy names and whose values it does not have; `undefined` if there is none
 * @example
 * textRead(policy, []); // 'primitive.description'
 */
export function textRead(
  { rules, assigns, uses, binds }: Policy,
  tools: readonly Primitive[] = [],
): string | undefined {
  const path = [...rules, ...assigns].flatMap(({ paths }) => paths).find(isLeftOut);
  return path ?? uses.find((use) => !hasValues(use, tools))?.name ?? binds[0]?.name;
}

/** Returns whether a catalog of facts has the values of the argument that a use is about. It keeps actions only. */
function hasValues({ tool, argument }: UseName, tools: readonly Primitive[]): boolean {
  if (`${tool}${argument}`.includes('*')) return false;
  const listed = tools.filter((each) => identityOf('tools', each) === tool);
  return listed.every((each) => argumentNames(each).includes(argument));
}

/** Why such a policy cannot be compared with a catalog of facts, and what to do. */
export const needsTexts = (path: string): string => problem('catalog-without-texts', { path }).message;

/** Reports conditions that read what a catalog of facts does not have: they would be judged as if it were empty. */
export function checkTexts({ files, catalog, findings }: CatalogCheck): void {
  for (const { file, path, expression } of files.flatMap(conditionsIn)) {
    const read = pathsOf(expression).find(isLeftOut);
    if (read === undefined) continue;
    reportsIn(file, findings).error(path, problem('catalog-without-texts', { path: read }), 'key');
  }
  for (const file of files) {
    for (const section of ['patterns', 'primitives'] as const) {
      const name = Object.keys(file.document[section]?.tools ?? {}).find((each) => {
        const use = parseUse(each);
        return use !== undefined && !hasValues(use, catalog.tools ?? []);
      });
      if (name === undefined) continue;
      const found = problem('catalog-without-texts', { path: name });
      reportsIn(file, findings).error([section, 'tools', name], found, 'key');
    }
  }
}
