import type { GateReport } from '../../gate/request/report.js';
import { isServerFailure } from '../../http/log/error-class.js';
import type { UpstreamEvent } from '../../http/log/upstream-event.js';
import type { RequestLog } from '../../http/request-log.js';

/** A metric to write. */
export interface Count {
  readonly name: string;
  readonly value: number;
  /** The value of one more dimension: the metric is written apart from those without one. */
  readonly by?: { readonly dimension: 'concern' | 'rule'; readonly name: string };
}

/**
 * Counts one HTTP request. Calls and errors are counted per JSON-RPC request, because an MCP error has the HTTP status 200.
 *
 * @param entry the request
 * @returns its metrics; a request that never reached the gate counts as no call
 */
export function countRequest({ reports, durationMs, status, failure }: RequestLog): readonly Count[] {
  const failed = reports.filter(isFailure).length;
  // Lambda's own count of errors does not have these: the function answers them itself.
  const unreported = failed === 0 && (failure !== undefined || status >= 500) ? 1 : 0;
  const lists = reports.filter(({ shown }) => shown !== undefined);
  const sum = (of: (report: GateReport) => number) => lists.reduce((total, report) => total + of(report), 0);
  const shown = sum((report) => report.shown ?? 0);
  const counts: Count[] = [
    { name: 'Calls', value: reports.length },
    { name: 'Errors', value: failed + unreported },
    { name: 'ToolErrors', value: reports.filter(({ isError }) => isError === true).length },
    { name: 'Duration', value: durationMs },
  ];
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

function isFailure({ error, unanswered }: GateReport): boolean {
  return unanswered === 'closed' || (error !== undefined && isServerFailure(error));
}

const hiddenBy = (dimension: 'concern' | 'rule', counts: Readonly<Record<string, number>> = {}): Count[] =>
  Object.entries(counts).map(([name, value]) => ({ name: 'Hidden', value, by: { dimension, name } }));

/** @returns the metrics of an event of an upstream; none if it is neither down nor starting again */
export function countUpstream({ state }: UpstreamEvent): readonly Count[] {
  if (state === 'failed') return [{ name: 'UpstreamDown', value: 1 }];
  return state === 'restarting' ? [{ name: 'UpstreamRestarts', value: 1 }] : [];
}
