import { architecturePage } from './architecture.js';
import { commandsFile } from './commands.js';
import { dataFiles } from './data.js';
import { writePage } from './page.js';
import { schemaFiles } from './schemas.js';

/**
 * Generates the schemas for editors, the validators and their types, modules of data, the page with the switches, and the
 * picture of the architecture.
 *
 * @returns the expected text of each generated file, by its path in the repository
 * @example
 * for (const [file, text] of await generatedFiles()) writeFileSync(file, text);
 */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/architecture.md', architecturePage()],
    ['src/core/gate/panel/generated/page.ts', await writePage()],
    ...(await schemaFiles()),
    commandsFile(),
    ...dataFiles(),
  ]);
}
