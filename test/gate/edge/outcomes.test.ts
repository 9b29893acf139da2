import { describe, expect, it } from 'vitest';
import { KnownNames, Outcomes } from '../../../src/core/gate/edge/outcomes.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { type Message, PROTOCOL_VERSION_META } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns: { level: { values: [low, high] } }
primitives:
  tools: { mapped: { level: low } }
  prompts: { asked: { level: low } }
  resources: { "r://mapped": { level: low } }
`);

/** The outcomes of the requests of one connection, and what they report. */
function open(names = new KnownNames()) {
  const reports: GateReport[] = [];
  const outcomes = new Outcomes((report) => reports.push(report), names, 'probe/secret');
  const request = (id: unknown, method: string, params?: object) =>
    outcomes.received({ jsonrpc: '2.0', id, method, ...(params && { params }) } as Message, policy);
  const answer = (id: unknown, body: object = { result: {} }) =>
    outcomes.sent({ jsonrpc: '2.0', id, ...body } as Message);
  const notify = (method: string, params?: object) =>
    outcomes.received({ jsonrpc: '2.0', method, ...(params && { params }) } as Message, policy);
  return { outcomes, reports, request, answer, notify };
}
const PING: GateReport = { method: 'ping', era: 'legacy', policy: policy.digest };
const CALL: GateReport = { method: 'tools/call', era: 'legacy', policy: policy.digest };

describe('a request', () => {
  it('is reported once, when its answer leaves', () => {
    const { reports, request, answer } = open();
    request(1, 'ping');
    expect(reports).toEqual([]);
    answer(1);
    answer(1);
    expect(reports).toEqual([PING]);
  });

  it.each<[string, object, object]>([
    ['an error', { error: { code: -32602, message: 'No' } }, { error: -32602 }],
    ['a result', { result: { content: [] } }, {}],
    ['a failure of the tool', { result: { isError: true } }, { isError: true }],
    ['a result that does not say clearly that it failed', { result: { isError: 'true' } }, {}],
  ])('is reported with its outcome: %s', (_what, body, outcome) => {
    const { reports, request, answer } = open();
    request(1, 'tools/call');
    answer(1, body);
    expect(reports).toEqual([{ ...CALL, ...outcome }]);
  });

  it.each<[string, object]>([
    ['null', { error: null }],
    ['null besides a result', { result: {}, error: null }],
    ['without a code', { error: { message: 'No' } }],
    ['with a code of another type', { error: { code: 'EACCES', message: 'No' } }],
  ])('that is answered with an error %s is reported as an internal error', (_what, body) => {
    const { reports, request, answer } = open();
    request(1, 'ping');
    answer(1, body);
    expect(reports).toEqual([{ ...PING, error: -32603 }]);
  });

  it('other than a call has no failure of a tool', () => {
    const { reports, request, answer } = open();
    request(1, 'ping');
    answer(1, { result: { isError: true } });
    expect(reports).toEqual([PING]);
  });

  it('is not finished by something that is no answer to it', () => {
    const { reports, request, answer, outcomes } = open();
    request(1, 'ping');
    answer(2);
    answer('1');
    answer(null, { error: { code: 1, message: '' } });
    answer(undefined, { error: { code: 1, message: '' } });
    outcomes.sent({ jsonrpc: '2.0', id: 1, method: 'ping' });
    outcomes.sent({ jsonrpc: '2.0', method: 'notifications/message' });
    expect(reports).toEqual([]);
  });

  it('is reported when the client cancels it, or the connection closes', () => {
    const { reports, request, answer, notify, outcomes } = open();
    request(1, 'ping');
    request(2, 'tools/call');
    request(3, 'ping');
    notify('notifications/cancelled', { requestId: 2 });
    notify('notifications/cancelled', { requestId: 7 });
    notify('notifications/cancelled');
    notify('notifications/progress', { requestId: 1 });
    expect(reports).toEqual([{ ...CALL, unanswered: 'cancelled' }]);
    answer(2);
    outcomes.closed();
    outcomes.closed();
    expect(reports.slice(1)).toEqual([
      { ...PING, unanswered: 'closed' },
      { ...PING, unanswered: 'closed' },
    ]);
  });

  it('is reported when its client is to come back for the answer', () => {
    const { reports, request, answer, outcomes } = open();
    request(1, 'ping');
    outcomes.finish(2, {});
    expect(reports).toEqual([]);
    outcomes.finish(1, {});
    expect(reports).toEqual([PING]);
    answer(1);
    expect(reports).toHaveLength(1);
  });

  it('with an id that is used twice is reported twice, and the later one gets the outcome', () => {
    const { reports, request, answer } = open();
    request(1, 'ping');
    request(1, 'tools/call');
    expect(reports).toEqual([PING]);
    answer(1, { error: { code: 7, message: '' } });
    expect(reports).toEqual([PING, { ...CALL, error: 7 }]);
  });

  it('of 2026-07-28 is reported with its era', () => {
    const { reports, request, answer } = open();
    request(1, 'ping', { _meta: { [PROTOCOL_VERSION_META]: '2026-07-28' } });
    answer(1);
    expect(reports).toEqual([{ ...PING, era: 'modern' }]);
  });

  it('that probes is not reported', () => {
    const { reports, request, answer } = open();
    request(1, 'probe/secret');
    answer(1);
    expect(reports).toEqual([]);
  });

  it('is reported at once, without its outcome, if 10,000 others have no answer', () => {
    const { reports, request, answer } = open();
    for (let id = 1; id < 10_000; id++) request(id, 'ping');
    request(10_000, 'tools/call');
    expect(reports).toEqual([]);
    request(10_001, 'ping');
    expect(reports).toEqual([PING]);
    answer(10_001);
    answer(10_000);
    expect(reports).toEqual([PING, CALL]);
  });
});

describe('what the gate tells about a request', () => {
  const told: GateReport = { method: 'tools/list', era: 'legacy', shown: 3 };
  const [one, two] = [
    { code: 'one', message: 'One.' },
    { code: 'two', message: 'Two.' },
  ];

  it('is reported with its outcome', () => {
    const other = { ...policyOf('concerns: { a: { values: [x] } }'), digest: 'other' };
    const { reports, request, answer, outcomes } = open();
    request(1, 'tools/list');
    outcomes.told(told, { id: 1 });
    outcomes.told({ ...told, shown: 4, total: 5 }, { id: 1, policy: other });
    expect(reports).toEqual([]);
    answer(1, { error: { code: 7, message: '' } });
    expect(reports).toEqual([{ ...told, shown: 4, total: 5, policy: other.digest, error: 7 }]);
  });

  it('has the policy that the request arrived under if the gate tells none', () => {
    const { reports, request, answer, outcomes } = open();
    request(1, 'tools/list');
    outcomes.told(told, { id: 1 });
    answer(1);
    expect(reports).toEqual([{ ...told, policy: policy.digest }]);
  });

  it.each([
    ['none', undefined, undefined, undefined],
    ['those told first', [one], undefined, [one]],
    ['those told later', undefined, [two], [two]],
    ['all', [one], [two], [one, two]],
    ['none of two empty lists', [], [], []],
  ])('has the warnings together: %s', (_what, first, second, expected) => {
    const { reports, request, answer, outcomes } = open();
    request(1, 'tools/list');
    outcomes.told({ ...told, ...(first && { warnings: first }) }, { id: 1 });
    outcomes.told({ ...told, ...(second && { warnings: second }) }, { id: 1 });
    answer(1);
    expect(reports).toEqual([{ ...told, policy: policy.digest, ...(expected && { warnings: expected }) }]);
  });

  it.each<[string, { id?: number } | undefined]>([
    ['no request', undefined],
    ['a request without an id', {}],
    ['a request that was answered', { id: 2 }],
  ])('is reported at once if it belongs to %s', (_what, context) => {
    const { reports, request, outcomes } = open();
    request(1, 'ping');
    outcomes.told(told, context);
    expect(reports).toEqual([told]);
  });
});

describe('the target of a request', () => {
  const target = (reports: readonly GateReport[]) => reports.map((report) => report.target);

  it.each<[string, string, object, object]>([
    ['a tool', 'tools/call', { name: 'mapped' }, { type: 'tool', name: 'mapped' }],
    ['a prompt', 'prompts/get', { name: 'asked' }, { type: 'prompt', name: 'asked' }],
    ['a URI', 'resources/read', { uri: 'r://mapped' }, { type: 'uri', name: 'r://mapped' }],
    ['a tool by the name of a prompt', 'tools/call', { name: 'asked' }, { type: 'tool' }],
    ['an unknown tool', 'tools/call', { name: 'password' }, { type: 'tool' }],
  ])('is named if the policy names it: %s', (_what, method, params, expected) => {
    const { reports, request, answer } = open();
    request(1, method, params);
    answer(1, { error: { code: 7, message: '' } });
    expect(target(reports)).toEqual([expected]);
  });

  it.each<[string, string, object, object, object]>([
    ['a tool that answered', 'tools/call', { name: 'x' }, { result: {} }, { type: 'tool', name: 'x' }],
    ['a tool that failed', 'tools/call', { name: 'x' }, { result: { isError: true } }, { type: 'tool' }],
    ['a prompt that answered', 'prompts/get', { name: 'x' }, { result: {} }, { type: 'prompt', name: 'x' }],
    [
      'a URI that answered, as it can contain arguments',
      'resources/read',
      { uri: 'x' },
      { result: {} },
      { type: 'uri' },
    ],
  ])('is named if the server has it: %s', (_what, method, params, body, expected) => {
    const names = new KnownNames();
    const { reports, request, answer } = open(names);
    request(1, method, params);
    answer(1, body);
    expect(target(reports)).toEqual([expected]);
    expect(names.has('x')).toBe('name' in expected);
  });

  it('is named if a list of the server has it', () => {
    const { reports, request, answer, outcomes } = open();
    request(1, 'tools/call', { name: 'listed' });
    request(2, 'tools/call', { name: 'found' });
    request(3, 'tools/call', { name: 'other' });
    outcomes.told({ method: 'x', era: 'legacy' }, { list: { kind: 'tools', items: [{ name: 'listed' }] } });
    outcomes.told({ method: 'x', era: 'legacy' }, { listedName: 'found' });
    for (const id of [1, 2, 3]) answer(id, { error: { code: 7, message: '' } });
    expect(target(reports.slice(2))).toEqual([
      { type: 'tool', name: 'listed' },
      { type: 'tool', name: 'found' },
      { type: 'tool' },
    ]);
  });
});

describe('the trace of a request', () => {
  const [trace, span] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

  it.each<[string, unknown, object]>([
    ['a trace parent', `00-${trace}-${span}-00`, { trace: { traceId: trace, spanId: span } }],
    [
      'one that is recorded',
      `00-${trace}-${span}-01`,
      { trace: { traceId: trace, spanId: span, isSampled: true } },
    ],
    ['none', undefined, {}],
    ['another type', [`00-${trace}-${span}-01`], {}],
    ['text before it', `x00-${trace}-${span}-01`, {}],
    ['text after it', `00-${trace}-${span}-01-x`, {}],
    ['another form', `00-${trace}-${span}`, {}],
    ['capitals', `00-${trace.toUpperCase()}-${span}-01`, {}],
    ['a long text', 'x'.repeat(101), {}],
  ])('is read from its _meta: %s', (_what, traceparent, expected) => {
    const { reports, request, answer } = open();
    request(1, 'ping', { _meta: { traceparent } });
    answer(1);
    expect(reports).toStrictEqual([{ ...PING, ...expected }]);
  });
});
