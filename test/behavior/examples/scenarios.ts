import { readFileSync } from 'node:fs';

/** One step of a scenario: a file to write, or a command to run. */
export type Step = { readonly file: string; readonly text: string } | { readonly command: string };

/**
 * Reads a scenario from a page: the blocks whose first line has its name after the language, as in "```sh own-server" and
 * "```ts own-server src/server.ts". Readers do not see the name.
 *
 * @param page the path of the page
 * @param name the name of the scenario
 * @returns its steps, in the order of the page
 */
export function scenarioOf(page: string, name: string): Step[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/^```(\w+) (\S+)(?: (\S+))?\n([\s\S]*?)^```$/gm);
  return [...blocks].flatMap(([, language, found, file, text = '']): Step[] => {
    if (found !== name) return [];
    if (file !== undefined) return [{ file, text }];
    if (language !== 'sh') throw new Error(`A block of ${name} in ${page} has no file.`);
    return text
      .trim()
      .split('\n')
      .map((command) => ({ command }));
  });
}
