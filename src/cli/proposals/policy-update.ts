import { sep } from 'node:path';
import { membersOf } from '../../engine/expression/evaluate.js';
import type { ServerCatalog } from '../../engine/mapping.js';
import { KINDS, type Kind, preparePolicy } from '../../engine/policy.js';
import type { PolicyCatalog } from '../../policy/check/check-catalog.js';
import { readPolicy } from '../../policy/compile/load.js';
import type { Finding } from '../../policy/language/findings.js';
import { type Path, readPolicyText, type Source } from '../../policy/language/read-yaml.js';
import { editEntries } from '../../policy/propose/edit-entries.js';
import { proposeEntries } from '../../policy/propose/propose-entries.js';
import { read } from '../../wire/messages.js';
import { CliError } from '../errors.js';
import { checkProposal } from './proposal-check.js';

/**
 * Adds what a server lists now and a policy does not know, and removes the entries of what is gone. Everything else, also
 * comments, stays as it is.
 *
 * @param file the policy
 * @param catalog the catalog of the server as it is now
 * @param known the catalog that the policy was written for, if there is one
 * @returns the new texts, and what changes
 * @throws {CliError} if the policy has errors, or an entry cannot be edited because it shares a line with others
 * @throws {PolicyFileError} if the policy cannot be read
 * @example
 * writeFiles(updatePolicy('policy.yaml', catalog, undefined).files);
 */
export function updatePolicy(
  file: string,
  catalog: PolicyCatalog & { readonly server?: unknown },
  known: ServerCatalog | undefined,
) {
  const { compiled, findings, texts } = readPolicy(file, catalog);
  if (compiled === undefined) {
    throw new CliError(
      `${file} has errors, so it was not updated. Run "mcp-concerns check ${file}" and fix them.`,
    );
  }
  const { entries, tools } = proposeEntries(preparePolicy(compiled), catalog, known);
  const sources = [...texts].map(([name, text]) => readPolicyText(text, name));
  // New entries go where the others are: into the last file that has some, else into the policy itself.
  const homeOf = (kind: Kind): string | undefined =>
    sources.findLast(({ data }) => read(data, 'primitives', kind) !== undefined)?.file ??
    compiled.files.at(-1);
  const removed: string[] = [];
  const changed = new Map<string, string>();
  for (const source of sources) {
    const dead = deadEntries(source, findings);
    const added = entries.filter(({ kind }) => homeOf(kind) === source.file);
    if (dead.length === 0 && added.length === 0) continue;
    const text = editEntries(source, dead, added);
    if (text === undefined) {
      throw new CliError(
        `${source.file} has several entries in one line, so it cannot be updated. Run "mcp-concerns check --fix ${source.file}", or write one entry per line.`,
      );
    }
    changed.set(source.file, withoutEmptySections(text, source.file));
    removed.push(...dead.map((path) => String(path.at(-1))));
  }
  const now = [...texts].map(
    ([name, text]) => [name.replaceAll(sep, '/'), changed.get(name) ?? text] as const,
  );
  return {
    ...checkProposal(new Map(now), catalog),
    /** The files that change, with their new texts. */
    files: changed,
    /** The names of added and removed primitives. */
    added: entries.map(({ name }) => name),
    removed,
    /** The proposals for the new tools. */
    tools,
  };
}

/** @returns the paths of the entries and patterns of a file that match nothing that the server lists */
function deadEntries(source: Source, findings: readonly Finding[]): Path[] {
  const dead = findings.filter(({ code, file }) => code === 'dead-entry' && file === source.file);
  return (['primitives', 'patterns'] as const).flatMap((section) =>
    KINDS.flatMap((kind) => {
      const names = Object.keys(membersOf(read(source.data, section, kind)));
      const paths = names.map((name): Path => [section, kind, name]);
      return paths.filter((path) => {
        const { line, column } = source.locate(path, 'key');
        return dead.some((finding) => finding.line === line && finding.column === column);
      });
    }),
  );
}

/** Writes `{}` behind a key that has lost all its entries, because a policy cannot have empty values there. */
function withoutEmptySections(text: string, file: string): string {
  const { data, locate } = readPolicyText(text, file);
  const lines = text.split('\n');
  for (const section of ['primitives', 'patterns']) {
    for (const path of [[section], ...KINDS.map((kind) => [section, kind])]) {
      if (read(data, ...path) !== null) continue;
      const { line } = locate(path, 'key');
      lines[line - 1] = (lines[line - 1] ?? '').replace(/:(\s|$)/, ': {}$1');
    }
  }
  return lines.join('\n');
}
