import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { membersOf } from '../../core/engine/expression/evaluate.js';
import { sha256Of } from '../../core/sha256.js';
import { read } from '../../core/wire/messages.js';
import { readDocument } from '../inputs/host-document.js';
import { loadTokenCounter } from '../inputs/token-counter.js';
import { confirm } from '../terminal/confirm.js';
import { interruptible } from '../terminal/interrupt.js';
import { count, plain, type Terminal } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { quantity } from '../terminal/quantities.js';
import { writeFiles } from '../terminal/write-files.js';
import { writePolicy } from '../terminal/write-policy.js';
import { editCommands } from './edit-file.js';
import { findServers } from './host-files.js';
import { type Host, type Place, reasonToKeepAll, riskOfFewTools } from './hosts.js';
import { type Change, commandAt, readJournal, undoAll, writeJournal } from './journal.js';
import { installProgram, ownProgram } from './own-program.js';
import {
  configFolder,
  groupByList,
  groupTitle,
  listOnce,
  type PlannedServer,
  type Planning,
  planServers,
  shortPath,
} from './plan.js';

/** What a person asks `setup` for. */
export interface SetupOptions {
  /** The ids of the hosts; all without it. */
  readonly host?: readonly string[] | undefined;
  /** Whether files of the project are changed too. */
  readonly project?: boolean | undefined;
  /** Whether nobody is asked. */
  readonly yes?: boolean | undefined;
  readonly undo?: boolean | undefined;
}

/** How long a server may take to list everything, as in `init`. */
const SECONDS = 30;
/** With more narrowed servers, their tools `concerns` cost more than they save. */
const MANY_SERVERS = 20;

/**
 * Makes the first lists of a person's hosts smaller: shows a plan with figures, asks, and changes only commands in the hosts' own
 * files. Or it puts everything back.
 *
 * @param options what the person asks for
 * @param terminal how the command reads and writes
 * @returns the exit code: 0, also if nothing was changed; 1 if a file could not be changed as planned
 * @throws {CliError} if a file cannot be written, or the program cannot be installed; then no host's file has changed
 * @throws {Interrupted} if a signal ended it while it listed servers
 * @example
 * await setup({ host: ['opencode'], yes: true }, terminal);
 */
export async function setup(options: SetupOptions, terminal: Terminal): Promise<number> {
  const home = homedir();
  const place: Place = { platform: process.platform, env: terminal.env, home, folder: process.cwd() };
  const folder = configFolder(terminal.env, home);
  const journal = join(folder, 'undo.json');
  const short = shortPath(home);
  if (options.undo === true) return undoAll(journal, short, terminal);

  const found = findServers(place, options.host);
  if (found.length === 0) {
    terminal.note(
      'No host of this user has servers in a file that is known. "mcp-concerns init" is for a server.',
    );
    return 0;
  }
  for (const note of lostChanges(readJournal(journal), short)) terminal.note(note);
  const program = ownProgram(terminal);
  const running = terminal.argv[1];
  const prover =
    program.install === undefined || running === undefined ? program.command : [process.execPath, running];
  const reasonToStay = reasonsToStay(options, place);
  const planned = await withProgress('Listing servers', terminal, () =>
    interruptible(async (signal) => {
      const listing = { env: terminal.env, seconds: SECONDS, signal };
      const tokensOf = await loadTokenCounter();
      const planning: Planning = { ...listing, folder, program, prover, tokensOf, reasonToStay };
      const list = listOnce(listing);
      return Promise.all(groupByList(found).map((servers) => planServers(servers, planning, list)));
    }),
  );
  for (const [index, group] of planned.entries()) {
    const title = groupTitle(
      group.map(({ server }) => server),
      short,
    );
    terminal.print(
      `${index === 0 ? '' : '\n'}${terminal.paper.paint('bold', title)}\n${groupLines(group, short)}\n`,
    );
  }
  const all = planned.flat();
  const changed = all.filter(({ outcome }) => 'command' in outcome);
  const starts = all.filter(({ outcome }) => outcome.kind === 'start');
  const narrowed = all.filter(({ outcome }) => outcome.kind === 'narrowed');
  if (narrowed.length > MANY_SERVERS)
    terminal.note(
      `These are ${narrowed.length} servers, each with its own tool "concerns". One gate for all of them costs less: docs/guides/several-servers.md`,
    );
  for (const host of new Set(narrowed.map(({ server }) => server.host))) {
    const risk = riskOfFewTools(host);
    if (risk !== undefined) terminal.note(risk);
  }
  if (changed.length + starts.length === 0) {
    terminal.note('Nothing to change.');
    return 0;
  }
  const files = [...new Set(changed.map(({ server }) => server.file))];
  const targets = [
    ...files,
    ...starts.flatMap(({ outcome }) => (outcome.kind === 'start' ? [...outcome.change.changed.keys()] : [])),
  ];
  if (program.install !== undefined && changed.length > 0)
    terminal.note(
      `npx empties its cache, so this version is installed in ${short(program.install.to)} first.`,
    );
  if (options.yes !== true) {
    if (terminal.stdin.isTTY !== true || terminal.stderr.isTTY !== true) {
      terminal.note('Nothing was changed, because nobody can be asked. Run it on a terminal, or pass --yes.');
      return 0;
    }
    if (!confirm(`Change ${targets.map(short).join(', ')}?`, terminal)) {
      terminal.note('Nothing was changed.');
      return 0;
    }
  }
  if (program.install !== undefined && changed.length > 0) {
    terminal.note('Installing mcp-concerns. This can take half a minute.');
    installProgram(program.install, terminal.env);
  }
  // Policies first: a host's file never names one that is not there.
  const added = all.flatMap(({ outcome }) => (outcome.kind === 'narrowed' ? [...outcome.files] : []));
  const edits = starts.flatMap(({ outcome }) => (outcome.kind === 'start' ? [outcome.change] : []));
  writePolicy(edits, new Map(added));
  const done = files.flatMap((file) => changeFile(file, changed, journal, short, terminal));
  if (done.length > 0) terminal.note(lastWords(done));
  else if (starts.length > 0) terminal.note('The lists of running hosts follow.');
  return done.length === changed.length ? 0 : 1;
}

/** Why servers stay for reasons that are not in their entries. */
function reasonsToStay({ host: named, project }: SetupOptions, place: Place): Planning['reasonToStay'] {
  const settings = claudeSettings(place.home);
  const keeps = (host: Host) =>
    named === undefined ? reasonToKeepAll(host, place.env, settings) : undefined;
  return ({ host, isShared }) =>
    // A server of a project is not even started without the option: its host asks the person first.
    isShared && project !== true ? 'its file belongs to the project (--project changes it)' : keeps(host);
}

function claudeSettings(home: string): unknown {
  const file = join(home, '.claude', 'settings.json');
  try {
    return readDocument(file, readFileSync(file, 'utf8'));
  } catch {
    // Most people have none.
    return undefined;
  }
}

function groupLines(group: readonly PlannedServer[], short: (file: string) => string): string {
  const names = group.map(({ server: { key, file } }) => plain(key) || short(file));
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = group.map(
    ({ outcome }, index) => `  ${(names[index] ?? '').padEnd(width)}${outcomeText(outcome)}`,
  );
  const sum = (side: 'before' | 'after') =>
    group.reduce(
      (total, { outcome }) =>
        total + (side in outcome ? tokensIn(outcome, side) : tokensIn(outcome, 'before')),
      0,
    );
  const isNarrowed = group.some(({ outcome }) => outcome.kind === 'narrowed');
  const total = `  ${count(sum('before'))} -> ${count(sum('after'))} tokens before the first message`;
  return [...lines, ...(isNarrowed ? [total] : [])].join('\n');
}

const tokensIn = (outcome: PlannedServer['outcome'], side: 'before' | 'after'): number => {
  const tokens = read(outcome, side, 'tokens');
  return typeof tokens === 'number' ? tokens : 0;
};

function outcomeText(outcome: PlannedServer['outcome']): string {
  const size = ({ tools, tokens }: { tools: number; tokens: number }) =>
    `${quantity(tools, 'tool')}, ${count(tokens)} tokens`;
  switch (outcome.kind) {
    case 'stays':
      return `left as it is: ${plain(outcome.reason)}`;
    case 'whole':
      return `${size(outcome.before)}: left as it is`;
    case 'narrowed': {
      const used = outcome.used === 0 ? '' : ` (${outcome.used} that you used in the last 30 days)`;
      return `${size(outcome.before)} -> ${size(outcome.after)}${used}`;
    }
    case 'repaired':
      return 'its program is not there any more: gets the path of this one';
    case 'start': {
      const added = [...outcome.start].filter((name) => !outcome.was.has(name));
      const gone = [...outcome.was].filter((name) => !outcome.start.has(name));
      const parts = [...added.map((name) => `+${plain(name)}`), ...gone.map((name) => `-${plain(name)}`)];
      return `begins with what you used in the last 30 days: ${parts.join(' ')}`;
    }
  }
}

/**
 * Reads a file again and changes the commands that still are what was planned, because its host can write it meanwhile.
 * Returns the servers whose commands were changed.
 */
function changeFile(
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

function lastWords(done: readonly PlannedServer[]): string {
  const hosts = [...new Set(done.map(({ server }) => server.host.name))].join(', ');
  return `Restart ${hosts}. If it asks whether it may call the tool "concerns" of a server, allow it always. "npx mcp-concerns setup --undo" puts everything back.`;
}

/** Says which commands of earlier runs are gone: a running host writes its file from memory. */
function lostChanges(changes: readonly Change[], short: (file: string) => string): string[] {
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
