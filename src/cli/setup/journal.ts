import { existsSync, readFileSync, rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { sha256Of } from '../../core/sha256.js';
import { read } from '../../core/wire/messages.js';
import { CliError } from '../errors.js';
import { readDocument } from '../inputs/host-document.js';
import { writePrivate } from '../project/state-folder.js';
import { plain, type Terminal } from '../terminal/output.js';
import { writeFiles } from '../terminal/write-files.js';
import { type CommandEdit, type Splice, withCommands, withoutSplices } from './edit-file.js';

/** A command that setup changed. */
export interface ChangedCommand {
  readonly path: readonly string[];
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly isList: boolean;
  readonly hadArgs: boolean;
}

/** What setup changed in a file. It has the replaced commands, and of all else only digests: hosts' files have secrets. */
export interface Change {
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly splices: readonly Splice[];
  readonly commands: readonly ChangedCommand[];
}

/**
 * Reads what setup changed.
 *
 * @param journal the path of `undo.json`
 * @returns the changes, oldest first; none if the file does not exist
 * @throws {CliError} if the file is damaged
 */
export function readJournal(journal: string): readonly Change[] {
  if (!existsSync(journal)) return [];
  try {
    return JSON.parse(readFileSync(journal, 'utf8'));
  } catch (cause) {
    throw new CliError(
      `${journal} is not JSON any more. It says what setup changed. Restore it, or remove it.`,
      {
        cause,
      },
    );
  }
}

/** Writes what setup changed, so that only this user can read it; removes the file if nothing is left. */
export function writeJournal(journal: string, changes: readonly Change[]): void {
  if (changes.length > 0) writePrivate(journal, `${JSON.stringify(changes, null, 2)}\n`);
  else rmSync(journal, { force: true });
}

/**
 * Puts back the bytes of the files that setup changed. Where the host or a person wrote a file since, only the commands are put
 * back, so that everything else stays.
 *
 * @param journal the path of `undo.json`
 * @param short how a path is printed
 * @param terminal how the command writes its output
 * @returns the exit code: 1 if a file could not be edited
 */
export function undoAll(journal: string, short: (file: string) => string, terminal: Terminal): number {
  const changes = readJournal(journal);
  if (changes.length === 0) {
    terminal.note('Nothing was changed by setup.');
    return 0;
  }
  const kept: Change[] = [];
  const said = new Map<string, string>();
  for (const change of changes.toReversed()) {
    const { file } = change;
    if (!existsSync(file)) {
      said.set(file, `${short(file)} does not exist any more. It is left out.`);
      continue;
    }
    const now = readFileSync(file, 'utf8');
    const { text, note } = undone(change, now);
    if (text === undefined) kept.unshift(change);
    else if (text !== now) writeFiles(new Map([[file, text]]));
    said.set(file, `${short(file)} ${note}`);
  }
  for (const note of said.values()) terminal.note(note);
  writeJournal(journal, kept);
  return kept.length === 0 ? 0 : 1;
}

/** Returns a file without a change. Without a text, the file cannot be edited. */
function undone({ file, before, after, splices, commands }: Change, now: string) {
  if (sha256Of(now) === after) {
    const text = withoutSplices(now, splices);
    if (sha256Of(text) === before) return { text, note: 'is as it was.' };
  }
  let edits: readonly CommandEdit[];
  let text: string | undefined;
  try {
    const document = readDocument(file, now);
    edits = commands
      .filter(({ path, to }) => isDeepStrictEqual(commandAt(document, path), to))
      .map(({ path, from, isList, hadArgs }) => ({ path, command: from, isList, hasArgs: hadArgs }));
    text = withCommands(file, now, edits);
  } catch {
    text = undefined;
  }
  const lines = commands.map(({ path, from }) => `  ${path.at(-1)}: ${JSON.stringify(from)}`);
  const note =
    text === undefined
      ? `cannot be edited. Write the commands of its servers yourself, and run it again:\n${lines.join('\n')}`
      : 'has its commands again. Everything else that was changed since stays.';
  return { text, note };
}

/** @returns the program and the arguments of the server at a path */
function commandAt(document: unknown, path: readonly string[]): readonly string[] {
  const entry = read(document, ...path);
  const args = [read(entry, 'args')].flat().filter((each) => each !== undefined);
  return [...[read(entry, 'command')].flat(), ...args].map(String);
}

/** Says which commands of earlier runs are gone: a running host writes its file from memory. */
export function lostChanges(changes: readonly Change[], short: (file: string) => string): string[] {
  return changes.flatMap(({ file, commands }) => {
    if (!existsSync(file)) return [];
    let document: unknown;
    try {
      document = readDocument(file, readFileSync(file, 'utf8'));
    } catch {
      return [];
    }
    const lost = commands.filter(({ path, from }) => isDeepStrictEqual(commandAt(document, path), from));
    return lost.map(
      ({ path }) =>
        `${short(file)}: the change of ${plain(path.at(-1) ?? '')} was lost, because its host wrote the file. Close the host first.`,
    );
  });
}
