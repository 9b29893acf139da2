import { isAbsolute, relative, resolve } from 'node:path';
import { toYamlScalar } from '../../core/policy/language/yaml-scalars.js';
import { PROJECT_FILE, projectFileOf } from './project-file.js';

/** What a new project names, each as a path from the working folder. */
interface NewProject {
  readonly policy: string;
  readonly catalog?: string | undefined;
  readonly servers?: string | undefined;
}

/** The project file of a folder, after a policy was written there. */
interface WrittenProject {
  /** The text of a new project file, by its path. Empty if the folder has one, or cannot have one. */
  readonly texts: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}

/**
 * Writes the project file of the working folder, so that all commands find what was written. A file that exists stays as it is.
 *
 * @param project the files; what is outside the folder is left out, because reading it needs the trust of a person
 * @returns the text of the file, and what to say about it
 * @example
 * newProject({ policy: 'policy.yaml', catalog: 'policy.catalog.json' }).texts.get('mcp-concerns.config.yaml');
 */
export function newProject({ policy, ...inputs }: NewProject): WrittenProject {
  const folder = resolve('.');
  const existing = projectFileOf(folder);
  if (existing !== undefined) {
    const name = relative(folder, existing);
    return {
      texts: new Map(),
      notes: [`${name} stays as it is. Where it names another policy, pass ${policy} to commands.`],
    };
  }
  const paths = Object.entries({ policy, ...inputs }).flatMap(([key, path]) => {
    const here = path === undefined ? '..' : relative(folder, path);
    return isAbsolute(here) || /^\.\.(?:[\\/]|$)/.test(here) ? [] : [[key, here.replaceAll('\\', '/')]];
  });
  if (paths[0]?.[0] !== 'policy') return { texts: new Map(), notes: [] };
  const lines = paths.map(([key, path = '']) => `${key}: ${toYamlScalar(path)}\n`);
  return {
    texts: new Map([[PROJECT_FILE, `${HEAD}${lines.join('')}`]]),
    notes: [`Wrote ${PROJECT_FILE}: commands in this folder use these files without arguments.`],
  };
}

const HEAD = `# yaml-language-server: $schema=./node_modules/mcp-concerns/policies/config.schema.json
# What commands of mcp-concerns use in this folder, if the command line does not name it.
`;
