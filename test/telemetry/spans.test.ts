import { metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import type { GateReport } from '../../src/core/gate/request/report.js';
import type { RequestLog } from '../../src/core/telemetry/request-log.js';
import { spansOf } from '../../src/core/telemetry/spans.js';

const REGISTERED = Symbol.for('opentelemetry.js.api.1');
/** As a process is in which nobody has registered an SDK. */
const forget = (): void => {
  trace.disable();
  metrics.disable();
  Reflect.deleteProperty(globalThis, REGISTERED);
};
afterEach(forget);

function register() {
  const exporter = new InMemorySpanExporter();
  const sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() });
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ sampler, spanProcessors }));
  return () => exporter.getFinishedSpans();
}

const call: GateReport = {
  method: 'tools/call',
  era: 'legacy',
  target: { type: 'tool', name: 'die' },
  concerns: { effect: 'read' },
};
const entryOf = (reports: readonly GateReport[], more: Partial<RequestLog> = {}): RequestLog => ({
  requestId: 'one',
  httpMethod: 'POST',
  status: 200,
  durationMs: 30,
  reports,
  ...more,
});
const SENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

describe('spans', () => {
  it('are not made without an SDK', async () => {
    forget();
    expect(await spansOf()).toBeUndefined();
  });

  it('have the method and the tool, the attributes of the conventions, and children for what was waited for', async () => {
    const finished = register();
    const spans = await spansOf();
    const timings = new Map([[call, { durationMs: 20, waits: { store: 5, server: 12 } }]]);
    spans?.(entryOf([call], { timings, session: 'a1', caller: 'b2' }));
    const [store, server, request] = finished();
    expect(request).toMatchObject({ name: 'tools/call die', kind: SpanKind.SERVER });
    expect(request?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'die',
      'mcp.session.id': 'a1',
      'mcp_concerns.caller': 'b2',
      'mcp_concerns.era': 'legacy',
      'mcp_concerns.concerns': '{"effect":"read"}',
    });
    for (const child of [store, server])
      expect(child?.parentSpanContext?.spanId).toBe(request?.spanContext().spanId);
    expect([store?.name, server?.name]).toEqual(['store', 'server']);
  });

  it('are three for a batch of three', async () => {
    const finished = register();
    (await spansOf())?.(entryOf([call, { ...call }, { ...call }]));
    expect(finished()).toHaveLength(3);
  });

  it.each([
    ['that the server failed on', { error: -32603 }, SpanStatusCode.ERROR],
    ['whose tool failed', { isError: true }, SpanStatusCode.ERROR],
    ['that names an unknown tool', { error: -32602 }, SpanStatusCode.UNSET],
  ])('say of a request %s whether it failed', async (_what, outcome, code) => {
    const finished = register();
    (await spansOf())?.(entryOf([{ ...call, ...outcome }]));
    expect(finished()[0]?.status.code).toBe(code);
  });

  it('belong to the trace of the client, which says whether it is recorded', async () => {
    const finished = register();
    const spans = await spansOf();
    spans?.(entryOf([{ ...call, trace: SENT }]));
    expect(finished()).toEqual([]);
    spans?.(entryOf([{ ...call, trace: { ...SENT, isSampled: true } }]));
    const [span] = finished();
    expect(span?.spanContext().traceId).toBe(SENT.traceId);
    expect(span?.parentSpanContext?.spanId).toBe(SENT.spanId);
  });

  it('have no name that only a client sent', async () => {
    const finished = register();
    (await spansOf())?.(entryOf([{ ...call, method: 'M4RK3R', target: { type: 'tool' } }]));
    const [span] = finished();
    expect(span?.name).toBe('other');
    expect(JSON.stringify(span?.attributes)).not.toContain('M4RK3R');
  });
});
