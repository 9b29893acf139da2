import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { membersOf } from '../../core/engine/expression/evaluate.js';
import { sha256Of } from '../../core/sha256.js';
import { read } from '../../core/wire/messages.js';
import { readDocument } from '../inputs/host-document.js';
import type { Terminal } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { writeFiles } from '../terminal/write-files.js';
import { editCommands } from './edit-file.js';
import { type Change, readJournal, writeJournal } from './journal.js';
import type { PlannedServer } from './plan.js';

/**
 * Reads a file again and changes the commands that still are what was planned, because its host can write it meanwhile.
 * Returns the servers whose commands were changed.
 */
export function changeFile(
  file: string,
  changed: readonly PlannedServer[],
  journal: string,
  short: (file: string) => string,
  terminal: Terminal,
): readonly PlannedServer[] {
  let text: string;
  let document: unknown;
  try {
    text = readFileSync(file, 'utf8');
    document = readDocument(file, text);
  } catch {
    terminal.note(`${short(file)} was written or removed meanwhile, and cannot be read. It stays as it is.`);
    return [];
  }
  const own = changed.filter(({ server }) => server.file === file);
  const still = own.filter(({ server }) =>
    isDeepStrictEqual(membersOf(read(document, ...server.path)), server.entry),
  );
  const commands = still.flatMap(({ server: { path, command, entry }, outcome }) =>
    'command' in outcome
      ? [
          {
            path,
            from: command,
            to: outcome.command,
            isList: Array.isArray(read(entry, 'command')),
            hadArgs: Object.hasOwn(entry, 'args'),
          },
        ]
      : [],
  );
  const edited = editCommands(
    file,
    text,
    commands.map(({ path, to, isList }) => ({ path, command: to, isList })),
  );
  if (edited === undefined || commands.length === 0) {
    const reason =
      commands.length === 0
        ? 'Its servers were changed meanwhile'
        : 'Its form cannot be edited without losing something';
    terminal.note(`${short(file)} stays as it is. ${reason}.`);
    return [];
  }
  const change: Change = {
    file,
    before: sha256Of(text),
    after: sha256Of(edited.text),
    splices: edited.splices,
    commands,
  };
  // First, so that undo knows of everything that was written.
  writeJournal(journal, [...readJournal(journal), change]);
  writeFiles(new Map([[file, edited.text]]));
  if (readFileSync(file, 'utf8') !== edited.text)
    terminal.note(`${short(file)} was written by its host meanwhile. Close the host, and run setup again.`);
  const missed = own.length - still.length;
  if (missed > 0)
    terminal.note(
      `${short(file)}: ${quantity(missed, 'server')} changed meanwhile, so run setup again for them.`,
    );
  return still;
}
