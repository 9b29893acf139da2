import { describe, expect, it } from 'vitest';
import { moreTools as moreToolsOf } from '../../../src/core/gate/panel/more-tools.js';
import { summaryOf } from '../../../src/core/gate/panel/sentence.js';
import { stateOf as stateOfOf } from '../../../src/core/gate/panel/switches.js';
import { callTool as callToolOf } from '../../../src/core/gate/panel/tool.js';
import type { PrincipalPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { type RequestId, read } from '../../../src/core/wire/messages.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { HOW, NOT_KEPT, ON, ONLY_LOOK, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const moreTools = gathered(moreToolsOf);
const stateOf = gathered(stateOfOf);
const callTool = gathered(callToolOf);

const FORM = { elicitation: {} };

/** Lets the client initialize the connection. */
const initialized = (talk: Talk): void =>
  talk.connection.handshake({
    state: 'accepted',
    client: { name: 'c' },
    server: { name: 'MCP server' },
    announced: [],
  });

const call = (talk: Talk, params: object = {}) =>
  talk.configured('tools/call', { name: 'concerns', ...params });
const text = (...lines: string[]) => ({ content: [{ type: 'text', text: lines.join('\n') }] });

/** What the tool says of what is shown now. */
async function shownTo(talk: Talk, params: object = {}): Promise<string[]> {
  const exchange = await call(talk, params);
  return [summaryOf(await stateOf(exchange)), ...(await moreTools(exchange))];
}

describe('a call without arguments', () => {
  it.each([{}, { arguments: {} }, { arguments: null }, { arguments: 'topic' }])(
    'tells what is shown, and how a person can switch: %j',
    async (params) => {
      const talk = talkTo(ON, {}, { concerns: { security: 'low', topic: ['stocks'] } });
      expect(await callTool(await call(talk, params))).toEqual(
        text(
          '0 of 3 tools are shown (about 0 of 9 tokens). In effect: security low, topic stocks, tier free.',
          '1 more tool with other values of topic: news 1, any 1.',
          HOW,
        ),
      );
    },
  );

  it('opens the page, which reads the document itself', async () => {
    const talk = talkTo(ON, { app: true, form: true });
    expect(await callTool(await call(talk))).toEqual(text(...(await shownTo(talk))));
  });
});

describe('a call with arguments', () => {
  it('lets the model change what is open to it', async () => {
    const talk = talkTo(ON, { form: true }, { concerns: { topic: ['stocks'] } });
    initialized(talk);
    expect(await callTool(await call(talk, { arguments: { topic: ['news'] } }))).toEqual(
      text(
        'Shown now: a, c. 1 that were shown are hidden now.',
        '2 of 3 tools are shown (about 6 of 9 tokens). In effect: topic news (chosen by the model), tier free.',
        '1 more tool with other values of topic: stocks 1, any 1.',
      ),
    );
    expect(talk.record).toMatchObject({ model: { topic: ['news'] } });
    expect(talk.methods).toEqual(['notifications/tools/list_changed']);
  });

  it('shows the page too', async () => {
    const talk = talkTo(ON, { app: true });
    const answer = await callTool(await call(talk, { arguments: { topic: ['news'] } }));
    expect(answer).toEqual(text('1 that were shown are hidden now.', ...(await shownTo(talk))));
  });

  it('is an error if nothing changed', async () => {
    const talk = talkTo(ON, { app: true });
    expect(await callTool(await call(talk, { arguments: { security: 'low' } }))).toEqual({
      ...text(`"security" is for people to change, not for a model. ${HOW} Nothing changed.`),
      isError: true,
    });
  });
});

describe('a call of a server with many tools', () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({
    name: `tool_${index}`,
    description: 'x'.repeat(200),
    _meta: { concerns: { security: index < 10 ? 'high' : 'low' } },
  }));

  it.each([{}, { app: true }])('has a short answer: %j', async (surfaces) => {
    const talk = talkTo(ON, surfaces, {}, many);
    expect(JSON.stringify(await callTool(await call(talk))).length).toBeLessThan(1000);
  });
});

describe('a form while the call waits', () => {
  /** Calls the tool, and answers the form that the client gets. */
  async function answer(talk: Talk, response: object): Promise<{ result: object; form: unknown }> {
    initialized(talk);
    const answered = callTool(await call(talk));
    await new Promise((resolve) => setImmediate(resolve));
    const form = talk.toClient.map(({ message }) => message).find((each) => 'method' in each);
    const id = read(form, 'id') as RequestId;
    talk.connection.fromClient({ jsonrpc: '2.0', id, result: { ...response } }, { extra: undefined });
    return { result: await answered, form: read(form, 'params') };
  }

  it('changes what the person chose', async () => {
    const talk = talkTo(ON, { form: true }, { concerns: { topic: ['stocks'] } });
    const { result, form } = await answer(talk, {
      action: 'accept',
      content: { security: 'low', topic: ['stocks'] },
    });
    expect(form).toMatchObject({ mode: 'form', requestedSchema: { properties: { security: {} } } });
    expect(result).toEqual(
      text(
        'The person changed what is shown.',
        '0 of 3 tools are shown (about 0 of 9 tokens). In effect: security low, topic stocks, tier free.',
        '1 more tool with other values of topic: news 1, any 1.',
      ),
    );
    expect(talk.record).toMatchObject({ concerns: { security: 'low', topic: ['stocks'], budget: null } });
  });

  it.each([
    [{ action: 'decline' }, 'The person declined the form. Nothing changed.'],
    [{ action: 'cancel' }, 'The person closed the form. Nothing changed.'],
    [{ action: 'odd' }, 'The host did not show the form in time. Nothing changed.'],
    [{ action: 'accept', content: { topic: ['stocks'], preset: '-' } }, 'Nothing changed.'],
  ])('changes nothing after %j', async (response, why) => {
    const talk = talkTo(ON, { form: true }, { concerns: { topic: ['stocks'] } });
    const { result } = await answer(talk, response);
    expect(result).toEqual(text(why, ...(await shownTo(talk))));
    expect(talk.record).toMatchObject({ concerns: { topic: ['stocks'] } });
  });

  it('is an error if the policy does not declare the value', async () => {
    const talk = talkTo(ON, { form: true });
    const { result } = await answer(talk, { action: 'accept', content: { security: 'hihg' } });
    expect(result).toEqual({
      ...text('"hihg" is not a valid value for security (low, high). Did you mean "high"? Nothing changed.'),
      isError: true,
    });
  });

  it.each([
    ['clients that show none', talkTo(ON), HOW],
    ['people who can only look', talkTo(READ_ONLY, { form: true }), ONLY_LOOK],
    ['connections that do not last', talkTo(ON, { form: true }), HOW],
  ])('is not for %s', async (who, talk, how) => {
    if (who !== 'connections that do not last') initialized(talk);
    expect(await callTool(await call(talk))).toEqual(text(...(await shownTo(talk)), how));
    expect(talk.methods).toEqual([]);
  });
});

describe('a form of 2026-07-28', () => {
  const kept = (): PrincipalPreferences => ({ place: 'store', store: createMemoryStore(), id: 'caller' });
  const talk = (principal: PrincipalPreferences | undefined = kept(), policy = ON) =>
    new Talk(policy, { lists: { tools: TOOLS }, principal });
  const answered = (response: unknown, params: object = {}) =>
    modern({ inputResponses: { concerns: response }, ...params }, FORM);
  const SHOWN = '3 of 3 tools are shown (about 9 of 9 tokens). In effect: tier free.';

  it('is asked for with a result', async () => {
    const exchange = await call(talk(), modern({}, FORM));
    expect(await callTool(exchange)).toEqual({
      resultType: 'input_required',
      inputRequests: {
        concerns: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: `${SHOWN} Choose what to show.`,
            requestedSchema: expect.objectContaining({ type: 'object' }),
          },
        },
      },
    });
    expect(await callTool(await call(talk(), answered({ action: 'odd' })))).toHaveProperty('inputRequests');
  });

  it('is not for clients that show none, and not where people can only look', async () => {
    expect(await callTool(await call(talk(), modern()))).toEqual(text(SHOWN, HOW));
    const nowhere = talk({ place: 'none' });
    expect(await callTool(await call(nowhere, modern({}, FORM)))).toEqual(text(SHOWN, NOT_KEPT));
    const readOnly = talk(undefined, READ_ONLY);
    expect(await callTool(await call(readOnly, modern({}, FORM)))).toEqual(text(SHOWN, ONLY_LOOK));
  });

  it.each([
    [{ action: 'decline' }, 'The person declined the form. Nothing changed.'],
    [{ action: 'cancel' }, 'The person closed the form. Nothing changed.'],
    [{ action: 'accept', content: { preset: '-' } }, 'Nothing changed.'],
  ])('changes nothing after %j', async (response, why) => {
    expect(await callTool(await call(talk(), answered(response)))).toEqual(text(why, SHOWN));
  });

  it.each([
    ['a value that is not valid', { security: 'hihg' }],
    ['a value of the wrong type', { security: 7 }],
    ['a preset that does not exist', { preset: 'other' }],
  ])('refuses %s', async (_what, content) => {
    const caller = kept();
    const answer = await callTool(await call(talk(caller), answered({ action: 'accept', content })));
    expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer)).toContain('Nothing changed.');
    expect(caller.place === 'store' && (await caller.store.read(caller.id)).state).toBe('unknown');
  });

  it('changes what is kept for a caller', async () => {
    const store = createMemoryStore();
    const caller = talk({ place: 'store', store, id: 'caller' });
    const response = { action: 'accept', content: { security: 'high' } };
    expect(await callTool(await call(caller, answered(response)))).toEqual(
      text(
        'The person changed what is shown.',
        '2 of 3 tools are shown (about 6 of 9 tokens). In effect: security high, tier free.',
      ),
    );
    expect(await store.read('caller')).toMatchObject({ record: { concerns: { security: 'high' } } });
  });

  it('is an error if the change cannot be kept', async () => {
    const store = failing(createMemoryStore(), 'update');
    const caller = talk({ place: 'store', store, id: 'caller' });
    const response = { action: 'accept', content: { security: 'high' } };
    expect(await callTool(await call(caller, answered(response)))).toEqual({
      content: [{ type: 'text', text: expect.stringContaining('may or may not have been stored') }],
      isError: true,
    });
  });
});
