/** How a host uses a changed list. */
interface Habit {
  /** The beginning of the name that the host sends, as a pattern. */
  readonly client: RegExp;
  readonly version: string;
  /** What was seen. */
  readonly advice: string;
}

/** The hosts that do not simply take the new list, from docs/reference/switching.md. Of one host, the oldest version comes first. */
const HABITS: readonly Habit[] = [
  {
    client: /^claude[ -]code/i,
    version: '2.1.197',
    advice: 'Claude Code 2.1.197 sends removed tools until your next message.',
  },
  {
    client: /^claude[ -]code/i,
    version: '2.1.330',
    advice: 'Claude Code 2.1.330 sends removed tools until /clear, unless its tool search is on.',
  },
  {
    client: /^copilot/i,
    version: '1.0.102',
    advice: 'Copilot CLI 1.0.102 sends removed tools until your next message.',
  },
  {
    client: /^codex/i,
    version: '0.169.0',
    advice:
      'Codex 0.169.0 never lists again. Put the values into the URL or the command of the server, and run "codex resume".',
  },
  {
    client: /^qwen/i,
    version: '0.24.4',
    advice:
      'Qwen Code 0.24.4 never lists again. Put the values into the URL or the command of the server, and run "qwen --continue".',
  },
];

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
  const own = HABITS.filter((habit) => habit.client.test(client));
  if (version === undefined || own.length === 0) return own.at(-1)?.advice;
  const older = own.findLast((habit) => compareVersions(habit.version, version) <= 0);
  if (older !== undefined && compareVersions(older.version, version) === 0) return older.advice;
  const newer = own.find((habit) => compareVersions(habit.version, version) > 0);
  const known = [older, newer].flatMap((habit) => habit?.advice ?? []);
  return `Version ${version} was not measured. ${known.join(' ')}`;
}

const compareVersions = (one: string, other: string): number =>
  one.localeCompare(other, 'en', { numeric: true });
