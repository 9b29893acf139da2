import { ADDED_TOOLS, HIDDEN_TOOLS } from '../../core/engine/preference-source.js';
import type { PanelConcern, PanelState } from '../../core/gate/panel/panel-document.js';
import { readPart } from '../../core/gate/request/preference-text.js';
import { registryFolder, writeOpener } from '../control/registry.js';
import { type RunningProcess, runningProcesses, switchSession } from '../control/running-process.js';
import { CliError, UsageError } from '../errors.js';
import { commandOf, type RunnableCommand } from '../options/command-line.js';
import { type Options, switchCommand } from '../options/generated/commands.js';
import { sessionLines } from '../reports/switch-report.js';
import { confirm } from '../terminal/confirm.js';
import { openInBrowser, openOrPrint } from '../terminal/open-in-browser.js';
import { plain } from '../terminal/output.js';

/**
 * @throws {CliError} if nothing runs, an argument is not valid, or a value is refused
 * @example
 * await command.run(['safe']);
 */
export const command: RunnableCommand = commandOf(
  switchCommand(),
  async ({ values, positionals, terminal }) => {
    const [changes] = positionals;
    const change = readChange(changes, values.preset);
    const isTerminal = terminal.stdin.isTTY === true;
    const folder = registryFolder(terminal.env);
    const running = select(await runningProcesses(folder), values);
    if (values.open === true) {
      for (const { entry } of running) {
        terminal.note(`Opening the page of ${plain(entry.name)}`);
        const opener = writeOpener(folder, entry);
        if (isTerminal) await openOrPrint(opener, terminal, `${entry.url}/panel#token=${entry.token}`);
        else if (!(await openInBrowser(opener)))
          throw new CliError('No browser could be started. Run the command in a terminal.');
      }
      if (change === undefined) return 0;
    }
    const refusals: CliError[] = [];
    let isDone = false;
    for (const { entry, states } of running) {
      if (states === undefined) {
        refusals.push(new CliError(`${plain(entry.name)}: It did not answer. Try again later.`));
        continue;
      }
      const after: PanelState[] = [];
      for (const state of states) {
        const empty = emptyPreset(change, state);
        if (empty !== undefined && !confirm(`${empty} Switch to it anyway?`, terminal)) {
          refusals.push(
            new CliError(`${plain(entry.name)}: ${empty} Nothing was switched.`, { exitCode: 1 }),
          );
          continue;
        }
        try {
          const changing = change && switchSession(entry, state.session, typed(change, state), !isTerminal);
          after.push((await changing) ?? state);
        } catch (error) {
          if (!(error instanceof CliError)) throw error;
          const { message, exitCode } = error;
          refusals.push(new CliError(`${plain(entry.name)}: ${message}`, { cause: error, exitCode }));
        }
      }
      if (after.length === 0 && states.length > 0) continue;
      isDone ||= change === undefined || after.length > 0;
      terminal.print(`${sessionLines(entry.name, after, terminal.paper).join('\n')}\n`);
    }
    const last = isDone ? undefined : refusals.pop();
    // The sessions of one server refuse a value with the same words.
    const messages = new Set(refusals.map(({ message }) => message));
    messages.delete(last?.message ?? '');
    for (const message of messages) terminal.warn(`mcp-concerns: ${message}`);
    if (last !== undefined) throw last;
  },
);

/** What the arguments ask for: texts by concern, or only the name of a preset under `preset`. */
export type WantedChange = ReadonlyMap<string, readonly string[]>;

/** Says that a preset shows no tool; `undefined` if it shows one, or is not a preset of this session. */
function emptyPreset(change: WantedChange | undefined, { presets, total }: PanelState): string | undefined {
  const preset = presets.find(({ name }) => name === change?.get('preset')?.join());
  if (preset === undefined || preset.tools > 0 || total.tools === 0) return undefined;
  return `The preset ${plain(preset.name)} shows none of ${total.tools} tools.`;
}

/**
 * Reads what the arguments ask for.
 *
 * @throws {UsageError} if an argument is neither a preset nor NAME=VALUE
 * @example
 * readChange(['security=high'], undefined); // Map { 'security' => ['high'] }
 */
export function readChange(
  changes: readonly string[],
  preset?: string | undefined,
): WantedChange | undefined {
  const wanted = new Map<string, readonly string[]>();
  for (const text of preset === undefined ? changes : [preset, ...changes]) {
    let last: string | undefined;
    for (const piece of text.split(',')) {
      // Only the running process has the policy, so what follows a value after a comma is another of its values.
      if (last !== undefined && !/[:=]/.test(piece)) {
        wanted.set(last, [...(wanted.get(last) ?? []), piece]);
        continue;
      }
      const [name, value] = readPart(piece) ?? [];
      if (wanted.has('preset'))
        throw new UsageError(
          `"${wanted.get('preset')?.join()}" is a preset, so "${piece}" cannot follow it. Pass one of them`,
        );
      if (name === undefined || value === undefined || (name === 'preset' && wanted.size > 0))
        throw new UsageError(`"${piece}" is not NAME=VALUE`);
      wanted.set(name, [value].flat());
      last = name;
    }
  }
  return wanted.size === 0 ? undefined : wanted;
}

/** The word that removes a value, and the word that removes all. A policy's own value or preset of that name wins. */
const ANY = 'any';
const EVERYTHING = 'everything';

/** Gives the texts of the arguments the types that the session's concerns have. */
function typed(change: WantedChange, { concerns, presets }: PanelState): Record<string, unknown> {
  if (change.get('preset')?.join() === EVERYTHING && !presets.some(({ name }) => name === EVERYTHING)) {
    const host = concerns.filter(({ setBy }) => setBy === 'host').map(({ name }) => name);
    return Object.fromEntries([...host, ADDED_TOOLS, HIDDEN_TOOLS].map((name) => [name, null]));
  }
  const byName = new Map(concerns.map((concern) => [concern.name, concern]));
  const preferenceOf = (name: string, texts: readonly string[]) =>
    name === 'preset' ? texts.join() : typedValue(texts, byName.get(name));
  return Object.fromEntries([...change].map(([name, texts]) => [name, preferenceOf(name, texts)]));
}

function typedValue(texts: readonly string[], concern: PanelConcern | undefined): unknown {
  const text = texts.join();
  const isOwn = concern?.options?.some(({ value }) => value === ANY);
  if (text === ANY && isOwn !== true) return null;
  if (concern?.range !== undefined && text.trim() !== '' && Number.isFinite(Number(text)))
    return Number(text);
  return concern?.multiple === true ? texts : text;
}

function select(running: readonly RunningProcess[], { server = '', session }: Options['switch']) {
  const found = running.flatMap(({ entry, states }) => {
    const isMeant = [entry.name, ...entry.policy].some((text) => text.includes(server));
    const own = session === undefined ? states : states?.filter((state) => state.session === session);
    return isMeant && (session === undefined || own?.length !== 0) ? [{ entry, states: own }] : [];
  });
  if (found.length > 0) return found;
  if (running.length > 0) {
    const names = running.map(({ entry }) => plain(entry.name)).join(', ');
    throw new CliError(`No running server matches. Running: ${names}.`);
  }
  throw new CliError(
    'Nothing to switch: "mcp-concerns serve" is not running. Start it, and connect a host to it.',
  );
}
