import type { GateReport } from '../gate/request/report.js';
import { causeOf, type RequestLog } from './request-log.js';
import type { UpstreamEvent } from './upstream-event.js';

/** A metric to write. */
export interface Count {
  readonly name: string;
  readonly value: number;
  /** The value of one more dimension: the metric is written apart from those without one. */
  readonly by?: { readonly dimension: 'concern' | 'rule'; readonly name: string };
}

/**
 * Counts one HTTP request. Calls and errors are counted per JSON-RPC request, because an MCP error has the HTTP status 200.
 * `Errors`, `Degraded` and `ToolErrors` exclude each other: each outage raises one of them.
 *
 * @param entry the request
 * @returns its metrics; a request that never reached the gate counts as no call
 */
export function countRequest({
  reports,
  durationMs,
  status,
  failure,
  storeCalls = [],
  isPolicyMissing = false,
}: RequestLog): readonly Count[] {
  const causes = reports.map(causeOf);
  const isStoreDown = storeCalls.some(({ failed }) => failed !== undefined);
  const of = (...which: readonly unknown[]) => causes.filter((cause) => which.includes(cause)).length;
  // Lambda's own count of errors does not have these: the function answers them itself. A session that the store has forgotten
  // is a 404.
  const isRefused = failure !== undefined || status >= (isStoreDown ? 400 : 500);
  const unreported = of('server', 'closed', 'store') === 0 && isRefused ? 1 : 0;
  const lists = reports.filter(({ shown }) => shown !== undefined);
  const sum = (each: (report: GateReport) => number) =>
    lists.reduce((total, report) => total + each(report), 0);
  const shown = sum((report) => report.shown ?? 0);
  const counts: Count[] = [
    { name: 'Calls', value: reports.length },
    { name: 'Errors', value: of('server', 'closed') + (isStoreDown || isPolicyMissing ? 0 : unreported) },
    { name: 'Degraded', value: of('store') + (isStoreDown ? unreported : 0) },
    { name: 'ToolErrors', value: of('tool') },
    { name: 'Duration', value: durationMs },
  ];
  if (isPolicyMissing) return [...counts, { name: 'PolicyFailures', value: 1 }];
  if (lists.length === 0) return counts;
  return [
    ...counts,
    { name: 'Shown', value: shown },
    { name: 'Hidden', value: sum((report) => report.total ?? 0) - shown },
    ...lists.flatMap(({ hidden = {} }) => [
      ...hiddenBy('concern', hidden.concerns),
      ...hiddenBy('rule', hidden.rules),
    ]),
  ];
}

const hiddenBy = (dimension: 'concern' | 'rule', counts: Readonly<Record<string, number>> = {}): Count[] =>
  Object.entries(counts).map(([name, value]) => ({ name: 'Hidden', value, by: { dimension, name } }));

/** @returns the metrics of an event of an upstream; none if it is neither down nor starting again */
export function countUpstream({ state }: UpstreamEvent): readonly Count[] {
  if (state === 'failed') return [{ name: 'UpstreamDown', value: 1 }];
  return state === 'restarting' ? [{ name: 'UpstreamRestarts', value: 1 }] : [];
}

/** @returns the metrics of a look at the policy that led to something */
export const countPolicy = ({ outcome }: { readonly outcome: string }): readonly Count[] =>
  outcome === 'replaced' ? [] : [{ name: 'PolicyFailures', value: 1 }];
