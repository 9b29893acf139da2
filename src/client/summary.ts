import { EXTENSION_ID, read } from '../core/wire/messages.js';

/** Concern names and the values in effect. Presets are resolved, and defaults are included. */
export type EffectiveConcerns = {
  readonly [concern: string]: string | number | readonly (string | number)[];
};

/** A preference that a server ignored or changed, or something else that a host should know about a list. */
export interface ServerWarning {
  readonly code: string;
  readonly message: string;
}

/** What a server reports about a list that it filtered. */
export interface ListSummary {
  /** The values in effect. Absent if no configuration is in effect. */
  readonly concerns?: EffectiveConcerns;
  /** The number of primitives that the host sees, on all pages. */
  readonly shown?: number;
  /** The number of primitives that the server has. A server with `enforcement: enforce` does not report it. */
  readonly total?: number;
  readonly warnings: readonly ServerWarning[];
}

/**
 * Reads the report about filtering from a list result, `result._meta[ID]`. See docs/reference/wire.md.
 *
 * @param result the result of a list request
 * @returns the summary; only an empty list of warnings if the server did not filter the list
 * @example
 * const { shown, total } = summaryOf(await concerns.listTools());
 * console.log(`${shown} of ${total} tools`); // 9 of 24 tools
 */
export function summaryOf(result: unknown): ListSummary {
  const report = read(result, '_meta', EXTENSION_ID);
  const concerns = readConcerns(read(report, 'concerns'));
  const [shown, total] = [read(report, 'shown'), read(report, 'total')];
  return {
    ...(concerns === undefined ? {} : { concerns }),
    ...(typeof shown === 'number' ? { shown } : {}),
    ...(typeof total === 'number' ? { total } : {}),
    warnings: warningsOf(report),
  };
}

/** Reads concern names and values. Their values are the server's own, and are not checked. */
export function readConcerns(concerns: unknown): EffectiveConcerns | undefined {
  return typeof concerns === 'object' && concerns !== null ? (concerns as EffectiveConcerns) : undefined;
}

/** Returns the warnings of a result. Warnings without a code are left out. */
export function warningsOf(result: unknown): ServerWarning[] {
  const warnings = read(result, 'warnings');
  if (!Array.isArray(warnings)) return [];
  return warnings.filter((each) => typeof read(each, 'code') === 'string');
}
