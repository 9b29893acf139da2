import { identityOf, type Primitive } from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { weakerHints } from '../../engine/present.js';
import type { Finding } from '../language/findings.js';
import { findingAt, problem } from '../language/problem.js';
import type { CatalogCheck } from './catalog-places.js';
import { isUnlisted } from './servers/own-catalog.js';

/**
 * Checks what a policy presents against what a server lists: tools that the server does not have, and hints that promise less
 * harm than those of the server.
 *
 * @returns a warning for each tool that does not exist, and an error for each weaker hint
 */
export function checkPresentation({ files, catalog }: CatalogCheck): Finding[] {
  const { tools = [] } = catalog;
  const mayHaveMore = catalog.isFiltered === true || isUnlisted(catalog, 'tools');
  const listed = new Map<string, Primitive>(tools.map((tool) => [identityOf('tools', tool), tool]));
  return files.flatMap(({ source, document }) =>
    Object.entries(document.present?.tools ?? {}).flatMap(([name, presented]): Finding[] => {
      const path = ['present', 'tools', name];
      const tool = listed.get(name);
      if (tool === undefined) {
        if (mayHaveMore) return [];
        const hint = didYouMean(name, listed.keys()) || ' Remove it.';
        const found = problem('dead-entry.entry', { noun: 'tool', name, hint });
        return [findingAt(source.locate(path, 'key'), 'warning', found)];
      }
      return weakerHints(tool, presented).map((hint) => {
        const place = source.locate([...path, 'annotations', hint], 'key');
        return findingAt(place, 'error', problem('weaker-hint', { hint, name }));
      });
    }),
  );
}
