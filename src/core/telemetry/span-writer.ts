import type { Attributes, Context, Span, TraceAPI } from '@opentelemetry/api';
import type { GateReport, ReportedTrace } from '../gate/request/report.js';
import { reportFields } from './report-fields.js';
import { causeOf, type RequestLog, type WriteLog } from './request-log.js';

/** Attributes of the semantic conventions; the others are those of the log, under one prefix. */
const STANDARD = /^(mcp|gen_ai|rpc|error)\./;

/**
 * Makes a span of each request with the package of OpenTelemetry.
 *
 * @returns receives the requests; `undefined` without the package
 * @example
 * const write = await spanWriter();
 */
export async function spanWriter(): Promise<WriteLog | undefined> {
  const api = await import('@opentelemetry/api').catch(() => undefined);
  if (api === undefined) return undefined;
  const { SpanKind, SpanStatusCode, context, trace, metrics } = api;
  const tracer = trace.getTracer('mcp-concerns');
  const duration = metrics
    .getMeter('mcp-concerns')
    .createHistogram('mcp.server.operation.duration', { unit: 's', description: 'Duration of requests.' });
  const spanOf = (report: GateReport, entry: RequestLog): void => {
    const now = Date.now();
    const { durationMs = entry.durationMs, waits = {} } = entry.timings?.get(report) ?? {};
    const began = now - durationMs;
    const fields = reportFields(report);
    const ambient = context.active();
    const parent = parentOf(report.trace, trace, ambient);
    const own = trace.getSpanContext(ambient);
    // The span of the invocation, for example.
    const links = parent !== ambient && own !== undefined ? [{ context: own }] : [];
    duration.record(durationMs / 1000, { 'mcp.method.name': String(fields['mcp.method.name']) }, parent);
    const options = { kind: SpanKind.SERVER, startTime: began, links };
    const span: Span = tracer.startSpan(nameOf(fields), options, parent);
    if (!span.isRecording()) return;
    span.setAttributes(attributesOf(fields, entry));
    const cause = causeOf(report);
    if (cause === 'server' || cause === 'closed' || cause === 'tool')
      span.setStatus({ code: SpanStatusCode.ERROR });
    const inside = trace.setSpan(parent, span);
    // What the request waited for, one after the other.
    let at = began;
    for (const [place, ms = 0] of Object.entries(waits)) {
      tracer.startSpan(place, { kind: SpanKind.CLIENT, startTime: at }, inside).end(at + ms);
      at += ms;
    }
    span.end(now);
  };
  return (entry) => {
    for (const report of entry.reports) spanOf(report, entry);
  };
}

/** A span is named after what the server is known to have, and never after a text that only a client sent. */
function nameOf(fields: Readonly<Record<string, unknown>>): string {
  const name = fields['gen_ai.tool.name'] ?? fields['gen_ai.prompt.name'];
  const method = String(fields['mcp.method.name']);
  return typeof name === 'string' && !name.startsWith('(') ? `${method} ${name}` : method;
}

function attributesOf(
  fields: Readonly<Record<string, unknown>>,
  { session, caller }: RequestLog,
): Attributes {
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'trace_id' || name === 'span_id') continue;
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    attributes[STANDARD.test(name) ? name : `mcp_concerns.${name}`] = isPlain ? value : JSON.stringify(value);
  }
  if (session !== undefined) attributes['mcp.session.id'] = session;
  if (caller !== undefined) attributes['mcp_concerns.caller'] = caller;
  return attributes;
}

/** What the client says of sampling is passed on. The sampler of the SDK decides whether it is trusted. */
function parentOf(sent: ReportedTrace | undefined, trace: TraceAPI, ambient: Context): Context {
  if (sent === undefined) return ambient;
  const { traceId, spanId, isSampled = false } = sent;
  return trace.setSpanContext(ambient, { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true });
}
