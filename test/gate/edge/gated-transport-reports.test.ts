import { describe, expect, it } from 'vitest';
import type { GateOptions } from '../../../src/core/gate/edge/concerns-options.js';
import { COME_BACK, type EndingTransport } from '../../../src/core/gate/edge/gated-transport.js';
import { KnownNames } from '../../../src/core/gate/edge/outcomes.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { type RequestId, read } from '../../../src/core/wire/messages.js';
import { levels, turn } from '../tasks/task-gate.js';
import { FakeTransport, GatedPair } from '../transport-harness.js';

const advisory = levels();
const enforced = levels('{ enforcement: enforce }');
const open = (options: Partial<GateOptions> = {}) =>
  new GatedPair({ policy: advisory, ...options }, new FakeTransport());
const PING = { id: 7, method: 'ping' };
const idOf = (message: unknown) => read(message, 'id') as RequestId;

describe('the reports of a transport', () => {
  function reporting(options: Partial<GateOptions> = {}) {
    const reports: GateReport[] = [];
    const pair = open({ report: (report) => reports.push(report), ...options });
    return { pair, reports };
  }
  const { digest } = advisory;

  it('are about each request, when its answer leaves', async () => {
    const { pair, reports } = reporting();
    pair.client(PING);
    expect(reports).toEqual([]);
    await pair.server({ id: 7, error: { code: 5, message: '' } });
    expect(reports).toEqual([{ method: 'ping', era: 'legacy', policy: digest, error: 5 }]);
  });

  it('say what enforce would refuse, also of a request that passes by', async () => {
    const { pair, reports } = reporting({ policy: levels('{ enforcement: shadow }') });
    pair.client({ id: 7, method: 'vendor/x' });
    await pair.server({ id: 7, result: {} });
    expect(reports).toMatchObject([{ method: 'vendor/x', refused: 'vendor/x' }]);
  });

  it('are about requests without an answer, when the transport closes', () => {
    const { pair, reports } = reporting();
    pair.client(PING);
    pair.inner.onclose?.();
    expect(reports).toEqual([{ method: 'ping', era: 'legacy', policy: digest, unanswered: 'closed' }]);
  });

  it('are about the answers of the gate too', async () => {
    const { pair, reports } = reporting({ policy: enforced });
    pair.client({ id: 7, method: 'vendor/x' });
    expect(reports).toMatchObject([{ method: 'vendor/x', refused: 'vendor/x', error: -32601 }]);
  });

  it('name what other transports have learned, and no probes', async () => {
    const names = new KnownNames();
    names.add('known');
    const { pair, reports } = reporting({ policy: enforced, names, probe: 'probe/x' });
    const request = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'known' } };
    pair.client({ id: 1, method: 'probe/x', params: { request } });
    pair.client(request);
    for (const message of pair.messages)
      await pair.server({ id: idOf(message), error: { code: 5, message: '' } });
    await turn();
    expect(pair.inner.sent.map(idOf)).toEqual([1, 2]);
    expect(reports).toMatchObject([{ target: { type: 'tool', name: 'known' } }]);
  });

  it('learn names by themselves', async () => {
    const { pair, reports } = reporting();
    for (const body of [{ result: {} }, { error: { code: 5, message: '' } }]) {
      pair.client({ id: 1, method: 'tools/call', params: { name: 'x' } });
      await pair.server({ id: 1, ...body });
    }
    expect(reports.map(({ target }) => target)).toEqual(Array(2).fill({ type: 'tool', name: 'x' }));
  });
});

describe('a client that is told to come back', () => {
  /** A transport of HTTP whose responses can end without an answer. */
  class Ending extends FakeTransport implements EndingTransport {
    readonly told: unknown[] = [];

    [COME_BACK](id: RequestId, retryMs: number): () => void {
      this.told.push([id, retryMs]);
      return () => this.told.push('ended');
    }
  }

  it('is told so under its own id, and the request is reported', () => {
    const reports: GateReport[] = [];
    const report = (given: GateReport) => reports.push(given);
    const pair = new GatedPair({ policy: enforced, report }, new Ending());
    pair.client(PING);
    const end = pair.gated.comeBack(idOf(pair.messages[0]), 500);
    expect(pair.inner.told).toEqual([[7, 500]]);
    expect(reports).toEqual([]);
    end?.();
    expect(pair.inner.told).toEqual([[7, 500], 'ended']);
    expect(reports).toMatchObject([{ method: 'ping' }]);
  });

  it('is told so without reports too', () => {
    const pair = new GatedPair({ policy: advisory }, new Ending());
    pair.gated.comeBack(7, 500)?.();
    expect(pair.inner.told).toEqual([[7, 500], 'ended']);
  });

  it('cannot be told by a transport whose responses need an answer', () => {
    expect(open().gated.comeBack(7, 500)).toBeUndefined();
  });
});
