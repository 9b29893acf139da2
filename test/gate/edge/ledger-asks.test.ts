import { describe, expect, it } from 'vitest';
import { Ledger } from '../../../src/core/gate/edge/ledger.js';
import type { Answer, Failure, Message, Request } from '../../../src/core/wire/messages.js';
import { askForPages } from '../../../src/core/wire/page-walker.js';
import { modern } from '../exchange-of.js';

const request: Request = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { trace: 'x' } } };
const idOf = (message: Message | undefined) => (message && 'id' in message ? (message.id ?? 0) : 0);

/** Requests of the gate whose messages and answers the test sees. */
function asking(on: Request = request) {
  const pending = new Ledger();
  const sent: Message[] = [];
  const answers: (Answer | Failure)[] = [];
  const ask = pending.asker('server', on, (message) => sent.push(message));
  const keep = (response: Answer | Failure) => void answers.push(response);
  return { pending, sent, answers, ask, keep };
}

describe('a request of the gate', () => {
  it('has an id of its own, and nothing of a legacy request', () => {
    const { pending, sent, ask, keep } = asking();
    expect(pending.awaits('server')).toBe(false);
    ask('tools/list', {}, keep);
    ask('prompts/list', { cursor: 'c' }, keep);
    const id = expect.stringMatching(/^[0-9a-f-]{36}\/[12]$/);
    expect(sent).toStrictEqual([
      { jsonrpc: '2.0', id, method: 'tools/list', params: {} },
      { jsonrpc: '2.0', id, method: 'prompts/list', params: { cursor: 'c' } },
    ]);
    expect(idOf(sent[0])).not.toBe(idOf(sent[1]));
    expect(pending.awaits('server')).toBe(true);
  });

  it('has the envelope of a modern request, and nothing else of its _meta', () => {
    const _meta = modern({ roots: {} }, { trace: 'x', 'io.modelcontextprotocol/clientInfo': { name: 'c' } });
    const { sent, ask, keep } = asking({ ...request, params: { name: 'a', _meta } });
    ask('tools/list', { cursor: 'c', _meta: 'replaced' }, keep);
    expect(sent).toMatchObject([{ params: { cursor: 'c' } }]);
    expect(sent[0]).toHaveProperty('params._meta', {
      ...modern({ roots: {} }),
      'io.modelcontextprotocol/clientInfo': { name: 'c' },
    });
  });

  it('takes its answer once', () => {
    const { pending, sent, answers, ask, keep } = asking();
    ask('tools/list', {}, keep);
    const answer: Answer = { jsonrpc: '2.0', id: idOf(sent[0]), result: {} };
    expect(pending.answered('server', answer)).toBe(true);
    expect(pending.answered('server', answer)).toBe(false);
    expect(answers).toEqual([answer]);
    expect(pending.awaits('server')).toBe(false);
  });

  it.each([1, 'other', null, undefined])('does not take an answer to %j', (id) => {
    const { pending, answers, ask, keep } = asking();
    ask('tools/list', {}, keep);
    expect(pending.answered('server', { jsonrpc: '2.0', id, error: { code: -1, message: 'no' } })).toBe(
      false,
    );
    expect(answers).toEqual([]);
    expect(pending.awaits('server')).toBe(true);
  });

  it('that cannot be sent is answered with an error', () => {
    const pending = new Ledger();
    const answers: unknown[] = [];
    const ask = pending.asker('server', request, () => {
      throw new Error('closed');
    });
    ask('tools/list', {}, (answer) => answers.push(answer));
    const message = 'The server did not accept the tools/list request.';
    expect(answers).toEqual([{ jsonrpc: '2.0', id: expect.any(String), error: { code: -32603, message } }]);
    expect(pending.awaits('server')).toBe(false);
  });

  it('that an answer causes is sent after the one before', () => {
    const pending = new Ledger();
    const order: string[] = [];
    const ask = pending.asker('server', request, (message) => {
      if (!('method' in message)) return;
      order.push(`begin ${message.method}`);
      pending.answered('server', { jsonrpc: '2.0', id: idOf(message), result: {} });
      order.push(`end ${message.method}`);
    });
    ask('one', {}, () => ask('two', {}, () => undefined));
    expect(order).toEqual(['begin one', 'end one', 'begin two', 'end two']);
  });

  it('is sent although a handler of an answer threw', () => {
    const { pending, sent, ask, keep } = asking();
    const broken = pending.asker('server', request, (message) => {
      pending.answered('server', { jsonrpc: '2.0', id: idOf(message), result: {} });
    });
    const fail = () => {
      throw new Error('bug');
    };
    broken('one', {}, fail);
    ask('two', {}, keep);
    expect(sent).toHaveLength(1);
  });
});

describe('all pages of a list', () => {
  const page = (items: number, nextCursor?: string) => ({ items, ...(nextCursor && { nextCursor }) });
  const failure = { code: -32603, message: 'no' };

  /** Asks for the pages of a server that gives these results. */
  function walk(results: readonly (Record<string, unknown> | undefined)[], bounds?: { items?: number }) {
    const asked: unknown[] = [];
    const pages: unknown[] = [];
    const ends: unknown[] = [];
    const rest = [...results];
    askForPages(
      (method, params, onResponse) => {
        asked.push([method, params]);
        const result = rest.shift();
        if (result === undefined) onResponse({ jsonrpc: '2.0', id: 1, error: failure });
        else onResponse({ jsonrpc: '2.0', id: 1, result });
      },
      'tools/list',
      {
        ...(bounds && { bounds }),
        onPage: (result) => {
          pages.push(result);
          return Number(result.items);
        },
      },
      (end) => ends.push(end),
    );
    return { asked, pages, ends };
  }

  it('are asked for one after the other', () => {
    expect(walk([page(1, 'a'), page(1, 'b'), page(1)])).toEqual({
      asked: [
        ['tools/list', {}],
        ['tools/list', { cursor: 'a' }],
        ['tools/list', { cursor: 'b' }],
      ],
      pages: [page(1, 'a'), page(1, 'b'), page(1)],
      ends: [{ kind: 'complete' }],
    });
  });

  it('end with an error of the server', () => {
    expect(walk([page(1, 'a'), undefined])).toMatchObject({
      pages: [page(1, 'a')],
      ends: [{ kind: 'failed', error: failure }],
    });
  });

  it('end at a bound', () => {
    expect(walk([page(2, 'a'), page(2, 'b')], { items: 3 }).ends).toEqual([{ kind: 'too-many-items' }]);
  });
});
