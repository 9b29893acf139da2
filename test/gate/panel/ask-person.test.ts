import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LONGEST_WAIT } from '../../../src/core/gate/edge/ask-person.js';
import { type formOf, readFormAnswer } from '../../../src/core/gate/panel/form.js';
import { ask, type FormAnswer } from '../../../src/core/gate/request/decision.js';
import type { RequestId } from '../../../src/core/wire/messages.js';
import { decided } from '../exchange-of.js';
import { talkTo } from './panel-policy.js';

describe('an answer to a form', () => {
  it.each<[unknown, FormAnswer | undefined]>([
    [
      { action: 'accept', content: { a: 1 } },
      { action: 'accept', content: { a: 1 } },
    ],
    [{ action: 'accept' }, { action: 'accept', content: {} }],
    [
      { action: 'accept', content: null },
      { action: 'accept', content: {} },
    ],
    [
      { action: 'accept', content: ['a'] },
      { action: 'accept', content: {} },
    ],
    [
      { action: 'accept', content: 'text' },
      { action: 'accept', content: {} },
    ],
    [{ action: 'decline', content: { a: 1 } }, { action: 'decline' }],
    [{ action: 'cancel' }, { action: 'cancel' }],
    [{ action: 'other', content: { a: 1 } }, undefined],
    [{ content: { a: 1 } }, undefined],
    [null, undefined],
    ['accept', undefined],
  ])('%j is read as %j', (answer, read) => {
    expect(readFormAnswer(answer)).toEqual(read);
  });
});

describe('a form that is shown while a call waits', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const form: ReturnType<typeof formOf> = {
    mode: 'form',
    message: 'Choose.',
    requestedSchema: { type: 'object', properties: { security: { type: 'string' } } },
  };

  /** Shows the form, and returns a function with which the client answers. */
  function show() {
    const talk = talkTo();
    const answered = Promise.resolve(
      decided(talk.exchange('tools/call', { name: 'concerns' }), ask({ need: 'person', form })),
    );
    const sent = talk.toClient[0]?.message;
    const id: RequestId = sent !== undefined && 'id' in sent ? (sent.id ?? '') : '';
    const reply = (
      response: { result: Record<string, unknown> } | { error: { code: number; message: string } },
    ) => talk.connection.fromClient({ jsonrpc: '2.0', id, ...response }, { extra: undefined });
    return { talk, answered, reply };
  }

  it('is the only one: a later call is told of it, until it is answered', async () => {
    const { talk, reply, answered } = show();
    const again = () =>
      decided(talk.exchange('tools/call', { name: 'concerns' }), ask({ need: 'person', form }));
    const forms = () => talk.toClient.length;
    for (let calls = 0; calls < 300; calls++) expect(await again()).toEqual({ action: 'open' });
    expect(forms()).toBe(1);
    reply({ result: { action: 'cancel' } });
    expect(await answered).toEqual({ action: 'cancel' });
    void again();
    expect(forms()).toBe(2);
  });

  it('is sent with the call', async () => {
    const { talk, reply, answered } = show();
    expect(talk.toClient).toEqual([
      {
        message: { jsonrpc: '2.0', id: expect.any(String), method: 'elicitation/create', params: form },
        relatedTo: 1,
      },
    ]);
    reply({ result: { action: 'accept', content: { security: 'high' } } });
    expect(await answered).toEqual({ action: 'accept', content: { security: 'high' } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([{ result: { action: 'odd' } }, { result: {} }, { error: { code: -32601, message: 'no forms' } }])(
    'has no answer if the client sends %j',
    async (response) => {
      const { reply, answered } = show();
      reply(response);
      expect(await answered).toEqual({ action: 'none' });
    },
  );

  it('has no answer after the longest time that hosts wait', async () => {
    expect(LONGEST_WAIT).toBe(120_000);
    const { reply, answered } = show();
    const early = vi.fn();
    void answered.then(early);
    await vi.advanceTimersByTimeAsync(LONGEST_WAIT - 1);
    expect(early).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(early).toHaveBeenCalledWith({ action: 'none' });
    reply({ result: { action: 'accept' } });
    expect(await answered).toEqual({ action: 'none' });
  });
});
