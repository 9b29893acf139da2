import { expect, it } from 'vitest';
import { Questions } from '../../src/protocol/messages/pending-requests.js';
import { isRequest, type Message, type Request } from '../../src/protocol/messages/wire.js';

const request: Request = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

it('a server that answers at once may have any number of pages', () => {
  const questions = new Questions();
  const send = (message: Message): void => {
    if (isRequest(message)) questions.take({ jsonrpc: '2.0', id: message.id, result: {} });
  };
  const ask = questions.askFor(request, send);
  let pages = 0;
  const onPage = (): void => {
    if (++pages < 100_000) ask('tools/list', { cursor: String(pages) }, onPage);
  };
  ask('tools/list', {}, onPage);
  expect(pages).toBe(100_000);
  expect(questions.waiting).toBe(false);
});

it('a question that cannot be sent is answered with an error, and the next one is sent', () => {
  const questions = new Questions();
  const sent: Message[] = [];
  const ask = questions.askFor(request, (message) => {
    sent.push(message);
    if (sent.length === 1) throw new Error('closed');
  });
  const answers: unknown[] = [];
  ask('tools/list', {}, (answer) => answers.push(answer));
  ask('prompts/list', {}, (answer) => answers.push(answer));
  expect(answers).toMatchObject([{ error: { code: -32603 } }]);
  expect(sent).toHaveLength(2);
  expect(questions.waiting).toBe(true);
});

it('only its own answers are taken', () => {
  const questions = new Questions();
  questions.askFor(request, () => undefined)('tools/list', {}, () => undefined);
  expect(questions.take({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
});
