import { readFileSync } from 'node:fs';

/** Files of the package, from dist/cli. */
export const packageFile = (path: string): URL => new URL(`../../${path}`, import.meta.url);

export const VERSION: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version;
