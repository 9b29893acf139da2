import { describe, expect, it } from 'vitest';
import { Connection } from '../../../src/gate/edge/connection.js';
import { HANDLERS } from '../../../src/gate/edge/handlers.js';
import { Exchange, type ExchangeConnection, type Handler } from '../../../src/gate/request/exchange.js';
import type { TaskLister } from '../../../src/gate/request/task-lister.js';
import type { Answer, Failure, Message } from '../../../src/wire/messages.js';
import { answer, exchangeOf, failed, modern, ping, SENDER } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { security: { values: [low, high] } }\n';
const plain = policyOf(POLICY);
const enforce = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);

const broken = (reason: string) => failed(-32603, `The concern filter failed on this request (${reason}).`);

/** A connection that handles the requests which it lets pass in another way. */
function handling(harness: Harness, handler: Handler): ExchangeConnection {
  return Object.assign(Object.create(harness.gate), { handlers: { ...HANDLERS, pass: handler } });
}

describe('judging', () => {
  it('refuses under enforce what no filter knows', () => {
    const harness = new Harness(enforce);
    expect(exchangeOf(harness, 'vendor/x').judge()).toBeUndefined();
    exchangeOf(harness, 'vendor x').judge();
    expect(harness.toClient).toEqual([
      failed(-32601, 'Method not found'),
      failed(-32601, 'Method not found'),
    ]);
    expect(harness.reports).toEqual([
      { method: 'vendor/x', era: 'legacy', error: -32601, refused: 'vendor/x' },
      { method: 'vendor x', era: 'legacy', error: -32601, refused: 'other' },
    ]);
    expect(harness.toServer).toEqual([]);
  });

  it('lets it pass otherwise', () => {
    const harness = new Harness(plain);
    exchangeOf(harness, 'vendor/x').judge();
    expect(harness.toServer).toMatchObject([{ method: 'vendor/x' }]);
  });

  const lister: TaskLister = { tools: [], list: async () => ({ ok: true, tasks: [] }) };
  const subscription = (taskIds: unknown, _meta?: object) => ({
    notifications: { ...(taskIds === undefined ? {} : { taskIds }) },
    ...(_meta && { _meta }),
  });

  it.each<[string, string, TaskLister | undefined, object, boolean]>([
    ['a modern subscription to tasks', 'subscriptions/listen', lister, subscription(['t'], modern()), true],
    [
      'one at a server that knows no owners',
      'subscriptions/listen',
      undefined,
      subscription(['t'], modern()),
      false,
    ],
    ['a legacy one', 'subscriptions/listen', lister, subscription(['t']), false],
    ['one without tasks', 'subscriptions/listen', lister, subscription(undefined, modern()), false],
    ['another method', 'vendor/listen', lister, subscription(['t'], modern()), false],
  ])('under enforce, of %s', async (_what, method, lister, params, passes) => {
    const sent: Message[] = [];
    const toClient: Message[] = [];
    const gate = new Connection(
      { policy: enforce, preferences: { place: 'none' }, lister },
      { toServer: (message) => sent.push(message), toClient: async (message) => void toClient.push(message) },
    );
    await new Exchange(gate, { ...ping, method, params: { ...params } }, SENDER).judge();
    expect(toClient.map((message) => 'error' in message && message.error.message)).toEqual(
      passes ? [] : ['Method not found'],
    );
    expect(sent).toHaveLength(passes ? 1 : 0);
  });

  it.each<[string, Handler['judge'], string]>([
    [
      'throws',
      () => {
        throw new Error('bug');
      },
      'bug',
    ],
    ['rejects', () => Promise.reject(new Error('late bug')), 'late bug'],
    ['rejects with what is no error', () => Promise.reject('text'), 'text'],
  ])('answers with an error if a handler %s', async (_what, judge, reason) => {
    const harness = new Harness(plain);
    await new Exchange(handling(harness, { judge }), ping, SENDER).judge();
    expect(harness.toClient).toEqual([broken(reason)]);
    expect(harness.reports).toEqual([{ method: 'ping', era: 'legacy', error: -32603 }]);
  });

  it('forgets a request whose handler failed', async () => {
    const harness = new Harness(plain);
    const judge = (exchange: Exchange) => {
      exchange.hold();
      throw new Error('bug');
    };
    await new Exchange(handling(harness, { judge }), ping, SENDER).judge();
    expect([...harness.gate.inFlight()]).toEqual([]);
    expect(harness.toClient).toEqual([broken('bug')]);
  });

  it('waits for a handler that must wait', async () => {
    const harness = new Harness(plain);
    const judge = async (exchange: Exchange) => exchange.reply({ late: true });
    const judging = new Exchange(handling(harness, { judge }), ping, SENDER).judge();
    expect(judging).toBeInstanceOf(Promise);
    await judging;
    expect(harness.toClient).toEqual([answer({ late: true })]);
  });
});

describe('settling', () => {
  const judge = () => undefined;
  const settling = (settle?: Handler['settle']) =>
    new Exchange(handling(new Harness(plain), { judge, ...(settle && { settle }) }), ping, SENDER);

  it('gives the answer the id of the client', () => {
    expect(settling().settle(answer({ a: 1 }, 'gate/1'))).toEqual(answer({ a: 1 }));
    const own = answer({ a: 1 });
    expect(settling().settle(own)).toBe(own);
    expect(settling().settle({ ...failed(-1, 'no'), id: 'gate/1' })).toEqual(failed(-1, 'no'));
  });

  it('gives what the handler makes of it, now or later', async () => {
    const changed = (message: Answer | Failure) => ({ ...message, jsonrpc: '2.0' }) as const;
    expect(settling((_exchange, message) => changed(message)).settle(answer({}))).toEqual(answer({}));
    const later = settling(async () => answer({ late: true })).settle(answer({}));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(answer({ late: true }));
  });

  it.each<[string, NonNullable<Handler['settle']>]>([
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('bug'))],
  ])('gives an error if the handler %s', async (_what, settle) => {
    expect(await settling(settle).settle(answer({ secret: 1 }))).toEqual(broken('bug'));
  });
});
