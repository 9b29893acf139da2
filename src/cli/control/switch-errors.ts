import { CliError } from '../errors.js';

/** A session has ended, or never existed. */
export class SessionGoneError extends CliError {
  override readonly name = 'SessionGoneError';
  override readonly code = 'SESSION_GONE';
}

/** The policy does not accept a value. The command line was right, so its exit code is not that of a wrong one. */
export class ChangeRefusedError extends CliError {
  override readonly name = 'ChangeRefusedError';
  override readonly code = 'CHANGE_REFUSED';
  override readonly exitCode = 1;
}
