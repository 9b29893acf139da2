import { describe, expect, it } from 'vitest';
import { actOfModel as actOfModelOf } from '../../../src/core/gate/panel/model-act.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { failing, modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { HOW, NOT_KEPT, ON, ONLY_LOOK, panelPolicy, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const actOfModel = gathered(actOfModelOf);

const act = async (talk: Talk, given: Record<string, unknown>, params: Record<string, unknown> = {}) =>
  actOfModel(await talk.configured('tools/call', params), given);
const refused = (text: string) => ({ isError: true, text: `${text} Nothing changed.` });
const done = (text: string) => ({ isError: false, text });
const forPeople = (name: string) => refused(`"${name}" is for people to change, not for a model. ${HOW}`);

describe('values that would add more than about 10,000 tokens', () => {
  const about = (name: string, topic: string, words: number) => ({
    name,
    description: `${topic} ${'word '.repeat(words)}`,
    inputSchema: { type: 'object' },
  });
  const policy = (settings: string) =>
    panelPolicy(
      settings,
      'concerns: { topic: { values: [news, mail], model: free } }\npatterns: { tools: { "news*": { topic: news }, "mail*": { topic: mail } } }\n',
    );
  const tools = [
    about('news_1', 'news', 9),
    ...Array.from({ length: 20 }, (_, at) => about(`mail_${at}`, 'mail', 600)),
  ];

  it('are answered with the names of the tools, and nothing changes', async () => {
    const talk = talkTo(policy('panel: on'), {}, {}, tools);
    await act(talk, { topic: 'news' });
    const { isError, text } = await act(talk, { topic: 'mail' });
    expect(isError).toBe(false);
    expect(text).toMatch(
      /^This would add 20 tools, .*Nothing changed\. .*show: mail_0, mail_1, .*mail_19\.$/,
    );
    expect(talk.record).toMatchObject({ model: { topic: 'news' } });
  });

  it('are set where lists stay as they are', async () => {
    const talk = talkTo(policy('panel: on, lists: stable'), {}, {}, tools);
    await act(talk, { topic: 'news' });
    await act(talk, { topic: 'mail' });
    expect(talk.record).toMatchObject({ model: { topic: 'mail' } });
  });
});

describe('a model may not set', () => {
  it.each([
    ['a concern of people', { security: 'low' }, forPeople('security')],
    ['a concern of people beside its own', { topic: ['news'], security: 'low' }, forPeople('security')],
    ['a preset', { preset: 'safe' }, forPeople('preset')],
    [
      'a concern of the operator',
      { tier: 'pro' },
      refused('"tier" is set by the operator, so it cannot be changed here.'),
    ],
    [
      'a concern that does not exist',
      { topc: ['news'] },
      refused('"topc" is not a concern of this server (topic, budget). Did you mean "topic"?'),
    ],
    [
      'a concern with a long name',
      { [`${'x'.repeat(64)}y`]: 1 },
      refused(`"${'x'.repeat(64)}" is not a concern of this server (topic, budget).`),
    ],
    [
      'a value that does not exist',
      { topic: ['nwes'] },
      refused('"nwes" is not a valid value for topic (one or more of news, stocks). Did you mean "news"?'),
    ],
    [
      'a value of the wrong type',
      { topic: { news: true } },
      refused('An object is not a valid value for topic (one or more of news, stocks).'),
    ],
    [
      'a number out of range',
      { budget: 11 },
      refused('11 is not a valid value for budget (a number from 0 to 10).'),
    ],
  ])('%s', async (_what, given, answer) => {
    const talk = talkTo();
    expect(await act(talk, given)).toEqual(answer);
    expect(talk.record).not.toHaveProperty('model');
  });

  it('anything where no concern is open to it', async () => {
    const closed = panelPolicy('panel: on', 'concerns: { security: { values: [low, high] } }\n');
    const how = 'A person can change what is shown with the prompt "concerns".';
    expect(await act(talkTo(closed), { other: 1 })).toEqual(
      refused(`"other" is for people to change, not for a model. ${how}`),
    );
  });

  it.each([
    ['where people can only look', talkTo(READ_ONLY), {}, ONLY_LOOK],
    ['where nothing is kept', talkTo(), modern(), NOT_KEPT],
  ])('what is open to it, %s', async (_where, talk, params, why) => {
    expect(await act(talk, { topic: ['news'] }, params)).toEqual({
      isError: true,
      text: `"topic" cannot be changed here. ${why}`,
    });
    expect(await act(talk, { security: 'low' }, params)).toEqual(
      refused(`"security" is for people to change, not for a model. ${why}`),
    );
  });

  it('what is open to it, for a caller without a session', async () => {
    const principal = { place: 'store', store: createMemoryStore(), id: 'caller' } as const;
    const talk = new Talk(ON, { principal, preferences: { place: 'none' } });
    expect(await act(talk, { topic: ['news'] })).toEqual(forPeople('topic'));
  });
});

describe('a model sets', () => {
  const STOCKS = { concerns: { topic: ['stocks'] } };

  it.each<[string, object, Record<string, unknown>, string]>([
    [
      'a value that shows more',
      { concerns: { topic: ['stocks'] } },
      { topic: ['news', 'stocks'] },
      'Shown now: a, c.',
    ],
    ['a value that hides more', {}, { topic: ['stocks'] }, '2 that were shown are hidden now.'],
    [
      'a value that does both',
      STOCKS,
      { topic: ['news'] },
      'Shown now: a, c. 1 that were shown are hidden now.',
    ],
    ['the value in effect', STOCKS, { topic: ['stocks'] }, 'What is shown did not change.'],
    ['no value', STOCKS, { topic: ['any'] }, 'Shown now: a, c.'],
    ['no value among others', STOCKS, { topic: ['stocks', 'any'] }, 'Shown now: a, c.'],
    ['no value as a text', STOCKS, { topic: 'any' }, 'Shown now: a, c.'],
    ['two values', STOCKS, { topic: ['news'], budget: 3 }, 'Shown now: a. 1 that were shown are hidden now.'],
  ])('%s', async (_what, record, given, text) => {
    expect(await act(talkTo(ON, {}, record), given)).toEqual(done(text));
  });

  it.each([
    [50, ''],
    [51, ' and 1 more'],
    [60, ' and 10 more'],
  ])('a value that shows %i tools, of which it names 50', async (count, rest) => {
    const names = Array.from({ length: count }, (_, index) => `t${index}`);
    const policy = panelPolicy(
      'panel: on',
      `concerns: { topic: { values: [news, stocks], model: free } }\nprimitives: { tools: { x: { topic: news } } }\npatterns: { tools: { "t*": { topic: stocks } } }\n`,
    );
    const talk = talkTo(policy, {}, { concerns: { topic: 'news' } });
    talk.lists = { tools: names.map((name) => ({ name })) };
    expect(await act(talk, { topic: 'stocks' })).toEqual(
      done(`Shown now: ${names.slice(0, 50).join(', ')}${rest}.`),
    );
  });

  it('nothing if the session has ended, or its store cannot be written', async () => {
    const store = createMemoryStore();
    const talk = (used: typeof store) =>
      new Talk(ON, { lists: { tools: TOOLS }, preferences: { place: 'store', store: used, id: 's' } });
    expect(await act(talk(failing(store, 'update')), { topic: ['news'] })).toEqual({
      isError: true,
      text: 'The values may or may not have been stored: the store did not answer. List again to see what is in effect.',
    });
    await store.end('s');
    expect(await act(talk(store), { topic: ['news'] })).toEqual(
      refused('The session has ended. Reconnect the host.'),
    );
  });
});
