import { identityOf, type Primitive } from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import type { Presentation } from '../../engine/policy.js';
import { weakerHints } from '../../engine/present.js';
import { argumentsOf } from '../../engine/uses/domain.js';
import { parseUse, type UseName } from '../../engine/uses/use-name.js';
import { problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import type { CatalogCheck } from './catalog-places.js';
import { reportsIn } from './check-values.js';
import { isUnlisted } from './servers/own-catalog.js';

/**
 * Checks what a policy presents against what a server lists: tools that the server does not have, and hints that promise less
 * harm than those of the server.
 */
export function checkPresentation({ files, catalog, findings }: CatalogCheck): void {
  const { tools = [] } = catalog;
  const mayHaveMore = catalog.isFiltered === true || isUnlisted(catalog, 'tools');
  const listed = new Map<string, Primitive>(tools.map((tool) => [identityOf('tools', tool), tool]));
  for (const file of files) {
    const { error, warn } = reportsIn(file, findings);
    const checkUse = (
      path: Path,
      name: string,
      { tool, argument, value }: UseName,
      presented: Presentation,
    ) => {
      if (presented.title !== undefined || presented.description !== undefined)
        error(path, problem('use-presented', { name }), 'key');
      const found = listed.get(tool);
      if (mayHaveMore && found === undefined) return;
      const own = found === undefined ? undefined : argumentsOf(found).find((each) => each.name === argument);
      const isSendable =
        own?.domain.type === 'closed' &&
        (value === '' || own.domain.values.map(String).includes(value ?? ''));
      if (!isSendable)
        warn(path, problem('dead-entry.entry', { noun: 'use', name, hint: ' Remove it.' }), 'key');
    };
    for (const [name, presented] of Object.entries(file.document.present?.tools ?? {})) {
      const path = ['present', 'tools', name];
      const use = parseUse(name);
      if (use !== undefined) {
        checkUse(path, name, use, presented);
        continue;
      }
      const tool = listed.get(name);
      for (const hint of tool === undefined ? [] : weakerHints(tool, presented)) {
        error([...path, 'annotations', hint], problem('weaker-hint', { hint, name }), 'key');
      }
      if (tool !== undefined || mayHaveMore) continue;
      const hint = didYouMean(name, listed.keys()) || ' Remove it.';
      warn(path, problem('dead-entry.entry', { noun: 'tool', name, hint }), 'key');
    }
  }
}
