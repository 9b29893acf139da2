import type { GateReport } from '../../gate/request/report.js';
import { isServerFailure } from '../../http/log/error-class.js';
import type { UpstreamEvent } from '../../http/log/upstream-event.js';
import type { RequestLog } from '../../http/request-log.js';

/** A metric to write: its name and value. */
export interface Count {
  readonly name:
    | 'Calls'
    | 'Errors'
    | 'ToolErrors'
    | 'Shown'
    | 'Hidden'
    | 'UpstreamRestarts'
    | 'UpstreamDown'
    | 'Duration';
  readonly value: number;
}

/** The metrics of one event. `of` are values of one more dimension, each with its own metric. */
export interface Counts {
  readonly total: readonly Count[];
  readonly hidden: readonly {
    readonly dimension: 'concern' | 'rule';
    readonly name: string;
    readonly value: number;
  }[];
}

/**
 * Counts one HTTP request. Calls and errors are counted per JSON-RPC request, because an MCP error has the HTTP status 200.
 *
 * @param entry the request
 * @returns its metrics; a request that never reached the gate counts as no call
 */
export function countRequest({ reports, durationMs, status, failure }: RequestLog): Counts {
  const failed = reports.filter(isFailure).length;
  // Lambda's own count of errors does not have these: the function answers them itself.
  const unreported = failed === 0 && (failure !== undefined || status >= 500) ? 1 : 0;
  const lists = reports.filter(({ shown }) => shown !== undefined);
  const sum = (of: (report: GateReport) => number) => lists.reduce((total, report) => total + of(report), 0);
  const shown = sum((report) => report.shown ?? 0);
  const byName = new Map<string, { dimension: 'concern' | 'rule'; name: string; value: number }>();
  for (const { hidden = {} } of lists) {
    for (const [dimension, counts] of [
      ['concern', hidden.concerns],
      ['rule', hidden.rules],
    ] as const) {
      for (const [name, value] of Object.entries(counts ?? {})) {
        const key = `${dimension} ${name}`;
        const before = byName.get(key)?.value ?? 0;
        byName.set(key, { dimension, name, value: before + value });
      }
    }
  }
  return {
    total: [
      { name: 'Calls', value: reports.length },
      { name: 'Errors', value: failed + unreported },
      { name: 'ToolErrors', value: reports.filter(({ isError }) => isError === true).length },
      { name: 'Duration', value: durationMs },
      ...(lists.length === 0
        ? []
        : [
            { name: 'Shown', value: shown } as const,
            { name: 'Hidden', value: sum((report) => report.total ?? 0) - shown } as const,
          ]),
    ],
    hidden: [...byName.values()],
  };
}

function isFailure({ error, unanswered }: GateReport): boolean {
  return unanswered === 'closed' || (error !== undefined && isServerFailure(error));
}

/** @returns the metrics of an event of an upstream; none if it is neither down nor starting again */
export function countUpstream({ state }: UpstreamEvent): Counts {
  if (state === 'failed') return { total: [{ name: 'UpstreamDown', value: 1 }], hidden: [] };
  if (state === 'restarting') return { total: [{ name: 'UpstreamRestarts', value: 1 }], hidden: [] };
  return { total: [], hidden: [] };
}
