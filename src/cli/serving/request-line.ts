import type { GateReport } from '../../gate/request/report.js';
import { nameValues, plain } from '../terminal/output.js';

const MAX_LENGTH = 400;

/**
 * Formats the report on one JSON-RPC request as a line for a terminal.
 *
 * @param report the report
 * @returns the line
 * @example
 * reportLine(report); // 'tools/list  7 of 24  security=high  modern host, legacy server'
 */
export function reportLine(report: GateReport): string {
  const line = describe(report)
    .filter((part) => part !== '')
    .join('  ');
  return plain(line).slice(0, MAX_LENGTH);
}

function describe({
  method,
  era,
  early,
  serverEra = era,
  concerns = {},
  shown,
  total,
  warnings = [],
  error,
  isError,
  unanswered,
}: GateReport): string[] {
  return [
    method,
    shown === undefined ? '' : `${shown} of ${total}`,
    nameValues(concerns).join(' '),
    era === serverEra ? `${era} host` : `${era} host, ${serverEra} server`,
    early === true ? 'before the server is up' : '',
    error === undefined ? '' : `error ${error}`,
    isError === true ? 'the tool failed' : '',
    unanswered === undefined ? '' : `no answer: ${unanswered}`,
    ...warnings.map(({ message }) => `warning: ${message}`),
  ];
}
