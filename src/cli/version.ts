import { readFileSync } from 'node:fs';

/** @returns the URL of a file of this package; the command runs from `dist/cli` */
export const packageFile = (path: string): URL => new URL(`../../${path}`, import.meta.url);

export const VERSION: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version;
