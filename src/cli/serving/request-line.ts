import type { GateReport } from '../../core/gate/request/report.js';
import { nameValues, plain } from '../terminal/output.js';

const MAX_LENGTH = 400;

/**
 * Collects lines, and writes those of one turn of the event loop at once: a pipe takes each at once, and with 64 clients that
 * was 19 % of the processor's time. A process that ends, also by an error, writes what is left.
 *
 * @param write writes lines
 * @returns receives the lines
 */
export function inTurns(write: (lines: readonly string[]) => void): (line: string) => void {
  let lines: string[] = [];
  const flush = (): void => {
    const written = lines;
    lines = [];
    if (written.length > 0) write(written);
  };
  process.once('exit', flush);
  return (line) => {
    if (lines.length === 0) setImmediate(flush);
    lines.push(line);
  };
}

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

function describe(report: GateReport): string[] {
  const { method, shown, total, concerns = {}, warnings = [] } = report;
  const { era, serverEra = era, early, error, isError, unanswered } = report;
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
