import { clientNames } from '../engine/caller-facts.js';
import { toYamlScalar } from '../policy/language/yaml-scalars.js';
import { writeTest } from '../policy/testing/first-tests.js';
import { describePreferences } from './describe-preferences.js';
import type { PlaygroundDocument } from './document.js';
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
  const test = {
    name: describePreferences(preferences, claims),
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

/** Saves a text as a file, where the browser saves files. */
export function saveFile(name: string, text: string): void {
  const link = document.createElement('a');
  link.download = name;
  link.href = `data:text/yaml;charset=utf-8,${encodeURIComponent(text)}`;
  link.click();
}
