import { describe, expect, it } from 'vitest';
import { errorOf } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns: { security: { values: [low, high], default: high } }
patterns: { tools: { "weak_*": { security: low } } }
settings: { enforcement: enforce, defaults: always }
`);

const TEXT = 'The server answered with an error that is not one of JSON-RPC.';

describe('the error of an answer', () => {
  it.each([
    ['null', null, { code: -32603, message: TEXT }],
    ['a text', 'It failed.', { code: -32603, message: TEXT }],
    ['an error without a code', { message: 'It failed.' }, { code: -32603, message: TEXT }],
    ['an error without a text', { code: -32000 }, { code: -32000, message: TEXT }],
    [
      'an error of JSON-RPC',
      { code: -32000, message: 'm', data: 1 },
      { code: -32000, message: 'm', data: 1 },
    ],
  ])('is read from %s', (_name, sent, expected) => {
    expect(errorOf({ jsonrpc: '2.0', id: 1, error: sent as never })).toEqual(expected);
  });
});

/** What the client gets if the server answers every request with this result or error. */
async function answersTo(method: string, params: object, answer: object) {
  const harness = new Harness(policy);
  harness.onServer = (message) => {
    if ('id' in message) void harness.server({ jsonrpc: '2.0', id: message.id, ...answer });
  };
  harness.request(1, method, params);
  await expect.poll(() => harness.answers(1)).not.toHaveLength(0);
  await harness.gate.settled();
  return harness.answers(1);
}

const MALFORMED = [null, 'text', {}, { code: 'x', tools: 7, tasks: 'x', nextCursor: 1 }, [], 7];

describe('a server whose answers are malformed', () => {
  it.each([
    ['tools/list', {}],
    ['tools/call', { name: 'other' }],
    ['resources/read', { uri: 'file:///a' }],
    ['prompts/get', { name: 'p' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
    ['tasks/list', {}],
    ['ping', {}],
  ])('gets %s answered once', async (method, params) => {
    for (const value of MALFORMED) {
      expect(await answersTo(method, params, { error: value })).toHaveLength(1);
      expect(await answersTo(method, params, { result: value })).toHaveLength(1);
    }
  });
});
