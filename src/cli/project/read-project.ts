import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Finding } from '../../core/policy/language/findings.js';
import { readPolicyText, type Source } from '../../core/policy/language/read-yaml.js';
import type { Language } from '../../core/policy/language/schema-messages.js';
import { validateSource } from '../../core/policy/language/validate.js';
import { splitWords } from '../../core/policy/testing/test-file.js';
import { CliError } from '../errors.js';
import { findingsText } from '../terminal/findings-text.js';
import type { Terminal } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { readText } from '../terminal/read-text.js';
import { type ProjectDocument, projectSchema } from './generated/project-schema.js';
import { validate } from './generated/project-validator.js';
import { projectFileOf, requireOwnFile } from './project-file.js';

/** A project file. Its paths are relative to the working folder. */
export interface Project {
  readonly file: string;
  /** The absolute path of the file. */
  readonly path: string;
  readonly text: string;
  /** The paths that are merged into the policy; empty if the file names none. */
  readonly policy: readonly string[];
  /** Test files and folders; empty if the file names none. */
  readonly tests: readonly string[];
  readonly catalog?: string;
  /** The command of a server, and its arguments. */
  readonly server?: readonly string[];
  readonly servers?: string;
  readonly url?: string;
  readonly protocol?: NonNullable<ProjectDocument['protocol']>;
}

const PROJECT: Language = { schema: projectSchema, name: 'a project file' };

/**
 * Reads the project file of a folder: in the folder, or in a folder above it, up to the root of the repository.
 *
 * @param folder the folder
 * @param terminal where the errors of the file are printed
 * @param isTrusted whether the person vouches for the file, so that it may belong to another user
 * @returns the project; undefined if there is no project file
 * @throws {CliError} if the project file cannot be read, belongs to another user, or has errors, which are printed to stderr
 * @example
 * findProject(process.cwd(), terminal)?.policy; // ['policies/vault.yaml']
 */
export function findProject(
  folder: string,
  terminal: Pick<Terminal, 'errors' | 'warn'>,
  isTrusted = false,
): Project | undefined {
  const path = projectFileOf(resolve(folder));
  if (path === undefined) return undefined;
  if (!isTrusted) requireOwnFile(path, relative(folder, path));
  return readProject(path, folder, terminal);
}

function readProject(
  path: string,
  folder: string,
  { errors, warn }: Pick<Terminal, 'errors' | 'warn'>,
): Project {
  const file = relative(folder, path);
  const text = readText(path, 'Check its permissions.', file);
  const source = readPolicyText(text, file);
  // A file with nothing but comments has no data, and sets nothing.
  const { data, findings } = validateSource(source, PROJECT, validate, () => true);
  const document = (data ?? {}) as ProjectDocument;
  const all = [...source.findings, ...findings, ...severalInputs(source, document)];
  if (all.length > 0) {
    warn(`${findingsText(all, new Map([[file, text]]), errors)}\n`);
    throw new CliError(
      `${file} has ${quantity(all.length, 'error')}. Fix the errors above, or remove the file.`,
    );
  }
  const { policy = [], tests = [], catalog, server, servers, url, protocol } = document;
  const here = (name: string): string =>
    isAbsolute(name) ? name : relative(folder, join(dirname(path), name)) || '.';
  return {
    file,
    path,
    text,
    policy: [policy].flat().map(here),
    tests: [tests].flat().map(here),
    ...(catalog === undefined ? {} : { catalog: here(catalog) }),
    ...(server === undefined ? {} : { server: typeof server === 'string' ? splitWords(server) : server }),
    ...(servers === undefined ? {} : { servers: here(servers) }),
    ...(url === undefined ? {} : { url }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

/** Finds a second server, because a command asks one. A catalog is what the server lists, so it can stand beside it. */
function severalInputs(source: Source, document: ProjectDocument): Finding[] {
  const sources = ['server', 'servers', 'url'] as const;
  const [, second] = sources.filter((key) => document[key] !== undefined);
  if (second === undefined) return [];
  const message =
    'Only one of the keys server, servers, url is allowed in a project file. Remove the others.';
  return [{ ...source.locate([second], 'key'), severity: 'error', code: 'duplicate', message }];
}
