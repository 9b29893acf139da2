import type { Reached } from './areas.js';

/** How often the gate did what it must not do. */
export interface Counts {
  messages: number;
  leaks: number;
  wrongLists: number;
  unanswered: number;
  answeredTwice: number;
  visibleBlocked: number;
  silent: number;
  /** Of several servers: a message of, for or about another one. */
  wrongServer: number;
  /** A number whose text is another one. */
  changedNumbers: number;
}
export const NO_COUNTS: Counts = {
  messages: 0,
  leaks: 0,
  wrongLists: 0,
  unanswered: 0,
  answeredTwice: 0,
  visibleBlocked: 0,
  silent: 0,
  wrongServer: 0,
  changedNumbers: 0,
};
export type Fault = Exclude<keyof Counts, 'messages'>;

/** A fault, with everything that is needed to see it again. */
export interface Finding {
  readonly fault: Fault;
  /** The method of the request. */
  readonly method: string;
  readonly seed: number;
  readonly what: string;
}

/** What one or many connections showed. */
export interface Played {
  readonly counts: Counts;
  readonly findings: Finding[];
  readonly reached: Reached;
}
