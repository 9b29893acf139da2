import { type LogEntry, plainError } from './entries.js';

/** What a look at a policy led to. A look that finds the same policy is not an event. */
export type PolicyEvent =
  | {
      readonly outcome: 'replaced';
      /** The digest of the policy in effect, and of the one before. */
      readonly policy: string;
      readonly before: string;
      /** What its author calls it. */
      readonly policyLabel?: string | undefined;
      /** Where it is, if it is not in files. */
      readonly url?: string;
    }
  | {
      readonly outcome: 'kept';
      /** The digest of the policy that stays in effect. */
      readonly policy: string;
      /** Seconds since the policy in effect was last confirmed; since the start, if it never was. */
      readonly ageSeconds: number;
      readonly error: unknown;
      readonly url?: string;
    };

/** @returns the line of the log about it */
export function entryOfPolicy({ outcome, ...event }: PolicyEvent): LogEntry {
  if ('error' in event)
    return { level: 'warn', message: 'policy kept', fields: { ...event, error: plainError(event.error) } };
  return { level: 'info', message: `policy ${outcome}`, fields: event };
}
