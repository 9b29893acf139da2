import type { Problem } from './check.js';

/** What can go wrong on the host's side, by its code. */
export type ConcernsErrorCode =
  /** The preferences are not what the server declares; nothing was sent. */
  | 'CONCERNS_REFUSED'
  /** The server refused the values (`-32602`): it declares others by now. What was set before is in effect. */
  | 'UPDATE_REFUSED'
  /** The update was not acknowledged. The preferences are kept: `resend()` tries again. */
  | 'UPDATE_FAILED'
  /** A list does not end: the server hands out cursor after cursor. */
  | 'LIST_ENDLESS';

/** Preferences could not be taken, or a list not be read to its end. */
export class ConcernsError extends Error {
  override readonly name = 'ConcernsError';

  /**
   * @param code what went wrong
   * @param message one sentence that says what is wrong, and what to do
   * @param data each wrong preference, with the values that there are and the one that was probably meant
   * @param options the error behind it
   */
  constructor(
    readonly code: ConcernsErrorCode,
    message: string,
    readonly data: readonly Problem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
