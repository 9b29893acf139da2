/** How a host uses a changed list, if it does not simply take the new one. From docs/reference/switching.md. */
interface HostHabit {
  /** The beginning of the name that the host sends. */
  readonly client: RegExp;
  readonly advice: string;
}

const HABITS: readonly HostHabit[] = [
  {
    client: /^claude[ -]code/i,
    advice: 'Claude Code 2.1.330 sends removed tools until /clear, unless its tool search is on.',
  },
  {
    client: /^copilot/i,
    advice: 'Copilot CLI 1.0.102 sends removed tools until your next message.',
  },
  {
    client: /^codex/i,
    advice:
      'Codex 0.169.0 never lists again. Put the values into the URL or the command of the server, and run "codex resume".',
  },
  {
    client: /^qwen/i,
    advice:
      'Qwen Code 0.24.4 never lists again. Put the values into the URL or the command of the server, and run "qwen --continue".',
  },
];

/**
 * Returns what a person should know about a host after a switch.
 *
 * @param client the name that the host sent
 * @returns a sentence; `undefined` for hosts that take a changed list, and for unknown ones
 * @example
 * adviceFor('Codex'); // 'Codex 0.169.0 never lists again. …'
 */
export const adviceFor = (client: string): string | undefined =>
  HABITS.find((habit) => habit.client.test(client))?.advice;
