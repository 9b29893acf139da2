import { ConcernsError, type ErrorClass, errorClass } from '../core/errors.js';

/** An error that ends a command: `main.ts` prints its message to stderr and exits with its exit code. */
export class CliError extends ConcernsError {
  override readonly name: string = 'CliError';
  readonly code: string = 'COMMAND_FAILED';
  /** 1: the policy has findings. 2: the usage is wrong, or something cannot be read, reached or started. */
  readonly exitCode: 1 | 2;

  /**
   * @param message what is wrong, where, and what to do
   * @param options the exit code (2 by default), and the error that caused this one
   */
  constructor(message: string, options: ErrorOptions & { readonly exitCode?: 1 | 2 } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? 2;
  }
}

/** A command line that cannot be understood. Its message ends without a period: `main.ts` adds which help explains more. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
  override readonly code = 'USAGE_INVALID';
}

const InterruptedBase: ErrorClass<'Interrupted', 'INTERRUPTED'> = errorClass('Interrupted', 'INTERRUPTED');

/** A signal ended the command. Nothing is printed, as with any other program. */
export class Interrupted extends InterruptedBase {
  /** @param exitCode 128 plus the number of the signal, as in shells */
  constructor(readonly exitCode: number) {
    super('Interrupted.');
  }
}

/** @returns the `code` of an error of Node, such as `ENOENT`, or the text of another error */
export function systemCode(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
}

/**
 * @param path the file that cannot be read
 * @param cause the error of the file system
 * @param advice a sentence that says what to do
 * @returns the error to throw
 * @example
 * throw cannotRead('policy.yaml', cause, 'Check the path of the policy.');
 */
export function cannotRead(path: string, cause: unknown, advice: string): CliError {
  const code = systemCode(cause);
  const reason = code === 'ENOENT' ? 'it does not exist' : code;
  return new CliError(`${path} cannot be read (${reason}). ${advice}`, { cause });
}

/** @returns the error to throw for a file that cannot be written */
export const cannotWrite = (path: string, cause: unknown, advice: string): CliError =>
  new CliError(`${path} cannot be written (${systemCode(cause)}). ${advice}`, { cause });
