import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { readDocument } from '../inputs/host-document.js';
import { loadTokenCounter } from '../inputs/token-counter.js';
import { confirm } from '../terminal/confirm.js';
import { interruptible } from '../terminal/interrupt.js';
import type { Terminal } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { writePolicy } from '../terminal/write-policy.js';
import { changeFile } from './change-file.js';
import { findServers, groupByList } from './host-files.js';
import { type Host, type Place, reasonToKeepAll, riskOfFewTools } from './hosts.js';
import { lostChanges, readJournal, undoAll } from './journal.js';
import { listOnce } from './list-server.js';
import { installProgram, ownProgram } from './own-program.js';
import { type PlannedServer, type Planning, planServers } from './plan.js';
import { groupLines, groupTitle, shortPath } from './plan-text.js';

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

function lastWords(done: readonly PlannedServer[]): string {
  const hosts = [...new Set(done.map(({ server }) => server.host.name))].join(', ');
  return `Restart ${hosts}. If it asks whether it may call the tool "concerns" of a server, allow it always. "npx mcp-concerns setup --undo" puts everything back.`;
}

/** @returns the folder of policies and of `undo.json` */
function configFolder({ XDG_CONFIG_HOME, APPDATA }: NodeJS.ProcessEnv, home: string): string {
  const base = process.platform === 'win32' ? APPDATA : XDG_CONFIG_HOME;
  return join(base || join(home, '.config'), 'mcp-concerns');
}
