import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/core/gate/edge/ledger.js';

const entry = (clientId: string | number) => ({ clientId });

describe('a ledger', () => {
  it('gives each request an id of its own', () => {
    const ledger = new Ledger();
    const [one, two] = [entry(1), entry(1)];
    const ids = [ledger.enter(one), ledger.enter(two)];
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\/1$/), expect.stringMatching(/\/2$/)]);
    expect(ids.map((id) => ledger.find(id))).toEqual([one, two]);
    expect([...ledger.all()]).toEqual([one, two]);
  });

  it('owns the ids that it gave, also after the answers', () => {
    const ledger = new Ledger();
    expect(ledger.owns('x')).toBe(false);
    expect(ledger.owns(undefined)).toBe(false);
    expect(ledger.owns('undefined/1')).toBe(false);
    const id = ledger.enter(entry(1));
    ledger.take(id);
    expect(ledger.owns(id)).toBe(true);
    expect(ledger.owns(`x${id}`)).toBe(false);
    expect(ledger.owns(1)).toBe(false);
    expect(ledger.owns(new Ledger().enter(entry(1)))).toBe(false);
  });

  it('takes each request once', () => {
    const ledger = new Ledger();
    const one = entry(1);
    const id = ledger.enter(one);
    expect(ledger.take('x')).toBeUndefined();
    expect(ledger.take(id)).toBe(one);
    expect(ledger.take(id)).toBeUndefined();
    expect(ledger.find(id)).toBeUndefined();
    expect(ledger.cancel(1)).toBeUndefined();
  });
});

describe('a cancelled request', () => {
  it('stays in the ledger until its answer', () => {
    const ledger = new Ledger();
    const one = entry('a');
    const id = ledger.enter(one);
    expect(ledger.cancel('b')).toBeUndefined();
    expect(ledger.cancel('a')).toEqual({ id, entry: one });
    expect([...ledger.all()]).toEqual([one]);
    expect(ledger.cancel('a')).toBeUndefined();
    expect(ledger.take(id)).toBe(one);
  });

  it('is the latest one with the id of the client', () => {
    const ledger = new Ledger();
    const [first, second] = [ledger.enter(entry(1)), ledger.enter(entry(1))];
    // The answer to the first one does not make the second one unknown.
    ledger.take(first);
    expect(ledger.cancel(1)?.id).toBe(second);
    const third = ledger.enter(entry(1));
    ledger.take(second);
    expect(ledger.cancel(1)?.id).toBe(third);
  });

  it('is forgotten if 1,000 later ones are cancelled too', () => {
    const ledger = new Ledger();
    const ids = Array.from({ length: 1_001 }, (_, clientId) => {
      const id = ledger.enter(entry(clientId));
      if (clientId < 1_000) ledger.cancel(clientId);
      return id;
    });
    expect([...ledger.all()]).toHaveLength(1_001);
    ledger.cancel(1_000);
    expect(ledger.find(ids[0])).toBeUndefined();
    expect(ledger.find(ids[1])).toEqual(entry(1));
    expect([...ledger.all()]).toHaveLength(1_000);
  });
});

describe('requests that passed by', () => {
  it('expect as many answers to an id as the client used it', () => {
    const ledger = new Ledger();
    for (const id of [1, 'a', 1]) ledger.passBy(id);
    const taken = [ledger.takePassed(1), ledger.hasPassed(1), ledger.takePassed(1), ledger.hasPassed(1)];
    expect(taken).toEqual([true, true, true, false]);
    expect([ledger.takePassed(1), ledger.takePassed('1'), ledger.takePassed('a')]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('are forgotten if there are more than 1,000, the oldest first', () => {
    const ledger = new Ledger();
    for (let id = 0; id <= 1000; id++) ledger.passBy(id);
    expect([0, 1, 1000].map((id) => ledger.hasPassed(id))).toEqual([false, true, true]);
  });
});

it('gives a request to the client an id that tells nothing of those to the server', () => {
  const ledger = new Ledger();
  const ids: unknown[] = [];
  const keep = (message: unknown) => void ids.push(Object(message).id);
  const request = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;
  for (const side of ['client', 'server'] as const)
    ledger.asker(side, request, keep)('x', {}, () => undefined);
  const [toClient, toServer] = ids;
  expect(ledger.owns(toServer)).toBe(true);
  expect(ledger.owns(toClient)).toBe(true);
  expect(String(toServer).split('/')[0]).not.toBe(String(toClient).split('/')[0]);
});
