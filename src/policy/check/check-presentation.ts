import { identityOf, type Primitive, type ServerCatalog } from '../../engine/mapping.js';
import { didYouMean } from '../../engine/match/did-you-mean.js';
import { weakerHints } from '../../engine/present.js';
import type { Finding } from '../language/findings.js';
import { findingAt, problem } from '../language/problem.js';
import type { CheckedFile } from './check-values.js';

/**
 * Checks what a policy presents against what a server lists: tools that the server does not have, and hints that promise less
 * harm than those of the server.
 *
 * @param files the files of the policy
 * @param catalog what the server lists
 * @param isFiltered whether the server may have tools that it does not list
 * @returns a warning for each tool that does not exist, and an error for each weaker hint
 * @example
 * checkPresentation(files, { tools: [{ name: 'tree' }] });
 */
export function checkPresentation(
  files: readonly CheckedFile[],
  { tools = [] }: ServerCatalog,
  isFiltered = false,
): Finding[] {
  const listed = new Map<string, Primitive>(tools.map((tool) => [identityOf('tools', tool), tool]));
  return files.flatMap(({ source, document }) =>
    Object.entries(document.present?.tools ?? {}).flatMap(([name, presented]): Finding[] => {
      const path = ['present', 'tools', name];
      const tool = listed.get(name);
      if (tool === undefined) {
        if (isFiltered) return [];
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
