import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateReport } from '../../src/core/gate/request/report.js';
import { countRequest } from '../../src/core/telemetry/counts.js';
import { causeOf, type RequestLog } from '../../src/core/telemetry/request-log.js';

const entryOf = (reports: readonly GateReport[], more: Partial<RequestLog> = {}): RequestLog => ({
  requestId: 'one',
  httpMethod: 'POST',
  status: 200,
  durationMs: 1,
  reports,
  ...more,
});
const countsOf = (entry: RequestLog): Readonly<Record<string, number>> =>
  Object.fromEntries(
    countRequest(entry).flatMap(({ name, value, by }) => (by === undefined ? [[name, value]] : [])),
  );
const list: GateReport = { method: 'tools/list', era: 'legacy' };
const unread = { code: 'store-unavailable', message: 'The session store could not be read.' };
const forgotten = { code: 'unknown-session', message: 'The session is unknown.' };

describe('a request counts once', () => {
  it.each<[string, Partial<GateReport>, string | undefined]>([
    ['that succeeded', { shown: 1, total: 2 }, undefined],
    [
      'that shows less since the store cannot be read',
      { shown: 1, total: 2, warnings: [unread] },
      'Degraded',
    ],
    ['that shows less since the store has forgotten its session', { warnings: [forgotten] }, 'Degraded'],
    [
      'that the gate refuses since the store cannot be read',
      { error: -32603, warnings: [unread] },
      'Degraded',
    ],
    ['that failed in the server', { error: -32603 }, 'Errors'],
    ['whose answer did not leave in time', { unanswered: 'closed' }, 'Errors'],
    ['whose tool reports a failure', { isError: true }, 'ToolErrors'],
    ['that names an unknown tool', { error: -32602 }, undefined],
    ['that its client cancelled', { unanswered: 'cancelled' }, undefined],
  ])('%s', (_what, outcome, expected) => {
    const { Calls, Errors, Degraded, ToolErrors } = countsOf(entryOf([{ ...list, ...outcome }]));
    const found = Object.entries({ Errors, Degraded, ToolErrors }).filter(([, value]) => value !== 0);
    expect([Calls, found]).toEqual([1, expected === undefined ? [] : [[expected, 1]]]);
  });

  it.each<[string, Partial<RequestLog>, string | undefined]>([
    ['that was refused with 401', { status: 401 }, undefined],
    ['that found a full house', { status: 503 }, 'Errors'],
    [
      'whose session could not be read',
      { status: 503, storeCalls: [{ operation: 'read', ms: 800, failed: 'TimeoutError' }] },
      'Degraded',
    ],
    [
      'whose session the store has forgotten',
      { status: 404, storeCalls: [{ operation: 'read', ms: 1, failed: 'unknown-session' }] },
      'Degraded',
    ],
    ['for which the policy is missing', { status: 503, isPolicyMissing: true }, 'PolicyFailures'],
    ['that failed in the function', { status: 500, failure: new Error('x') }, 'Errors'],
  ])('without reaching the gate, %s', (_what, more, expected) => {
    const { Calls, Errors = 0, Degraded = 0, PolicyFailures = 0 } = countsOf(entryOf([], more));
    const found = Object.entries({ Errors, Degraded, PolicyFailures }).filter(([, value]) => value !== 0);
    expect([Calls, found]).toEqual([0, expected === undefined ? [] : [[expected, 1]]]);
  });

  it('whatever else is reported about it', () => {
    const report = fc.record(
      {
        method: fc.constant('tools/call'),
        era: fc.constant<'legacy'>('legacy'),
        error: fc.constantFrom(-32603, -32602, -32000, 7),
        isError: fc.boolean(),
        unanswered: fc.constantFrom<'closed' | 'cancelled'>('closed', 'cancelled'),
        warnings: fc.subarray([unread, forgotten, { code: 'other', message: 'Other.' }]),
      },
      { requiredKeys: ['method', 'era'] },
    );
    fc.assert(
      fc.property(fc.array(report, { minLength: 1, maxLength: 5 }), (reports) => {
        const { Calls, Errors = 0, Degraded = 0, ToolErrors = 0 } = countsOf(entryOf(reports));
        const causes = reports.map(causeOf);
        const of = (...some: unknown[]) => causes.filter((cause) => some.includes(cause)).length;
        expect(Calls).toBe(reports.length);
        expect([Errors, Degraded, ToolErrors]).toEqual([of('server', 'closed'), of('store'), of('tool')]);
        expect(Errors + Degraded + ToolErrors).toBeLessThanOrEqual(reports.length);
      }),
    );
  });
});

it('counts three calls and one duration for a batch of three', () => {
  expect(countsOf(entryOf([list, list, list]))).toMatchObject({ Calls: 3, Errors: 0, Duration: 1 });
});
