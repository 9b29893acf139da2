import { identityOf, type Primitive } from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { weakerHints } from '../../engine/present.js';
import { problem } from '../language/problem.js';
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
    for (const [name, presented] of Object.entries(file.document.present?.tools ?? {})) {
      const path = ['present', 'tools', name];
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
