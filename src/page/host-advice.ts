const NEVER = 'never lists again. Put the values into the URL or the command of the server, and run';

/**
 * How hosts use a changed list, if they do not simply take the new one: the beginning of the name that a host sends, and the
 * advice. From docs/reference/switching.md.
 */
const HABITS: readonly (readonly [client: RegExp, advice: string])[] = [
  [/^claude[ -]code/i, 'Claude Code 2.1.330 sends removed tools until /clear, unless its tool search is on.'],
  [/^copilot/i, 'Copilot CLI 1.0.102 sends removed tools until your next message.'],
  [/^codex/i, `Codex 0.169.0 ${NEVER} "codex resume".`],
  [/^qwen/i, `Qwen Code 0.24.4 ${NEVER} "qwen --continue".`],
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
  HABITS.find(([name]) => name.test(client))?.[1];
