import type { GateReport, ReceiveReport } from '../../../core/gate/request/report.js';
import type * as Counts from '../../../core/telemetry/counts.js';
import type { Count } from '../../../core/telemetry/counts.js';
import type { LogEntry } from '../../../core/telemetry/entries.js';
import type { PolicyEvent } from '../../../core/telemetry/policy-event.js';
import type { RequestLog, WriteLog } from '../../../core/telemetry/request-log.js';
import { spansOf } from '../../../core/telemetry/spans.js';
import type { UpstreamEvent } from '../../../core/telemetry/upstream-event.js';
import type { Terminal } from '../../terminal/output.js';
import { inTurns, reportLine } from '../request-line.js';
import { upstreamLine } from '../upstream-line.js';
import type { Counters } from './counters.js';

/** What whoever runs an endpoint is told: lines for a person or for a log service, counts, spans. */
export interface Operations {
  /** Writes a line that is not about a request. */
  note(text: string): void;
  /** Receives the reports about requests that belong to no HTTP request. */
  readonly report: ReceiveReport;
  /** Receives each HTTP request; `undefined` if a person reads a line for each report, and nothing else is made of it. */
  readonly request: WriteLog | undefined;
  /** Receives what happens to the servers behind the endpoint. With several servers, lines have their names. */
  upstream(event: UpstreamEvent, isOneOfSeveral: boolean): void;
  /** Receives what a look at the policy led to, and how a person is told. Without a text, it was told before. */
  policy(event: PolicyEvent, text?: string): void;
  /** Receives the policy in effect. */
  policyInEffect(digest: string, label: string | undefined): void;
  close(): void;
}

/** How an operator is told. */
export interface OperationsOptions {
  /** Whether a log service reads the lines. */
  readonly isJson: boolean;
  /** The port of the counts; `undefined` if nobody asks for them. */
  readonly metrics: number | undefined;
}

/** The name of the service in lines, as functions have it without a setting. */
const SERVICE = 'mcp-concerns';

/**
 * Opens what an operator is told. The lines of a log service are those that a function writes, and the counts have the same
 * meaning as its metrics.
 *
 * @param options who reads the lines, and the port of the counts
 * @param terminal where lines are written; nothing under `--quiet`
 * @throws {CliError} if the counts cannot be served
 * @example
 * const operations = await openOperations({ isJson: true, metrics: 9464 }, terminal);
 */
export async function openOperations(
  { isJson, metrics }: OperationsOptions,
  terminal: Pick<Terminal, 'env' | 'note' | 'warn' | 'quiet'>,
): Promise<Operations> {
  const counters = await countersAt(metrics);
  const spans = await spansOf();
  const lines = isJson ? await loadLines() : undefined;
  const { note } = terminal;
  const text = inTurns(note);
  // Lines for a log service are never wrapped.
  const json = inTurns((lines) => terminal.quiet || terminal.warn(lines.join('\n')));
  const write = ({ level, message, fields }: LogEntry): void =>
    json(
      JSON.stringify({
        level: level.toUpperCase(),
        message,
        timestamp: new Date(),
        service: SERVICE,
        ...fields,
      }),
    );
  const logger = {
    info: (message: string, fields: object) => write({ level: 'info', message, fields: { ...fields } }),
    warn: (message: string, fields: object) => write({ level: 'warn', message, fields: { ...fields } }),
  };
  const failed = new Set<string>();
  /** Runs what must not fail a request. What throws is named once. */
  const safely = (what: string, run: () => void): void => {
    try {
      run();
    } catch (cause) {
      if (failed.has(what)) return;
      failed.add(what);
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `The ${what} of requests failed (${why}). Requests are answered without it.`;
      if (isJson) logger.warn(message, {});
      else note(message);
    }
  };
  const count = (counts: (of: typeof Counts) => readonly Count[]): void => {
    if (counters !== undefined) safely('count', () => counters.of.count(counts(counters.counts)));
  };
  const secrets = Object.values(terminal.env).flatMap((value) => value ?? []);
  const logUpstream = lines?.logUpstreams(logger, secrets);
  const lineOf = ({ httpMethod, status }: RequestLog): string => `${httpMethod}  HTTP ${status}`;
  const isToldByText = !isJson && counters === undefined && spans === undefined;

  const request: WriteLog = (entry) => {
    // A notification, a probe or a stream that opens needs no look.
    if (entry.reports.length === 0 && entry.failure === undefined && entry.status < 400) return;
    if (lines !== undefined) safely('line', () => lines.entriesOf(entry).forEach(write));
    else if (entry.reports.length === 0) text(lineOf(entry));
    else for (const each of entry.reports) text(reportLine(each));
    count(({ countRequest }) => countRequest(entry));
    if (spans !== undefined) safely('span', () => spans(entry));
  };
  return {
    note: (message) => (isJson ? logger.info(message, {}) : note(message)),
    report: (report, timing) => (isToldByText ? text(reportLine(report)) : request(entryOf(report, timing))),
    request: isToldByText ? undefined : request,
    upstream(event, isOneOfSeveral) {
      const line = lines === undefined ? upstreamLine(event) : undefined;
      if (lines !== undefined) {
        // The name of a server that is a command has its arguments, which can be secrets.
        const upstream = lines.redactLine(event.upstream, secrets);
        safely('line', () => logUpstream?.({ ...event, upstream }));
      }
      if (line !== undefined) note(isOneOfSeveral ? `${event.upstream}: ${line}` : line);
      count(({ countUpstream }) => countUpstream(event));
    },
    policy(event, told) {
      if (told !== undefined && lines !== undefined) write(lines.entryOfPolicy(event));
      else if (told !== undefined) note(told);
      count(({ countPolicy }) => countPolicy(event));
    },
    policyInEffect: (digest, label) => counters?.of.policy(digest, label),
    close: () => counters?.of.close(),
  };
}

/** Of a request on a connection that is not of one HTTP request, only the report is known. */
const entryOf = (report: GateReport, timing: Parameters<ReceiveReport>[1]): RequestLog => ({
  requestId: '',
  httpMethod: 'POST',
  status: 200,
  durationMs: timing?.durationMs ?? 0,
  reports: [report],
  timings: timing && new Map([[report, timing]]),
});

// What only lines for a log service or counts need is loaded only for them: a host that starts a command waits for all others.

async function loadLines() {
  const [{ entriesOf }, { entryOfPolicy }, { redactLine }, { logUpstreams }] = await Promise.all([
    import('../../../core/telemetry/entries.js'),
    import('../../../core/telemetry/policy-event.js'),
    import('../../../core/telemetry/redact-line.js'),
    import('../../../core/telemetry/upstream-log.js'),
  ]);
  return { entriesOf, entryOfPolicy, redactLine, logUpstreams };
}

async function countersAt(
  port: number | undefined,
): Promise<{ readonly of: Counters; readonly counts: typeof Counts } | undefined> {
  if (port === undefined) return undefined;
  const [{ openCounters }, counts] = await Promise.all([
    import('./counters.js'),
    import('../../../core/telemetry/counts.js'),
  ]);
  return { of: await openCounters(port), counts };
}
