import { appendFileSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PanelState } from '../../core/gate/panel/panel-document.js';
import { countEach } from '../../core/policy/propose/words/words.js';
import { sha256Of } from '../../core/sha256.js';
import { read } from '../../core/wire/messages.js';
import type { Input } from '../options/input-options.js';
import { stateFolder } from '../project/state-folder.js';

/** The lines of a year of hard work are shorter. */
const MAX_BYTES = 1_000_000;
/** What a host sends as a name can be anything, also a secret. */
const PLAIN_NAME = /^[\w./:-]{1,64}$/;
const DAY_MS = 86_400_000;
/** What was not called for so long is not missed. */
const MOST_DAYS = 90;

const fileOf = (environment: NodeJS.ProcessEnv, server: string): string =>
  join(stateFolder(environment), 'used', `${sha256Of(server).slice(0, 16)}.log`);

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** A file at each call took a sixth of what a call costs; what is lost when a process is killed is one second. */
const WRITE_AFTER_MS = 1_000;

/**
 * Keeps which tools were called and on which day, in the state of this user, and nothing else about the calls. It never throws.
 *
 * @example
 * const used = new UsedToolsLog(process.env, 'node server.js');
 * used.receive({ method: 'tools/call', params: { name: 'list_mail' } });
 * used.close();
 */
export class UsedToolsLog {
  private readonly file: string;
  /** What is not written yet. */
  private lines = '';
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param environment the variables of the process
   * @param server the command of the server, as text
   */
  constructor(environment: NodeJS.ProcessEnv, server: string) {
    this.file = fileOf(environment, server);
  }

  /** @param message what a host sent */
  receive(message: unknown): void {
    if (read(message, 'method') !== 'tools/call') return;
    const name = read(message, 'params', 'name');
    if (typeof name !== 'string' || !PLAIN_NAME.test(name) || name === 'concerns') return;
    this.lines += `${dayOf(Date.now())} ${name}\n`;
    this.timer ??= setTimeout(() => this.write(), WRITE_AFTER_MS).unref();
  }

  /** Writes what was not written yet. */
  close(): void {
    this.write();
  }

  private write(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { file, lines } = this;
    this.lines = '';
    if (lines === '') return;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) truncateSync(file);
      // A few short lines are written as a whole, also beside other processes.
      appendFileSync(file, lines, { mode: 0o600 });
    } catch {
      // A folder that cannot be written costs the advice, and nothing else.
    }
  }
}

/** Which tools of a server were called. */
export interface UsedTools {
  /** The tools that were called in the period, the most used first. */
  readonly names: readonly string[];
  /** All calls that are known. */
  readonly calls: number;
  /** The first day of the period. */
  readonly since: string;
  /** The day of the first call that is known. */
  readonly first: string | undefined;
}

/**
 * Reads which tools of a server were called in the last days.
 *
 * @param environment the variables of the process
 * @param server the command of the server, as text
 * @param days how many days
 * @returns nothing for a server that was not called yet
 */
export function usedTools(environment: NodeJS.ProcessEnv, server: string, days: number): UsedTools {
  let text = '';
  try {
    text = readFileSync(fileOf(environment, server), 'utf8');
  } catch {
    // Nothing was called yet.
  }
  const since = dayOf(Date.now() - days * DAY_MS);
  const lines = text.split('\n').flatMap((line) => {
    const [day = '', name = ''] = line.split(' ');
    return name === '' ? [] : [{ day, name }];
  });
  const counts = countEach(lines.flatMap(({ day, name }) => (day >= since ? [name] : [])));
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return { names, calls: lines.length, since, first: lines[0]?.day };
}

/**
 * Counts the tools that were never called since the first call that is known.
 *
 * @param environment the variables of the process
 * @param server the command of the server, as text
 * @param tools the names of its tools
 * @returns how many, and the day; `undefined` below the calls that tell something
 * @example
 * uncalledTools(process.env, 'node server.js', ['list_mail', 'send_mail']); // { tools: 1, since: '2026-10-01' }
 */
export function uncalledTools(
  environment: NodeJS.ProcessEnv,
  server: string,
  tools: readonly string[],
): PanelState['uncalled'] {
  const used = usedTools(environment, server, MOST_DAYS);
  if (!enoughCalls(used)) return undefined;
  const called = new Set(used.names);
  const since = used.first !== undefined && used.first > used.since ? used.first : used.since;
  return { tools: tools.filter((name) => !called.has(name)).length, since };
}

/** @returns the text by which the calls of a server are known; `undefined` for one that `serve --stdio` does not name so */
export function usedKeyOf(input: Input): string | undefined {
  if (input.from === 'command') return [input.program, ...input.args].join(' ');
  return input.from === 'url' ? input.url.href : undefined;
}

/** Below ten calls or seven days, what was not called says nothing. */
export const enoughCalls = ({ calls, first }: UsedTools): boolean =>
  calls >= 10 && first !== undefined && first <= dayOf(Date.now() - 7 * DAY_MS);
