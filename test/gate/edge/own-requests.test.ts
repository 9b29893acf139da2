import { expect, it } from 'vitest';
import { Ledger } from '../../../src/core/gate/edge/ledger.js';
import { isRequest, type Message, type Request } from '../../../src/core/wire/messages.js';

const request: Request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

it('accepts any number of pages from a server that answers immediately', () => {
  const pending = new Ledger();
  const send = (message: Message): void => {
    if (isRequest(message)) pending.answered('server', { jsonrpc: '2.0', id: message.id, result: {} });
  };
  const ask = pending.asker('server', request, send);
  let pages = 0;
  const onPage = (): void => {
    if (++pages < 100_000) ask('tools/list', { cursor: String(pages) }, onPage);
  };
  ask('tools/list', {}, onPage);
  expect(pages).toBe(100_000);
  expect(pending.awaits('server')).toBe(false);
});

it('answers a request that cannot be sent with an error, and sends the next one', () => {
  const pending = new Ledger();
  const sent: Message[] = [];
  const ask = pending.asker('server', request, (message) => {
    sent.push(message);
    if (sent.length === 1) throw new Error('closed');
  });
  const answers: unknown[] = [];
  ask('tools/list', {}, (answer) => answers.push(answer));
  ask('prompts/list', {}, (answer) => answers.push(answer));
  expect(answers).toMatchObject([{ error: { code: -32603 } }]);
  expect(sent).toHaveLength(2);
  expect(pending.awaits('server')).toBe(true);
});

it('takes only the responses to its own requests', () => {
  const pending = new Ledger();
  pending.asker('server', request, () => undefined)('tools/list', {}, () => undefined);
  expect(pending.answered('server', { jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
});
