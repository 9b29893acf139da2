import { sep } from 'node:path';
import { membersOf } from '../../core/engine/expression/evaluate.js';
import type { ServerCatalog } from '../../core/engine/mapping.js';
import { KINDS, type Kind, preparePolicy } from '../../core/engine/policy.js';
import { parseUse } from '../../core/engine/uses/use-name.js';
import type { PolicyCatalog } from '../../core/policy/check/servers/own-catalog.js';
import { readPolicy } from '../../core/policy/compile/load.js';
import type { Finding } from '../../core/policy/language/findings.js';
import { type Path, readPolicyText, type Source } from '../../core/policy/language/read-yaml.js';
import { toYamlScalar } from '../../core/policy/language/yaml-scalars.js';
import { editEntries, type NewEntry } from '../../core/policy/propose/edit-entries.js';
import { proposeEntries } from '../../core/policy/propose/propose-entries.js';
import type { ProposedTool } from '../../core/policy/propose/propose-policy.js';
import { read } from '../../core/wire/messages.js';
import { CliError } from '../errors.js';
import { openedBy } from '../terminal/write-policy.js';
import { type CheckedProposal, checkProposal } from './proposal-check.js';

/** A policy that was updated, and what changed. */
export interface PolicyUpdate extends CheckedProposal {
  /** The texts of all files as they were, and the new texts of those that change. */
  readonly before: ReadonlyMap<string, string>;
  readonly files: ReadonlyMap<string, string>;
  /** The names of added and removed primitives, and of those that a person must decide about. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly review: readonly string[];
  /** What the person agreed to show: the primitives, and the actions of tools. */
  readonly open: readonly string[];
  /** The entries and patterns that match nothing, but hide what the server may add. */
  readonly kept: readonly string[];
  /** The proposals for the new tools. */
  readonly tools: readonly ProposedTool[];
}

/**
 * Adds what a server lists now and a policy does not know, and removes the entries of what is gone. Everything else, also
 * comments, stays as it is.
 *
 * @param file the policy
 * @param catalog the catalog of the server as it is now
 * @param known the catalog that the policy was written for, if there is one
 * @param agreed the names of new primitives that a person agreed to show
 * @param present whether new tools also get the titles and the hints that the server does not give
 * @returns the new texts, and what changes
 * @throws {CliError} if the policy has errors, or an entry cannot be edited because it shares a line with others
 * @throws {PolicyFileError} if the policy cannot be read
 * @example
 * const { before, files: changed } = updatePolicy('policy.yaml', catalog, undefined);
 * writePolicy([{ before, changed, catalog }]);
 */
export function updatePolicy(
  file: string,
  catalog: PolicyCatalog & { readonly server?: unknown },
  known: ServerCatalog | undefined,
  agreed: readonly string[] = [],
  present = false,
): PolicyUpdate {
  const { compiled, findings, texts } = readPolicy(file, catalog);
  if (compiled === undefined) {
    throw new CliError(
      `${file} has errors, so it was not updated. Run "mcp-concerns check ${file}" and fix them.`,
    );
  }
  const { entries, tools } = proposeEntries(preparePolicy(compiled), catalog, known, present);
  const sources = [...texts].map(([name, text]) => readPolicyText(text, name));
  const home = compiled.files.at(-1) ?? file;
  const write = (added: readonly NewEntry[], kept: ReadonlySet<string>) =>
    writeEntries(sources, home, findings, added, kept);
  const opens = (changed: ReadonlyMap<string, string>) => openedBy({ before: texts, changed, catalog });

  // What would become visible is left to a person, and what would become visible if the server added it again stays.
  const removed = opens(write([], new Set()).changed);
  const kept = new Set(removed.flatMap(({ kind, like }) => (like === undefined ? [] : [`${kind} ${like}`])));
  // Who agrees to a tool agrees to its actions, too.
  const isAgreed = (name: string) => agreed.includes(ofTool(name)) || agreed.includes(name);
  const all = opens(write(entries, kept).changed);
  const open = all.flatMap(({ name, like }) => (isAgreed(name ?? like ?? '') ? [name ?? like ?? ''] : []));
  const opened = all.filter(({ name }) => !isAgreed(name ?? ''));
  const names = new Set(opened.map((each) => `${each.kind} ${ofTool(each.name ?? each.like ?? '')}`));
  // A tool and its actions are decided together.
  const isOpened = ({ kind, name, of = name }: NewEntry) => names.has(`${kind} ${of}`);
  const [closed, left] = [entries.filter((each) => !isOpened(each)), entries.filter(isOpened)];
  const { changed, removed: gone, stays } = write(closed, kept);
  const toReview = left.filter(({ of }) => of === undefined);
  const reviewed = toReview.filter(({ kind, name }) => !isReviewed(sources, kind, name));
  if (reviewed.length > 0)
    changed.set(home, withReview(changed.get(home) ?? texts.get(home) ?? '', home, reviewed));
  const now = [...texts].map(
    ([name, text]) => [name.replaceAll(sep, '/'), changed.get(name) ?? text] as const,
  );
  return {
    ...checkProposal(new Map(now), catalog),
    before: texts,
    files: changed,
    added: closed.flatMap(({ name, of }) => (of === undefined ? [name] : [])),
    removed: gone,
    review: toReview.map(({ name }) => name),
    open,
    kept: stays,
    tools,
  };
}

/** The tool that a use belongs to, or the name itself. */
const ofTool = (name: string): string => parseUse(name)?.tool ?? name;

function writeEntries(
  sources: readonly Source[],
  main: string | undefined,
  findings: readonly Finding[],
  entries: readonly NewEntry[],
  kept: ReadonlySet<string>,
) {
  // New entries go where the others are: into the last file that has some, else into the policy itself.
  const homeOf = ({ section, kind }: NewEntry): string | undefined =>
    sources.findLast(({ data }) => read(data, section, kind) !== undefined)?.file ?? main;
  const removed: string[] = [];
  const stays: string[] = [];
  const changed = new Map<string, string>();
  for (const source of sources) {
    const all = deadEntries(source, findings);
    const isKept = ([, kind, name]: Path) => kept.has(`${kind} ${name}`);
    const dead = all.filter((path) => !isKept(path));
    stays.push(...all.filter(isKept).map((path) => String(path.at(-1))));
    const added = entries.filter((each) => homeOf(each) === source.file);
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
  // A tool can have an entry, and a title.
  return { changed, removed: [...new Set(removed)], stays: [...new Set(stays)] };
}

const isReviewed = (sources: readonly Source[], kind: Kind, name: string): boolean =>
  sources.some(({ data }) => [read(data, 'review', kind)].flat().includes(name));

/** Adds names to the list of what a person must decide about. */
function withReview(text: string, file: string, entries: readonly NewEntry[]): string {
  const { data } = readPolicyText(text, file);
  const all = KINDS.flatMap((kind) => {
    const names = [
      ...[read(data, 'review', kind) ?? []].flat().map(String),
      ...entries.flatMap((each) => (each.kind === kind ? [each.name] : [])),
    ];
    return names.length === 0 ? [] : [`  ${kind}:`, ...names.map((name) => `    - ${toYamlScalar(name)}`)];
  });
  const rest = text.replace(/^(# Listed by the server[^\n]*\n)?review:\n(?:[ #][^\n]*\n)*/m, '').trimEnd();
  return `${rest}\n\n# Listed by the server, and hidden until it has an entry under "primitives".\nreview:\n${all.join('\n')}\n`;
}

/** The parts of a policy that name primitives. */
const SECTIONS = ['primitives', 'patterns', 'present'] as const;

/** @returns the paths of the entries and patterns of a file that match nothing that the server lists */
function deadEntries(source: Source, findings: readonly Finding[]): Path[] {
  const dead = findings.filter(({ code, file }) => code === 'dead-entry' && file === source.file);
  return SECTIONS.flatMap((section) =>
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
  for (const section of SECTIONS) {
    for (const path of [[section], ...KINDS.map((kind) => [section, kind])]) {
      if (read(data, ...path) !== null) continue;
      const { line } = locate(path, 'key');
      lines[line - 1] = (lines[line - 1] ?? '').replace(/:(\s|$)/, ': {}$1');
    }
  }
  return lines.join('\n');
}
