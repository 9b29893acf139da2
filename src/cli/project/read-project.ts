import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Finding } from '../../policy/language/findings.js';
import { readPolicyText, type Source } from '../../policy/language/read-yaml.js';
import type { Language } from '../../policy/language/schema-messages.js';
import { validateSource } from '../../policy/language/validate.js';
import { splitWords } from '../../policy/testing/test-file.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import { paperOf } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { readText } from '../terminal/read-text.js';
import type { ProjectDocument } from './generated/project-document.js';
import { validate } from './generated/project-validator.js';
import { projectSchema } from './project-schema.js';

/** The name of a project file. */
const PROJECT_FILE = 'mcp-concerns.config.yaml';

/** What a value of `defaults` can be. */
export type DefaultValue = string | number | boolean | readonly string[];

/** A project file. Its paths are relative to the working folder. */
export type Project = ReturnType<typeof readProject>;

const PROJECT: Language = {
  schema: projectSchema,
  nameOf: (path) => (path.length === 0 ? 'a project file' : undefined),
};

/**
 * Finds the project file of a folder: in the folder, or in the nearest folder above it that has one.
 *
 * @param folder the folder
 * @returns the project; undefined if there is no project file
 * @throws {CliError} if the project file cannot be read or has errors, which are printed to stderr
 * @example
 * findProject(process.cwd())?.policy; // ['policies/vault.yaml']
 */
export function findProject(folder: string): Project | undefined {
  const file = findUpwards(resolve(folder));
  return file === undefined ? undefined : readProject(file, folder);
}

function findUpwards(folder: string): string | undefined {
  const file = join(folder, PROJECT_FILE);
  if (existsSync(file)) return file;
  const parent = dirname(folder);
  return parent === folder ? undefined : findUpwards(parent);
}

function readProject(path: string, folder: string) {
  const file = relative(folder, path);
  const text = readText(path, 'Check its permissions.', file);
  const source = readPolicyText(text, file);
  // A file with nothing but comments has no data, and sets nothing.
  const { data, findings } =
    source.data === undefined || source.data === null
      ? { data: {}, findings: [] }
      : validateSource(source, PROJECT, validate, () => true);
  const document = (data ?? {}) as ProjectDocument;
  const all = [...source.findings, ...findings, ...severalInputs(source, document)];
  if (all.length > 0) {
    console.error(`${findingsText(all, new Map([[file, text]]), paperOf(process.stderr))}\n`);
    throw new CliError(
      `${file} has ${quantity(all.length, 'error')}. Fix the errors above, or remove the file.`,
    );
  }
  const { policy = [], tests = [], catalog, server, url, defaults = {} } = document;
  const here = (name: string): string =>
    isAbsolute(name) ? name : relative(folder, join(dirname(path), name)) || '.';
  return {
    file,
    /** The paths that are merged into the policy; empty if the file names none. */
    policy: [policy].flat().map(here),
    /** Test files and folders; empty if the file names none. */
    tests: [tests].flat().map(here),
    ...(catalog === undefined ? {} : { catalog: here(catalog) }),
    /** The command of a server, and its arguments. */
    ...(server === undefined ? {} : { server: typeof server === 'string' ? splitWords(server) : server }),
    ...(url === undefined ? {} : { url }),
    /** Options by the name of the command. */
    defaults: new Map(
      Object.entries(defaults).map(([command, options]) => [
        command,
        new Map<string, DefaultValue>(Object.entries(options)),
      ]),
    ),
  };
}

/** Finds a second input, because a command reads one. */
function severalInputs(source: Source, document: ProjectDocument): Finding[] {
  const [, second] = (['catalog', 'server', 'url'] as const).filter((key) => document[key] !== undefined);
  if (second === undefined) return [];
  const message =
    'Only one of the keys catalog, server, url is allowed in a project file. Remove the others.';
  return [{ ...source.locate([second], 'key'), severity: 'error', code: 'duplicate', message }];
}
