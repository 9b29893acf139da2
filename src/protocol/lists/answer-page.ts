import type { ConcernWarning, Configuration } from '../../engine/configuration.js';
import { type CursorTarget, cutPage, digestOf } from '../messages/cursor.js';
import { answer, ERRORS, eraOf, type Request } from '../messages/wire.js';
import { type GateReport, reportConcerns } from '../request/report.js';
import { type RequestScope, refuse } from '../request/request.js';
import { unshared } from './filter-list.js';

/** What the cursors of a filtered list depend on. */
export interface CursorBasis {
  /** The member of the result that holds the items, such as `tools`. */
  readonly field: string;
  /** Returns the identities of the items. Called only if there is more than one page. */
  readonly identities: () => readonly string[];
  readonly configuration: Configuration;
  /** The key of the client's own filter. */
  readonly filterKey: string;
}

/** Returns what the cursors of a filtered list depend on. */
export function cursorTarget({ field, identities, configuration, filterKey }: CursorBasis): CursorTarget {
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
  readonly counts: Pick<GateReport, 'shown' | 'total' | 'hidden'>;
  /** Warnings for the log. */
  readonly warnings: readonly ConcernWarning[];
}

/**
 * Answers a list request with the page that its cursor points to, or with a `-32602` error if the cursor is not valid,
 * and reports the request (MCP, "Pagination").
 *
 * @param scope the gate
 * @param request the list request
 * @param list the filtered list
 * @example
 * answerPage(scope, request, {
 *   field: 'tools', items, identities: () => items.map(({ name }) => name),
 *   configuration, filterKey: '', counts: { shown: 2, total: 3 }, warnings: [],
 * });
 */
export function answerPage(scope: RequestScope, request: Request, list: PagedList): void {
  const { field, items, configuration, rest = {}, meta = {}, counts, warnings } = list;
  const { policy } = configuration;
  const target = () => cursorTarget(list);
  const page = cutPage(items, request.params?.cursor, target, { pageSize: policy.settings.pageSize });
  if (!page.ok) return refuse(scope, request, ERRORS.invalidParams, page.message);
  const era = eraOf(request);
  reportConcerns(scope, { method: request.method, era }, configuration, warnings, counts);
  const result = { ...rest, [field]: page.items, ...page.nextCursor, ...meta };
  scope.reply(answer(request, unshared(era, result)));
}
