import type { PanelState } from '../../gate/panel/panel-document.js';
import { CliError } from '../errors.js';

/** What a listener is told: a new document of a session, or that a session has ended. */
export type PanelEvent = PanelState | { readonly gone: string };

/** The sessions of one process, and how to switch them. */
export interface Switchboard {
  /** Computes the document of each session, the oldest session first. */
  states(): Promise<readonly PanelState[]>;
  /**
   * Changes the preferences of a session, as its host could.
   *
   * @param onlyNarrows whether to refuse a change that shows more
   * @throws {SessionGoneError} if there is no such session
   * @throws {ChangeRefusedError} if a value is not valid
   */
  change(
    session: string,
    change: Readonly<Record<string, unknown>>,
    onlyNarrows?: boolean,
  ): Promise<PanelState>;
  /** Calls a listener for each change. The function that it returns stops that. */
  subscribe(listener: (event: PanelEvent) => void): () => void;
}

/** A session has ended, or never existed. */
export class SessionGoneError extends CliError {
  override readonly name = 'SessionGoneError';
  override readonly code = 'SESSION_GONE';
}

/** The policy does not accept a value. */
export class ChangeRefusedError extends CliError {
  override readonly name = 'ChangeRefusedError';
  override readonly code = 'CHANGE_REFUSED';
}
