import { describe, expect, it } from 'vitest';
import * as instructions from '../../../src/core/gate/concerns/instructions.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { gathered } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { modern, Talk } from './talk.js';

const redactInstructions = gathered(instructions.redactInstructions);

const POLICY = `
concerns: { security: { values: [low, high] } }
primitives: { tools: { secret: { security: low }, open: { security: high } } }
`;
const ENFORCE = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);
const HIGH = { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } };
const lists = { tools: [{ name: 'secret' }, { name: 'open' }], prompts: [{ name: 'p' }] };
const capabilities = { tools: {}, prompts: {} };
const given = { capabilities, instructions: 'Use secret or open.', serverInfo: { name: 's' } };

const request = (talk: Talk, method = 'initialize') => talk.configured(method, modern(HIGH));

/** Lets the gate hold these lists of the server. */
async function hold(talk: Talk, ...kinds: ('tools' | 'prompts')[]): Promise<void> {
  const { policy, connection, ask } = await request(talk);
  for (const kind of kinds) connection.catalog.get(kind, policy, ask, () => undefined);
}

describe('the instructions of a server', () => {
  it.each([
    ['nothing is enforced', policyOf(POLICY), given, HIGH],
    ['nothing can be hidden', ENFORCE, given, {}],
    ['there are none', ENFORCE, { capabilities, serverInfo: { name: 's' } }, HIGH],
  ])('stay as they are if %s', async (_why, policy, result, params) => {
    const talk = new Talk(policy, { lists });
    for (const method of ['initialize', 'server/discover']) {
      const exchange = await talk.configured(method, modern(params));
      expect(redactInstructions(exchange, result, exchange.configuration)).toBe(result);
    }
    expect(talk.toServer).toEqual([]);
  });

  it('are redacted by the lists that are held', async () => {
    const talk = new Talk(ENFORCE, { lists });
    await hold(talk, 'tools', 'prompts');
    const exchange = await request(talk);
    expect(redactInstructions(exchange, given, exchange.configuration)).toEqual({
      ...given,
      instructions: 'Use [hidden] or open.',
    });
  });

  it.each([
    ['no list is held', []],
    ['a list is not held', ['tools' as const]],
  ])('are withheld if %s', async (_why, kinds) => {
    const talk = new Talk(ENFORCE, { lists });
    await hold(talk, ...kinds);
    const asked = talk.toServer.length;
    const exchange = await request(talk);
    expect(redactInstructions(exchange, given, exchange.configuration)).toEqual({
      capabilities,
      serverInfo: { name: 's' },
    });
    expect(talk.toServer).toHaveLength(asked);
  });

  it.each([{ tools: {} }, {}, undefined])('need the lists of the capabilities only: %j', async (declared) => {
    const talk = new Talk(ENFORCE, { lists });
    await hold(talk, 'tools');
    const exchange = await request(talk);
    const result = { capabilities: declared, instructions: 'Use secret.' };
    expect(redactInstructions(exchange, result, exchange.configuration)).toEqual({
      capabilities: declared,
      instructions: 'Use [hidden].',
    });
  });

  it.each([['secret'], { text: 'secret' }])('are withheld if they are no text: %j', async (instructions) => {
    for (const method of ['initialize', 'server/discover']) {
      const exchange = await request(new Talk(ENFORCE, { lists }), method);
      expect(redactInstructions(exchange, { instructions }, exchange.configuration)).toEqual({});
    }
  });
});

describe('the instructions in server/discover', () => {
  it('are redacted by the lists, which are fetched', async () => {
    const talk = new Talk(ENFORCE, { lists });
    const exchange = await request(talk, 'server/discover');
    expect(redactInstructions(exchange, given, exchange.configuration)).toEqual({
      ...given,
      instructions: 'Use [hidden] or open.',
    });
    expect(talk.toServer.map((message) => 'method' in message && message.method)).toEqual([
      'tools/list',
      'prompts/list',
    ]);
  });

  it('are withheld if a list cannot be read', async () => {
    const talk = new Talk(ENFORCE, { lists: { ...lists, prompts: 500 } });
    const exchange = await request(talk, 'server/discover');
    expect(redactInstructions(exchange, given, exchange.configuration)).toEqual({
      capabilities,
      serverInfo: { name: 's' },
    });
  });
});
