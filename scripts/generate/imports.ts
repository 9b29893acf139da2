import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One import statement of a source file. */
export interface Import {
  /** The importing file, from the project's folder: `src/core/http/cors.ts`. */
  readonly file: string;
  /** The specifier as written: `./http-errors.js`, `yaml`. */
  readonly specifier: string;
  /** The imported file, if it is one of ours. */
  readonly target: string | undefined;
  /** Whether code is loaded: type imports disappear when the code is compiled. */
  readonly loads: boolean;
}

/** @returns every TypeScript file below `src`, with `/` between folders, sorted */
export function sourceFiles(): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file))
    .sort();
}

/**
 * Reads every import of every source file: static, dynamic, and exports from other files.
 *
 * @returns the imports, in the order of the files
 * @example
 * readImports().filter(({ target }) => target === 'src/core/errors.ts');
 */
export function readImports(): Import[] {
  return sourceFiles().flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const found = [
      // Before its specifier, an import has neither quotes nor values: a constant with the text of a module has.
      ...text.matchAll(/^(?:import|export)\s+(?<type>type\s)?[^;'"=]*?from\s*'(?<specifier>[^']+)'/gm),
      ...text.matchAll(/^(?<type>)import\s*'(?<specifier>[^']+)'/gm),
      ...text.matchAll(/(?<type>)\bimport\(\s*'(?<specifier>[^']+)'/g),
    ];
    return found.map(({ groups }): Import => {
      const specifier = groups?.specifier ?? '';
      const target = specifier.startsWith('.')
        ? normalize(join(dirname(file), specifier))
            .replaceAll('\\', '/')
            .replace(/\.js$/, specifierExtension(file, specifier))
        : undefined;
      return { file, specifier, target, loads: !groups?.type };
    });
  });
}

/** @returns `.tsx` if the specifier names a component, else `.ts` */
function specifierExtension(file: string, specifier: string): string {
  const path = join(dirname(file), specifier).replace(/\.js$/, '.tsx');
  return existsSync(path) ? '.tsx' : '.ts';
}
