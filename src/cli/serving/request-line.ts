import type { RequestLog } from '../../http/request-log.js';
import type { GateReport } from '../../protocol/request/report.js';
import { nameValues } from '../terminal/name-values.js';
import { plain } from '../terminal/output.js';

const MAX_LENGTH = 400;

/**
 * Formats an HTTP request for a terminal: one line for each JSON-RPC request in it.
 *
 * @param entry the request, as `serveLocally` logs it
 * @returns the lines
 * @example
 * requestLines(entry); // ['tools/list  7 of 24  security=high  3 ms']
 */
export function requestLines({ httpMethod, status, durationMs, reports }: RequestLog): string[] {
  const time = `${Math.round(durationMs)} ms`;
  if (reports.length === 0) return [`${httpMethod} ${status}  ${time}`];
  return reports.map((report) => reportLine(report, time));
}

/**
 * @param report the report on one JSON-RPC request
 * @param time how long it took; empty if that is not known
 * @returns the line
 */
export function reportLine(report: GateReport, time = ''): string {
  const line = [...describe(report), time].filter((part) => part !== '').join('  ');
  return plain(line).slice(0, MAX_LENGTH);
}

function describe({ method, concerns = {}, shown, total, warnings = [], error }: GateReport): string[] {
  return [
    method,
    shown === undefined ? '' : `${shown} of ${total}`,
    nameValues(concerns).join(' '),
    error === undefined ? '' : `error ${error}`,
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}
