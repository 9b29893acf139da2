import { describe, expect, it } from 'vitest';
import { describePolicy } from '../../../src/core/gate/concerns/declare.js';
import { handleResponse as settleAnswer } from '../../../src/core/gate/edge/gather.js';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../../../src/core/gate/request/client-surfaces.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { failing, modern, Talk } from './talk.js';

const SECURITY = 'concerns: { security: { values: [low, high] } }\n';
const OPEN = policyOf(SECURITY);
const PANEL = policyOf(`${SECURITY}settings: { panel: on }\n`);
const NAMES = 'primitives: { tools: { secret: { security: low } } }\n';
const ENFORCE = policyOf(`${SECURITY}${NAMES}settings: { enforcement: enforce }\n`);
const HIGH = { concerns: { security: 'high' } };

type Params = Record<string, unknown>;
const answer = (result: Params = {}) => ({ jsonrpc: '2.0', id: 1, result }) as const;

/** Lets the gate handle the answer of a server to `initialize`. */
async function settle(talk: Talk, params: Params, result: Params): Promise<Params> {
  const settled = await settleAnswer(talk.exchange('initialize', params), answer(result));
  return { ...(read(settled, 'result') as Params | undefined) };
}

describe('instructions in the answer to initialize, under enforce,', () => {
  const result = { instructions: 'Use secret.' };
  const withheld = {
    code: 'instructions-withheld',
    message:
      "The server's instructions are withheld: they may name hidden primitives, and the server's lists are not known yet.",
  };

  it('redacts them by what the client offers', async () => {
    const talk = new Talk(ENFORCE);
    expect(await settle(talk, HIGH, result)).toHaveProperty('instructions', 'Use [hidden].');
    expect(await settle(talk, {}, result)).toHaveProperty('instructions', 'Use secret.');
    expect(talk.reports.map(({ warnings }) => warnings)).toEqual([[], []]);
  });

  it('does not count the _meta of other eras, and counts the URL', async () => {
    const talk = new Talk(ENFORCE);
    const http = { url: 'http://x.test/mcp?concerns=security:high' };
    const exchange = talk.exchange('initialize', {}, { http });
    const settled = await settleAnswer(exchange, answer(result));
    expect(read(settled, 'result', 'instructions')).toBe('Use [hidden].');
    const _meta = { [EXTENSION_ID]: HIGH };
    expect(await settle(talk, { _meta }, result)).toHaveProperty('instructions', 'Use [hidden].');
  });

  it('withholds them without the lists, and reports that', async () => {
    const talk = new Talk(ENFORCE);
    const changed = await settle(talk, HIGH, { ...result, capabilities: { tools: {} } });
    expect(changed).not.toHaveProperty('instructions');
    expect(talk.reports).toMatchObject([{ method: 'initialize', warnings: [withheld] }]);
  });

  it('counts what the caller chose, and hides all that it could have chosen if that cannot be read', async () => {
    const store = createMemoryStore();
    const connect = (used: SessionStore) =>
      new Talk(ENFORCE, { principal: { place: 'store', store: used, id: 'caller' } });
    expect(await settle(connect(store), {}, result)).toHaveProperty('instructions', 'Use secret.');
    await store.update('caller', HIGH);
    expect(await settle(connect(store), {}, result)).toHaveProperty('instructions', 'Use [hidden].');
    await store.update('caller', { concerns: { security: 'low' } });
    expect(await settle(connect(store), {}, result)).toHaveProperty('instructions', 'Use secret.');
    const failed = await settle(connect(failing(store, 'read')), {}, result);
    expect(failed).toHaveProperty('instructions', 'Use [hidden].');
  });

  it.each([
    ['there are none', ENFORCE, {}],
    ['nothing is enforced', OPEN, result],
  ])('does not read what the caller chose if %s', async (_why, policy, given) => {
    const store = createMemoryStore();
    let reads = 0;
    const read: SessionStore['read'] = async (id) => {
      reads += 1;
      return store.read(id);
    };
    const talk = new Talk(policy, { principal: { place: 'store', store: { ...store, read }, id: 'c' } });
    expect(settleAnswer(talk.exchange('initialize'), answer(given))).not.toBeInstanceOf(Promise);
    expect(reads).toBe(0);
  });
});

describe('the answer to server/discover', () => {
  it('declares concerns, and what the gate adds', async () => {
    const exchange = await new Talk(PANEL).configured('server/discover', modern());
    expect(
      settleAnswer(exchange, answer({ instructions: 'Use secret.', capabilities: { tasks: { list: {} } } })),
    ).toEqual(
      answer({
        instructions: 'Use secret.',
        capabilities: {
          tasks: { list: {} },
          prompts: { filtering: { supported: ['namePatterns'] } },
          extensions: {
            [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] },
            [EXTENSION_ID]: {
              ...describePolicy(PANEL),
              methods: ['listConcerns'],
              filtering: { prompts: ['namePatterns'] },
            },
          },
        },
      }),
    );
  });

  it('redacts the instructions, when the lists are known', async () => {
    const talk = new Talk(ENFORCE, { lists: { tools: [{ name: 'secret' }] } });
    const _meta = { [EXTENSION_ID]: HIGH };
    const result = { instructions: 'Use secret.', capabilities: { tools: {} } };
    const settled = settleAnswer(await talk.configured('server/discover', modern({ _meta })), answer(result));
    expect(read(await settled, 'result', 'instructions')).toBe('Use [hidden].');
    const late = new Talk(ENFORCE, { lists: {}, answer: () => 'never' });
    const waiting = settleAnswer(await late.configured('server/discover', modern({ _meta })), answer(result));
    expect(waiting).toBeInstanceOf(Promise);
    const id = late.toServer.map((message) => read(message, 'id'))[0];
    await late.connection.fromServer(
      { jsonrpc: '2.0', id: String(id), result: { tools: [{ name: 'secret' }] } },
      async () => undefined,
    );
    expect(read(await waiting, 'result', 'instructions')).toBe('Use [hidden].');
    expect(read(await waiting, 'result', 'capabilities', 'extensions')).toHaveProperty([EXTENSION_ID]);
  });

  it('passes an error', async () => {
    const refused = { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } } as const;
    const exchange = await new Talk(OPEN).configured('server/discover', modern());
    expect(await settleAnswer(exchange, refused)).toEqual(refused);
  });
});
