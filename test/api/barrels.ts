import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A public subpath: the name that users import, and the source file that it is built from. */
export interface Barrel {
  readonly specifier: string;
  readonly file: string;
}

const manifest: { exports: Record<string, string | { default: string }> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

/** The barrel of each public subpath. */
export const barrels: readonly Barrel[] = Object.entries(manifest.exports).flatMap(([subpath, target]) =>
  typeof target === 'string'
    ? []
    : [
        {
          specifier: subpath.replace('.', 'mcp-concerns'),
          file: target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
        },
      ],
);

/** Returns the values that a barrel exports, by name. */
export async function valuesOf({ file }: Barrel): Promise<Readonly<Record<string, unknown>>> {
  return import(pathToFileURL(file).href);
}
