import type { Context, SpanContext, TraceAPI } from '@opentelemetry/api';
import type { GateReport } from '../gate/request/report.js';
import { reportFields } from './report-fields.js';
import { causeOf, type RequestLog, type WriteLog } from './request-log.js';

/** Attributes of the semantic conventions; the others are those of the log, under one prefix. */
const STANDARD = /^(mcp|gen_ai|rpc|error)\./;

/**
 * Makes a span of each request, if `@opentelemetry/api` is installed and something records. It is made when the request is
 * over, from the same fields as the line of the log, so nothing waits for it.
 *
 * @returns receives the requests; `undefined` if nothing can record
 */
export async function spansOf(): Promise<WriteLog | undefined> {
  const api = await import('@opentelemetry/api').catch(() => undefined);
  if (api === undefined) return undefined;
  const { SpanKind, SpanStatusCode, context, trace, metrics } = api;
  const tracer = trace.getTracer('mcp-concerns');
  const duration = metrics
    .getMeter('mcp-concerns')
    .createHistogram('mcp.server.operation.duration', { unit: 's', description: 'Duration of requests.' });
  return (entry: RequestLog): void => {
    for (const report of entry.reports) {
      const now = Date.now();
      const timing = entry.timings?.get(report);
      const { durationMs, waits } = timing ?? { durationMs: entry.durationMs, waits: {} };
      const ambient = context.active();
      const caller = callerOf(report, trace, ambient);
      const own = trace.getSpanContext(ambient);
      const links = caller !== ambient && own !== undefined ? [{ context: own }] : [];
      const span = tracer.startSpan(
        nameOf(report),
        { kind: SpanKind.SERVER, startTime: now - durationMs, links },
        caller,
      );
      const attributes = { 'mcp.method.name': report.method };
      duration.record(durationMs / 1000, attributes, caller);
      if (!span.isRecording()) continue;
      const cause = causeOf(report);
      for (const [name, value] of Object.entries(reportFields(report))) {
        if (name === 'trace_id' || name === 'span_id') continue;
        const text = typeof value === 'object' ? JSON.stringify(value) : value;
        span.setAttribute(
          STANDARD.test(name) ? name : `mcp_concerns.${name}`,
          text as string | number | boolean,
        );
      }
      if (entry.session !== undefined) span.setAttribute('mcp.session.id', entry.session);
      if (cause === 'server' || cause === 'closed' || cause === 'tool')
        span.setStatus({ code: SpanStatusCode.ERROR });
      const inside = trace.setSpan(caller, span);
      let at = now - durationMs;
      // What the request waited for, one after the other.
      for (const [place, ms = 0] of Object.entries(waits)) {
        tracer.startSpan(place, { kind: SpanKind.CLIENT, startTime: at }, inside).end(at + ms);
        at += ms;
      }
      span.end(now);
    }
  };
}

function nameOf({ method, target }: GateReport): string {
  const name = target?.type === 'uri' ? undefined : target?.name;
  return name === undefined ? method : `${method} ${name}`;
}

function callerOf({ trace: sent }: GateReport, trace: TraceAPI, ambient: Context): Context {
  if (sent === undefined) return ambient;
  const remote: SpanContext = { ...sent, traceFlags: 1, isRemote: true };
  return trace.setSpanContext(ambient, remote);
}
