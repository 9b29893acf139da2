import { EXTENSION_ID, read } from '../protocol/messages/wire.js';

/** Concern names and values as a server applies them, presets and defaults spelled out. */
export type EffectiveConcerns = {
  readonly [concern: string]: string | number | readonly (string | number)[];
};

/** Something that a server did not take as sent, or that a host should know of a list. */
export interface ServerWarning {
  readonly code: string;
  readonly message: string;
}

/** What a server says of a list that it filtered. */
export interface ListSummary {
  /** What is in effect; nothing where no configuration is. */
  readonly concerns?: EffectiveConcerns;
  /** How many the host sees, on all pages. */
  readonly shown?: number;
  /** How many there are; a server that hides primitives for good does not say. */
  readonly total?: number;
  readonly warnings: readonly ServerWarning[];
}

/**
 * Reads what a list result says of its filtering, `result._meta[ID]`. See docs/wire.md, "Where a configuration comes
 * from".
 *
 * @param result the result of a list request
 * @returns the summary; no warnings and nothing else where the list is the server's own
 * @example
 * const { shown, total } = summaryOf(await concerns.listTools()); // 9 of 24
 */
export function summaryOf(result: unknown): ListSummary {
  const own = read(result, '_meta', EXTENSION_ID);
  const [concerns, shown, total] = [read(own, 'concerns'), read(own, 'shown'), read(own, 'total')];
  return {
    ...(typeof concerns === 'object' && concerns !== null ? { concerns: concerns as EffectiveConcerns } : {}),
    ...(typeof shown === 'number' ? { shown } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    warnings: warningsOf(own),
  };
}

/** @returns the warnings of an answer, those that say something */
export function warningsOf(answer: unknown): ServerWarning[] {
  const warnings = read(answer, 'warnings');
  if (!Array.isArray(warnings)) return [];
  return warnings.filter((each) => typeof read(each, 'code') === 'string');
}
