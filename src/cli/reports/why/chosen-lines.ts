import { callerHash } from '../../../core/telemetry/entries.js';
import { read } from '../../../core/wire/messages.js';
import { UsageError } from '../../errors.js';
import type { LoggedDecision, LoggedSwitch } from './log-line.js';

/** Which lines of a log are asked for. */
export interface ChosenLines {
  /** The subject of a caller, or the hash that the log has of it. */
  readonly caller?: string | undefined;
  readonly issuer?: string | undefined;
  /** The name of a primitive. Lists stay, since they show or hide it. */
  readonly name?: string | undefined;
  /** A time: the latest line until the end of its minute or second is kept. */
  readonly at?: string | undefined;
  /** What makes the hashes of the log secret. */
  readonly salt: string;
}

/**
 * Keeps the lines of a log that are asked for.
 *
 * @param lines the lines, in any order
 * @param asked which lines
 * @returns the lines that fit; with `at`, at most one
 * @throws {UsageError} if a caller is asked for without the salt, or the time is not valid
 * @example
 * chosenLines(lines, { caller: 'anna', issuer: 'https://login.example/', salt });
 */
export function chosenLines<Line extends LoggedDecision | LoggedSwitch>(
  lines: readonly Line[],
  { caller, issuer, name, at, salt }: ChosenLines,
): readonly Line[] {
  if (issuer !== undefined && caller === undefined) throw new UsageError('--issuer needs --caller');
  const hashes = caller === undefined ? undefined : hashesOf(caller, issuer ?? '', salt);
  const end = at === undefined ? Number.POSITIVE_INFINITY : endOf(at);
  const found = lines.filter((each) => {
    const { line, about } = each;
    const isOfCaller = hashes === undefined || hashes.includes(String(read(line, 'caller')));
    const isAbout = name === undefined || about.what !== 'primitive' || about.name === name;
    return isOfCaller && isAbout && (at === undefined || timeOf(line) < end);
  });
  if (at === undefined) return found;
  const latest = found.reduce<Line | undefined>(
    (best, each) => (best === undefined || timeOf(each.line) >= timeOf(best.line) ? each : best),
    undefined,
  );
  return latest === undefined ? [] : [latest];
}

const timeOf = (line: object): number => Date.parse(String(read(line, 'timestamp')));

function hashesOf(caller: string, issuer: string, salt: string): readonly (string | undefined)[] {
  if (/^[0-9a-f]{16}$/.test(caller)) return [caller];
  if (salt === '') throw new UsageError('--caller needs the salt of the log. Set MCP_CONCERNS_LOG_SALT');
  // A token without a subject is that of a client.
  return ['sub', 'client'].map((kind) => callerHash([issuer, kind, caller], salt));
}

/** A time of the log: its minute or second, in UTC unless it says otherwise. */
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

function endOf(text: string): number {
  const [, day, minute, second, zone = 'Z'] = TIME.exec(text) ?? [];
  const begin = day === undefined ? Number.NaN : Date.parse(`${day}T${minute}${second ?? ''}${zone}`);
  if (Number.isNaN(begin)) throw new UsageError(`--at takes a time, such as 2026-11-28T02:14, not "${text}"`);
  return begin + (second === undefined ? 60_000 : 1000);
}
