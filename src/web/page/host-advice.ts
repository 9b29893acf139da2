import { HABITS } from './generated/words.js';

/**
 * Returns what a person should know about a host after a switch. Of a version that was not measured, it is what the nearest
 * older and the nearest newer one do.
 *
 * @param client the name that the host sent
 * @param version the version that the host sent
 * @returns a sentence; `undefined` for hosts that take a changed list, and for unknown ones
 * @example
 * adviceFor('claude-code', '2.1.197'); // 'Claude Code 2.1.197 sends removed tools until your next message.'
 */
export function adviceFor(client: string, version: string | undefined): string | undefined {
  const own = HABITS.filter((habit) => new RegExp(`^${habit.client}`, 'i').test(client));
  if (version === undefined || own.length === 0) return own.at(-1)?.advice;
  const older = own.findLast((habit) => compareVersions(habit.version, version) <= 0);
  if (older !== undefined && compareVersions(older.version, version) === 0) return older.advice;
  const newer = own.find((habit) => compareVersions(habit.version, version) > 0);
  const known = [older, newer].flatMap((habit) => habit?.advice ?? []);
  return `Version ${version} was not measured. ${known.join(' ')}`;
}

const compareVersions = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });
