import type { ConcernWarning } from '../../engine/configuration.js';
import { ERRORS } from '../../wire/messages.js';
import { type Outcome, refuse, reply } from '../request/decision.js';
import type { Facts } from '../request/facts.js';
import { describeConcerns, type ListCounts, type ReportContext } from '../request/report.js';
import { withCacheHints } from './cache-hints.js';
import { type CursorTarget, cutPage, digestOf } from './cursor.js';
import { withOwnEntries } from './own-entries.js';

/** What the cursors of a filtered list depend on, besides the policy and the configuration. */
export interface CursorBasis {
  /** The member of the result that holds the items, such as `tools`. */
  readonly field: string;
  /** Returns the identities of the items. Called only if there is more than one page. */
  readonly identities: () => readonly string[];
  /** The key of the client's own filter. */
  readonly filterKey: string;
}

/** Returns what the cursors of a filtered list depend on. */
export function cursorTarget(
  { configuration }: Facts,
  { field, identities, filterKey }: CursorBasis,
): CursorTarget {
  return {
    catalog: digestOf([field, ...identities()]),
    policy: configuration.policy.digest,
    configuration: configuration.key,
    filter: filterKey,
  };
}

/** A filtered list, and the other parts of its result. */
export interface PagedList extends CursorBasis {
  readonly items: readonly unknown[];
  /** Other members of the result. `_meta` comes last. */
  readonly rest?: Record<string, unknown>;
  readonly meta?: { readonly _meta?: object };
  readonly counts: ListCounts;
  /** The server's whole list, if it is one of primitives. */
  readonly list?: ReportContext['list'];
  /** Warnings for the log. */
  readonly warnings: readonly ConcernWarning[];
}

/**
 * Answers a list request with the page that its cursor points to, or with a `-32602` error if the cursor is not valid,
 * and reports the request (MCP, "Pagination").
 *
 * @param facts the list request
 * @param list the filtered list
 * @example
 * answerPage(facts, {
 *   field: 'tools', items, identities: () => items.map(({ name }) => name),
 *   filterKey: '', counts: { shown: 2, total: 3 }, warnings: [],
 * });
 */
export function answerPage(facts: Facts, list: PagedList): Outcome {
  const { field, items, rest = {}, meta = {}, counts, warnings, list: whole } = list;
  const { params } = facts.request;
  const { pageSize } = facts.policy.settings;
  const page = cutPage(items, params?.cursor, () => cursorTarget(facts, list), { pageSize });
  if (!page.ok) return refuse(ERRORS.invalidParams, page.message);
  const result = { ...rest, [field]: page.items, ...page.nextCursor, ...meta };
  const listed =
    whole === undefined
      ? result
      : withOwnEntries(facts, { kind: whole.kind, filterKey: list.filterKey }, result);
  return reply(withCacheHints(facts, listed, whole?.items), () => [
    describeConcerns(facts.configuration, warnings, counts),
    whole === undefined ? {} : { list: whole },
  ]);
}
