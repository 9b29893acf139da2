import { ConcernsError } from '../core/errors.js';
import type { PreferenceProblem } from './check-preferences.js';

/** The codes of a {@link PreferencesError}. */
export type PreferencesErrorCode =
  /** The preferences do not fit the server's declaration. Nothing was sent. */
  | 'CONCERNS_REFUSED'
  /** The server refused the values with `-32602`, because its policy has changed. The previous preferences stay. */
  | 'UPDATE_REFUSED'
  /** The server did not acknowledge the update. The preferences are kept, and `resend()` sends them again. */
  | 'UPDATE_FAILED'
  /** The server returns one cursor after another, so the list has no last page. */
  | 'LIST_ENDLESS'
  /** The server does not declare the fields of a filter. Nothing was sent. */
  | 'FILTER_UNSUPPORTED'
  /** The server does not list tasks. Nothing was sent. */
  | 'TASKS_UNSUPPORTED';

/**
 * The preferences were not accepted, or a list has no last page.
 *
 * @example
 * try {
 *   await concerns.set({ security: 'hihg' });
 * } catch (error) {
 *   if (error instanceof PreferencesError) for (const { message } of error.data) console.error(message);
 * }
 */
export class PreferencesError extends ConcernsError {
  override readonly name = 'PreferencesError';

  /**
   * @param code what went wrong
   * @param message what is wrong, and what to do
   * @param data each preference that was not accepted, with its valid values and a suggestion
   * @param options `cause`, the error that led to this one
   */
  constructor(
    override readonly code: PreferencesErrorCode,
    message: string,
    readonly data: readonly PreferenceProblem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
