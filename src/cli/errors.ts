/** Something that ends a command: one sentence for stderr, and the exit code. */
export class CliError extends Error {
  override readonly name: string = 'CliError';

  /**
   * @param message what is wrong, where, and what to do
   * @param exitCode 1: the policy has findings; 2: usage, or something cannot be read or started
   */
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 2,
  ) {
    super(message);
  }
}

/** A command line that cannot be understood. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  /**
   * @param command the command whose help tells more; empty where that is not known
   * @param problem what is wrong, without a full stop
   */
  constructor(command: string, problem: string) {
    super(`${problem}; see "${['mcp-concerns', command, '--help'].filter(Boolean).join(' ')}".`);
  }
}

/** A signal ended the command; nothing is said of it, as with any other program. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  /** @param exitCode 128 and the number of the signal, as shells count */
  constructor(readonly exitCode: number) {
    super('Interrupted.');
  }
}
