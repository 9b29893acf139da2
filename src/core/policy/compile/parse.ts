import type { PolicyCatalog } from '../check/servers/own-catalog.js';
import { checkReading, type PolicyReport } from './check-reading.js';
import { type FileSource, MISSING, readFiles } from './reading.js';

/**
 * Parses, checks and compiles a policy from texts, without reading files: also in a browser. The result is the same as
 * that of `readPolicy` for files with these names.
 *
 * @param texts the text of each file by its name, such as `policy.yaml`; they are merged in this order. `include` finds
 *   only these files. Names are paths with `/`
 * @param catalog the catalog of a server; all parts of the policy without errors are also checked against it
 * @param servers the names of all servers behind the endpoint, if it has several
 * @returns all findings of all files and, if none of them is an error, the compiled policy. A text that is not a policy
 *   is a finding; this function does not throw
 * @example
 * const { compiled, findings } = parsePolicy(new Map([['policy.yaml', 'version: 1']]));
 */
export function parsePolicy(
  texts: ReadonlyMap<string, string>,
  catalog?: PolicyCatalog,
  servers?: readonly string[],
): PolicyReport {
  const files = new Map([...texts].map(([name, text]) => [normalizePath(name), text]));
  const source: FileSource = {
    read: (path) => {
      const text = files.get(path);
      return text === undefined ? { problem: MISSING } : { text };
    },
    resolve: resolvePath,
  };
  return checkReading(readFiles(source, files), catalog, undefined, servers);
}

/** The path of a name relative to a file, as `posix.join(posix.dirname(file), name)` returns it. */
const resolvePath = (file: string, name: string): string =>
  normalizePath(`${file.slice(0, file.lastIndexOf('/') + 1) || '.'}/${name}`);

/** Removes empty steps, `.` and `..`, as `posix.normalize` does. */
function normalizePath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue;
    if (step !== '..') steps.push(step);
    else if (steps.length > 0 && steps.at(-1) !== '..') steps.pop();
    else if (!isAbsolute) steps.push(step);
  }
  return `${isAbsolute ? '/' : ''}${steps.join('/')}`;
}
