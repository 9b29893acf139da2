import { readFileSync } from 'node:fs';

/** @returns the URL of a file of this package; the command runs from `dist/cli` */
export const packageFile = (path: string): URL => new URL(`../../${path}`, import.meta.url);

const { version, homepage } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));

export const VERSION: string = version;

/** The documentation of a published package: the workflow that publishes knows where it is. */
export const SITE: string | undefined = homepage?.endsWith('/') ? homepage : undefined;
