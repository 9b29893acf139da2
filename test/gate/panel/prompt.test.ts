import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getPrompt as getPromptOf } from '../../../src/core/gate/panel/prompt.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { NO_PRESETS, ON, ONLY_LOOK, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const getPrompt = gathered(getPromptOf);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Asks for a prompt, and waits until it is clear that the host asks for no other one. */
async function get(talk: Talk, params: Record<string, unknown>) {
  const answer = getPrompt(await talk.configured('prompts/get', params));
  await vi.advanceTimersByTimeAsync(200);
  return answer;
}

const says = (text: string, rest: object = {}) => ({
  description: 'What is shown',
  messages: [{ role: 'user', content: { type: 'text', text } }],
  ...rest,
});
const ALL = '3 of 3 tools are shown (about 9 of 9 tokens). In effect: tier free.';
const SAFE = '2 of 3 tools are shown (about 6 of 9 tokens). In effect: security high, tier free.';
const DECLINED = { security: null, topic: null, budget: null };

describe('the prompts', () => {
  it.each([
    ['of a preset that does not exist', { name: 'concerns-other' }],
    ['of a preset without its name', { name: 'concerns-' }],
    ['of another name', { name: 'other' }],
    ['of no name', {}],
    ['with the name of a preset alone', { name: 'safe' }],
  ])('do not exist: %s', async (_what, params) => {
    expect(await get(talkTo(), params)).toBeUndefined();
  });

  it('do not exist without presets', async () => {
    expect(await get(talkTo(NO_PRESETS), { name: 'concerns-safe' })).toBeUndefined();
  });

  it('switch to a preset, whatever the arguments', async () => {
    const talk = talkTo(ON, {}, { concerns: { topic: ['news'] } });
    expect(await get(talk, { name: 'concerns-safe', arguments: { security: 'low' } })).toEqual(says(SAFE));
    expect(talk.record).toMatchObject({ concerns: { ...DECLINED, security: 'high' } });
    expect(talk.toClient).toEqual([
      { message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, relatedTo: 1 },
    ]);
  });

  it.each([{}, { arguments: {} }, { arguments: null }, { arguments: 'a' }, { arguments: { security: '' } }])(
    'tell what is shown: %j',
    async (params) => {
      const talk = talkTo();
      expect(await get(talk, { name: 'concerns', ...params })).toEqual(says(ALL));
      expect(talk.record).not.toHaveProperty('concerns');
      const readOnly = talkTo(READ_ONLY);
      expect(await get(readOnly, { name: 'concerns', ...params })).toEqual(says(ALL));
    },
  );

  it.each<[string, Record<string, unknown>, object]>([
    ['a value', { security: ' high ' }, { security: 'high' }],
    ['no value', { security: 'any', topic: ' any ', budget: 'any' }, {}],
    ['a value among several', { topic: 'news' }, { topic: ['news'] }],
    ['several values', { topic: 'news , stocks' }, { topic: ['news', 'stocks'] }],
    ['a number', { budget: ' 7 ' }, { budget: 7 }],
    ['a number that is none', { budget: 0 }, { budget: 0 }],
    ['a list', { topic: ['news'] }, { topic: ['news'] }],
    ['what is not left out', { security: 'low', topic: '' }, { security: 'low' }],
  ])('change %s', async (_what, given, concerns) => {
    const talk = talkTo();
    await get(talk, { name: 'concerns', arguments: given });
    expect(talk.record).toMatchObject({ concerns: { ...DECLINED, ...concerns } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'several values of a concern with one',
      { security: 'low,high' },
      '"low,high" is not a valid value for security (low, high).',
    ],
    [
      'a text for a number',
      { budget: 'much' },
      '"much" is not a valid value for budget (a number from 0 to 10).',
    ],
    ['a blank number', { budget: ' ' }, '"" is not a valid value for budget (a number from 0 to 10).'],
    [
      'a number out of range',
      { budget: '11' },
      '11 is not a valid value for budget (a number from 0 to 10).',
    ],
    [
      'a concern that does not exist',
      { securty: 'high' },
      '"securty" (update) is not a concern of this server. It was ignored. Did you mean "security"?',
    ],
  ])('change nothing for %s', async (_what, given, problem) => {
    const talk = talkTo();
    expect(await get(talk, { name: 'concerns', arguments: given })).toEqual(
      says(`Nothing changed. ${problem}`),
    );
    expect(talk.record).not.toHaveProperty('concerns');
  });

  it.each([{ name: 'concerns-safe' }, { name: 'concerns', arguments: { security: 'high' } }])(
    'change nothing where people can only look: %j',
    async (params) => {
      const talk = talkTo(READ_ONLY);
      expect(await get(talk, params)).toEqual(says(`Nothing changed. ${ONLY_LOOK}`));
      expect(talk.record).not.toHaveProperty('concerns');
    },
  );

  it.each<[string, (keyof SessionStore)[], string]>([
    [
      'nothing',
      ['update'],
      'may or may not have been stored: the store did not answer. List again to see what is in effect.',
    ],
    [
      'a part',
      [],
      'may or may not have been stored: the store did not answer. List again to see what is in effect.',
    ],
  ])('say once what changed if the store fails: %s', async (_what, forCaller, became) => {
    const talk = new Talk(ON, {
      lists: { tools: TOOLS },
      preferences: { place: 'store', store: failing(createMemoryStore(), 'update'), id: 's' },
      principal: { place: 'store', store: failing(createMemoryStore(), ...forCaller), id: 'caller' },
    });
    expect(await get(talk, { name: 'concerns-safe' })).toEqual(says(`The preferences ${became}`));
  });

  it('change nothing if the host reads them all at once', async () => {
    const talk = talkTo();
    const both = Promise.all([
      get(talk, { name: 'concerns-safe' }),
      get(talk, { name: 'concerns', arguments: {} }),
    ]);
    const refused = says(
      'Nothing changed. This host reads prompts that nobody chose, so prompts cannot switch here. Use the page, "mcp-concerns switch" or the URL.',
    );
    expect(await both).toEqual([refused, refused]);
    expect(talk.record).not.toHaveProperty('concerns');
  });
});

describe('where nothing is kept, the prompts', () => {
  const talk = () => new Talk(ON, { lists: { tools: TOOLS } });
  const toSwitch = (parameter: string, more = '') =>
    `Nothing changed. This connection keeps no preferences. To switch, add ${parameter} to the URL of the server, and reconnect.${more}`;

  it('say how to switch to a preset, and what it shows', async () => {
    const concerns = { ...DECLINED, security: 'high' };
    expect(await get(talk(), modern({ name: 'concerns-safe' }))).toEqual(
      says(toSwitch('?concerns=safe', ' With it, 2 tools are shown.'), {
        _meta: { [EXTENSION_ID]: { concerns } },
      }),
    );
  });

  it('say how to change values, completed by what is in effect', async () => {
    const params = {
      name: 'concerns',
      arguments: { security: 'low' },
      _meta: { [EXTENSION_ID]: { concerns: { topic: ['news', 'stocks'] } } },
    };
    const concerns = { security: 'low', topic: ['news', 'stocks'], budget: null };
    expect(await get(talk(), modern(params))).toEqual(
      says(toSwitch('?concerns=security:low,topic:news|stocks'), { _meta: { [EXTENSION_ID]: { concerns } } }),
    );
  });

  it.each<[object, string]>([
    [{ security: 'any' }, ''],
    [{ budget: '0', topic: 'news,stocks', security: 'low' }, 'security:low,topic:news|stocks,budget:0'],
    [{ security: 'any', topic: 'news' }, 'topic:news'],
  ])('put %j into the URL as %s', async (given, parameter) => {
    const params = { name: 'concerns', arguments: given, _meta: {} };
    expect(await get(talk(), modern(params))).toMatchObject(says(toSwitch(`?concerns=${parameter}`)));
  });

  it('say what is wrong with a value', async () => {
    for (const [given, problem] of [
      [{ security: 'hihg' }, '"hihg" is not a valid value for security (low, high). Did you mean "high"?'],
      [{ weather: 'x' }, '"weather" (update) is not a concern of this server. It was ignored.'],
    ] as const) {
      const params = modern({ name: 'concerns', arguments: given });
      expect(await get(talk(), params)).toEqual(says(`Nothing changed. ${problem}`));
    }
  });

  it('tell what is shown', async () => {
    expect(await get(talk(), modern({ name: 'concerns' }))).toEqual(says(ALL));
  });

  it('say where people can only look that they can', async () => {
    const readOnly = new Talk(READ_ONLY, { lists: { tools: TOOLS } });
    expect(await get(readOnly, modern({ name: 'concerns-safe' }))).toEqual(
      says(`Nothing changed. ${ONLY_LOOK}`),
    );
  });
});
