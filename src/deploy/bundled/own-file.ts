import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Finds a file of this package, whichever of its files this code is in after the build.
 *
 * @param path from the root of the package, with `/`
 * @returns its absolute path
 * @example
 * ownFile('dist/cli/main.js');
 */
export function ownFile(path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve('mcp-concerns/package.json')), path);
}
