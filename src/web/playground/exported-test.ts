import { clientNames } from '../../core/engine/caller-facts.js';
import { toYamlScalar } from '../../core/policy/language/yaml-scalars.js';
import { writeTest } from '../../core/policy/testing/first-tests.js';
import type { PlaygroundDocument, Values } from './document.js';
import { callerOf, type Program } from './program.js';

/**
 * Writes a test file that records what the host sees now.
 *
 * @param program the policy and the catalog
 * @param document the files, the preferences and the claims
 * @returns the YAML text of the file
 */
export function exportedTest(program: Program, document: PlaygroundDocument): string {
  const { files, catalog, catalogFile, preferences, claims } = document;
  const names = files.map(({ name }) => toYamlScalar(name));
  const caller = callerOf(program.policy, claims);
  const words = [...wordsOf(preferences), ...wordsOf(claims)].join(', ');
  const test = {
    name: `a host with ${words || 'no preferences'}`,
    concerns: preferences,
    claims: Object.fromEntries(caller.claims ?? []),
    client: clientNames(caller.client),
  };
  return [
    '# To add the test to a test file that exists, copy the lines below "tests:".',
    `policy: ${names.length === 1 ? names[0] : `[${names.join(', ')}]`}`,
    `catalog: ${toYamlScalar(catalogFile)}`,
    '',
    'tests:',
    writeTest(program.policy, catalog, test),
  ].join('\n');
}

const wordsOf = (values: Values): string[] =>
  Object.entries(values).map(
    ([name, value]) => `${name} ${value === null ? 'any' : [value].flat().join(' or ')}`,
  );

/** Saves a text as a file, where the browser saves files. */
export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = `data:text/yaml;charset=utf-8,${encodeURIComponent(text)}`;
  link.click();
}
