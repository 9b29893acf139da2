import type { Setting, Start } from '../host.js';
import type { Running } from '../processes.js';

/** Conversations with one process of a host. */
export interface Dialog {
  /** Sends a message of the person, and waits until the host's turn ends. */
  say(text: string): Promise<void>;
  /** Begins a new conversation in the same process. */
  newConversation(): Promise<void>;
}

/** How a host talks to a program instead of to a person at a terminal. */
export interface DialogKind {
  /** What it is called in the results. */
  readonly name: string;
  start(setting: Setting): Start;
  open(running: Running, setting: Setting): Promise<Dialog>;
}
