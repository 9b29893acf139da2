import type { PanelState } from '../../core/gate/panel/panel-document.js';

/** A change that a person makes: values by concern, or `{ preset: NAME }`, which replaces every other value. */
export type Change = Readonly<Record<string, unknown>>;

/** The part of a change that takes back all switches of single tools. */
export const UNSWITCHED: Change = { '+tools': null, '-tools': null };

/** What a source tells the page. */
export interface Listener {
  /** A new document. */
  state(state: PanelState): void;
  /** Why there is no new document, or why a change was not made. The page shows it until the next document. */
  problem(message: string): void;
}

/** Where a page gets its document from, and where it sends changes. */
export interface Source {
  /** `app`: in a conversation, where space is short. */
  readonly kind: 'app' | 'http' | 'local';
  start(listener: Listener): void;
  /** Resolves when the change is made and the listener has its document; rejects with a sentence for the person. */
  change(change: Change, session: string): Promise<void>;
  /** Answers a program that asks to show more. Only where a person answers: never in a host. */
  answer?(proposal: string, isAllowed: boolean, session: string): Promise<void>;
  /** Shows another session. Only where one page serves several. */
  choose?(session: string): void;
}
