import type { ConcernWarning } from '../../engine/configuration.js';
import { metaOf } from '../lists/filter-list.js';
import { unshared } from '../request/configure.js';
import { type RequestOutcome, reply } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { describeConcerns, type ListCounts } from '../request/report.js';

/** A page of tasks that the client is shown, and how much that is of the list. */
export interface ListedTasks {
  readonly tasks: readonly unknown[];
  readonly counts: ListCounts & { readonly shown: number };
  /** Other members of the result. */
  readonly rest?: Record<string, unknown>;
  readonly next: { readonly nextCursor?: string };
  /** Warnings about this list. */
  readonly warnings?: readonly ConcernWarning[];
}

/** Answers `tasks/list` with a page of tasks, and describes it there and in the log. */
export function answerTasks(
  facts: Facts,
  { tasks, counts, rest = {}, next, warnings = [] }: ListedTasks,
): RequestOutcome {
  const { configuration, era, logged } = facts;
  const all = [...configuration.warnings, ...warnings];
  const result = { ...rest, tasks, ...next, ...metaOf(rest, configuration, counts, all) };
  return reply(unshared(era, result), () => [describeConcerns(configuration, [...logged, ...all], counts)]);
}
