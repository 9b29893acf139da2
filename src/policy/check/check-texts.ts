import { pathsOf } from '../../engine/expression/expression.js';
import type { Policy } from '../../engine/policy.js';
import { parseUse } from '../../engine/uses/use-name.js';
import { problem } from '../language/problem.js';
import type { CatalogCheck } from './catalog-places.js';
import { conditionsIn } from './check-rule-names.js';
import { reportsIn } from './check-values.js';

/** What a catalog of facts does not have of a definition: its texts and its schemas. */
const isLeftOut = (path: string): boolean =>
  /^primitive\.(description|parameters|required)$|^arguments\./.test(path);

/**
 * @param policy the policy, prepared
 * @returns the first path that a rule or an `assign` reads and a catalog of facts does not have, or the first use of a tool that
 *   the policy names; `undefined` if there is none
 * @example
 * textRead(policy); // 'primitive.description'
 */
export const textRead = ({ rules, assigns, uses, binds }: Policy): string | undefined =>
  [...rules, ...assigns].flatMap(({ paths }) => paths).find(isLeftOut) ?? uses[0]?.name ?? binds[0]?.name;

/** Why such a policy cannot be compared with a catalog of facts, and what to do. */
export const needsTexts = (path: string): string => problem('catalog-without-texts', { path }).message;

/** Reports conditions that read what a catalog of facts does not have: they would be judged as if it were empty. */
export function checkTexts({ files, findings }: CatalogCheck): void {
  for (const { file, path, expression } of files.flatMap(conditionsIn)) {
    const read = pathsOf(expression).find(isLeftOut);
    if (read === undefined) continue;
    reportsIn(file, findings).error(path, problem('catalog-without-texts', { path: read }), 'key');
  }
  for (const file of files) {
    for (const section of ['patterns', 'primitives'] as const) {
      const name = Object.keys(file.document[section]?.tools ?? {}).find(
        (each) => parseUse(each) !== undefined,
      );
      if (name === undefined) continue;
      const found = problem('catalog-without-texts', { path: name });
      reportsIn(file, findings).error([section, 'tools', name], found, 'key');
    }
  }
}
