import { describe, expect, it } from 'vitest';
import { gather, handleRequest, handleResponse } from '../../../src/core/gate/edge/gather.js';
import { ROUTE_HANDLERS, type RouteHandlers } from '../../../src/core/gate/edge/route-handlers.js';
import {
  ask,
  decided,
  type RequestOutcome,
  type RequestSteps,
  type ResponseOutcome,
  type ResponseSteps,
  type RouteHandler,
  reply,
} from '../../../src/core/gate/request/decision.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { Answer, Failure } from '../../../src/core/wire/messages.js';
import { answer, exchangeOf, failed } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { security: { values: [low, high] } }\n';
const plain = policyOf(POLICY);
const enforce = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);

const broken = (reason: string) => failed(-32603, `The concern filter failed on this request (${reason}).`);

/** The handlers of the table, in which `ping` is decided in another way. */
const handlersWith = (handler: Partial<RouteHandler>): RouteHandlers => ({
  ...ROUTE_HANDLERS,
  pass: { ...ROUTE_HANDLERS.pass, ...handler },
});
const exchange = (harness: Harness) => exchangeOf(harness, 'ping');

function* throwing(reason: string): RequestSteps<never> {
  yield* ask({ need: 'held' });
  throw new Error(reason);
}

describe('judging', () => {
  it('refuses under enforce what no filter knows', () => {
    const harness = new Harness(enforce);
    expect(handleRequest(exchangeOf(harness, 'vendor/x'))).toBeUndefined();
    handleRequest(exchangeOf(harness, 'vendor x'));
    expect(harness.toClient).toEqual([
      failed(-32601, 'Method not found'),
      failed(-32601, 'Method not found'),
    ]);
    expect(harness.reports).toEqual([
      { method: 'vendor/x', era: 'legacy', error: -32601, refused: 'vendor/x' },
      { method: 'other', era: 'legacy', error: -32601, refused: 'other' },
    ]);
    expect(harness.toServer).toEqual([]);
  });

  it('lets it pass otherwise', () => {
    const harness = new Harness(plain);
    handleRequest(exchangeOf(harness, 'vendor/x'));
    expect(harness.toServer).toMatchObject([{ method: 'vendor/x' }]);
  });

  it.each<[string, Partial<RouteHandler>]>([
    ['at once', { onRequest: () => throwing('bug') }],
    [
      'after its preferences',
      {
        *onRequest(): RequestSteps<RequestOutcome> {
          yield* ask({ need: 'preferences', invalid: 'ignore' });
          return yield* throwing('bug');
        },
      },
    ],
  ])('answers with an error if a decision throws %s', async (_when, handler) => {
    const harness = new Harness(plain);
    await handleRequest(exchange(harness), handlersWith(handler));
    expect(harness.toClient).toEqual([broken('bug')]);
    expect(harness.reports).toEqual([{ method: 'ping', era: 'legacy', error: -32603 }]);
    expect([...harness.gate.ledger.all()]).toEqual([]);
  });

  it('answers with an error if a decision throws after it waited for a list', async () => {
    const harness = new Harness(plain);
    const handler: Partial<RouteHandler> = {
      *onRequest(): RequestSteps<RequestOutcome> {
        yield* ask({ need: 'whole', kind: 'tools' });
        return yield* throwing('late bug');
      },
    };
    expect(handleRequest(exchange(harness), handlersWith(handler))).toBeUndefined();
    expect(harness.toClient).toEqual([]);
    expect(exchange(harness).isSuspended).toBe(false);
    const [asked] = harness.toServer;
    if (asked === undefined || !('id' in asked)) throw new Error('The server was not asked.');
    await harness.server({ jsonrpc: '2.0', id: asked.id, result: { tools: [] } });
    expect(harness.toClient).toEqual([broken('late bug')]);
    expect([...harness.gate.ledger.all()]).toEqual([]);
  });

  it('answers with an error if what a decision needs cannot be had', async () => {
    const store = { ...createMemoryStore(), read: () => Promise.reject(new Error('down')) };
    const harness = new Harness(plain, { place: 'store', store, id: 's' });
    const handler: Partial<RouteHandler> = {
      *onRequest(): RequestSteps<RequestOutcome> {
        yield* ask({ need: 'kept' });
        return reply({});
      },
      inOrder: true,
    };
    await handleRequest(exchange(harness), handlersWith(handler));
    expect(harness.toClient).toEqual([broken('down')]);
  });

  it('lets a decision go on if it expects that something cannot be had', async () => {
    const store = { ...createMemoryStore(), read: () => Promise.reject(new Error('down')) };
    const harness = new Harness(plain, { place: 'store', store, id: 's' });
    const handler: Partial<RouteHandler> = {
      *onRequest(): RequestSteps<RequestOutcome> {
        try {
          yield* ask({ need: 'kept' });
          return reply({ isRead: true });
        } catch {
          return reply({ isRead: false });
        }
      },
    };
    handleRequest(exchange(harness), handlersWith(handler));
    await expect.poll(() => harness.toClient).toEqual([answer({ isRead: false })]);
  });

  it('lets later messages wait only for preferences, or if the handler says so', async () => {
    const store = createMemoryStore();
    const harness = new Harness(plain, { place: 'store', store, id: 's' });
    const handler: Partial<RouteHandler> = {
      *onRequest(): RequestSteps<RequestOutcome> {
        const { session } = yield* ask({ need: 'kept' });
        return reply({ session: session.state });
      },
    };
    expect(handleRequest(exchange(harness), handlersWith(handler))).toBeUndefined();
    const judging = handleRequest(exchange(harness), handlersWith({ ...handler, inOrder: true }));
    expect(judging).toBeInstanceOf(Promise);
    await judging;
    expect(harness.toClient).toEqual([answer({ session: 'unknown' }), answer({ session: 'unknown' })]);
  });

  it('does not answer a request that the client cancels while it waits', async () => {
    const harness = new Harness(plain);
    const handler: Partial<RouteHandler> = {
      *onRequest(): RequestSteps<RequestOutcome> {
        yield* ask({ need: 'whole', kind: 'tools' });
        return reply({ late: true });
      },
    };
    handleRequest(exchange(harness), handlersWith(handler));
    harness.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    const [asked] = harness.toServer;
    if (asked === undefined || !('id' in asked)) throw new Error('The server was not asked.');
    await harness.server({ jsonrpc: '2.0', id: asked.id, result: { tools: [] } });
    expect(harness.toClient).toEqual([]);
  });
});

describe('settling', () => {
  const settling = (handler: RouteHandler['onResponse'], message: Answer | Failure) =>
    handleResponse(
      exchange(new Harness(plain)),
      message,
      handlersWith({ onRequest: () => throwing('unused'), onResponse: handler }),
    );
  const as = (message: Answer | Failure): ResponseSteps<ResponseOutcome> => decided({ message });

  it('gives the answer the id of the client', () => {
    expect(settling(ROUTE_HANDLERS.pass.onResponse, answer({ a: 1 }, 'gate/1'))).toEqual(answer({ a: 1 }));
    const own = answer({ a: 1 });
    expect(settling(ROUTE_HANDLERS.pass.onResponse, own)).toBe(own);
    expect(settling(ROUTE_HANDLERS.pass.onResponse, { ...failed(-1, 'no'), id: 'gate/1' })).toEqual(
      failed(-1, 'no'),
    );
  });

  it('gives what the decision makes of it, now or later', async () => {
    expect(settling(() => as(answer({ b: 1 })), answer({}))).toEqual(answer({ b: 1 }));
    const harness = new Harness(plain, { place: 'store', store: createMemoryStore(), id: 's' });
    function* late(): ResponseSteps<ResponseOutcome> {
      yield* ask({ need: 'kept' });
      return { message: answer({ late: true }) };
    }
    const handler = { onRequest: () => throwing('unused'), onResponse: late };
    const later = handleResponse(exchange(harness), answer({}), handlersWith(handler));
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(answer({ late: true }));
  });

  it('gives an error if the decision throws, now or later', async () => {
    expect(settling(() => throwing('bug') as never, answer({ secret: 1 }))).toEqual(broken('bug'));
    const harness = new Harness(plain, { place: 'store', store: createMemoryStore(), id: 's' });
    function* late(): ResponseSteps<ResponseOutcome> {
      yield* ask({ need: 'kept' });
      return yield* throwing('late bug') as ResponseSteps<never>;
    }
    const handler = { onRequest: () => throwing('unused'), onResponse: late };
    expect(await handleResponse(exchange(harness), answer({ secret: 1 }), handlersWith(handler))).toEqual(
      broken('late bug'),
    );
  });
});

describe('gathering', () => {
  it('rejects with what a decision throws at once', async () => {
    const found = gather(exchange(new Harness(plain)), throwing('bug') as ResponseSteps<never>);
    await expect(found).rejects.toThrow('bug');
  });

  it('leaves a request that waits for its own decision to that decision', async () => {
    const harness = new Harness(plain, { place: 'store', store: createMemoryStore(), id: 's' });
    const held = exchange(harness);
    held.suspend();
    expect(await gather(held, ask({ need: 'kept' }))).toMatchObject({ session: { state: 'unknown' } });
    expect([held.isSuspended, held.resume()]).toEqual([true, true]);
  });

  it('rejects with what a decision throws after it waited', async () => {
    const harness = new Harness(plain, { place: 'store', store: createMemoryStore(), id: 's' });
    function* late(): ResponseSteps<never> {
      yield* ask({ need: 'kept' });
      throw new Error('bug');
    }
    await expect(gather(exchange(harness), late())).rejects.toThrow('bug');
  });
});
