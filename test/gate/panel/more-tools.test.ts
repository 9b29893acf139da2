import { describe, expect, it } from 'vitest';
import { moreTools as moreToolsOf } from '../../../src/core/gate/panel/more-tools.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionRecord } from '../../../src/core/session/store.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { modern, Talk } from '../concerns/talk.js';
import { gathered } from '../exchange-of.js';
import { ON, panelPolicy, READ_ONLY, TOOLS, talkTo } from './panel-policy.js';

const moreTools = gathered(moreToolsOf);

const more = async (talk: Talk, params = {}) => moreTools(await talk.configured('tools/call', params));

/** A talk to a server whose tools have each one value of a topic with many values. */
function manyTopics(count: number): Talk {
  const topics = Array.from({ length: count }, (_, index) => `t${index}`);
  const mapped = topics.map((topic) => `${topic}: { topic: ${topic} }`);
  const policy = panelPolicy(
    'panel: on',
    `concerns: { topic: { values: [none, ${topics.join(', ')}], model: free } }\nprimitives: { tools: { ${mapped.join(', ')} } }\n`,
  );
  const talk = talkTo(policy, {}, { concerns: { topic: 'none' } });
  talk.lists = { tools: topics.map((name) => ({ name })) };
  return talk;
}

describe('the tools that other values show', () => {
  it.each<[string, SessionRecord, string[]]>([
    ['nothing if all are shown', {}, []],
    [
      'a tool',
      { concerns: { topic: ['news'] } },
      ['1 more tool with other values of topic: stocks 1, any 1.'],
    ],
    [
      'several tools',
      { concerns: { topic: ['stocks'] } },
      ['2 more tools with other values of topic: news 2, any 2.'],
    ],
    [
      'only what the other concerns show',
      { concerns: { topic: ['stocks'], security: 'high' } },
      ['1 more tool with other values of topic: news 1, any 1.'],
    ],
    [
      'nothing that the model narrows with another concern',
      { concerns: { topic: ['stocks'] }, model: { budget: 3 } },
      ['1 more tool with other values of topic: news 1, any 1.'],
    ],
    ['nothing for a concern that the model may only narrow', { model: { budget: 3 } }, []],
    [
      'what the values of the model hide',
      { concerns: { topic: ['stocks'] }, model: { topic: ['news'] } },
      ['1 more tool with other values of topic: stocks 1, any 1.'],
    ],
  ])('are counted: %s', async (_what, record, sentences) => {
    expect(await more(talkTo(ON, {}, record))).toEqual(sentences);
  });

  it('do not depend on what the request itself prefers', async () => {
    const talk = talkTo(ON, {}, { concerns: { topic: ['stocks'] } });
    const _meta = { [EXTENSION_ID]: { concerns: { security: 'high' } } };
    expect(await more(talk, { _meta })).toEqual(['2 more tools with other values of topic: news 2, any 2.']);
  });

  it('begin with the value that shows most', async () => {
    const policy = panelPolicy(
      'panel: on',
      `
concerns: { topic: { values: [one, two, three, none], model: free } }
primitives: { tools: { a: { topic: one }, b: { topic: two }, c: { topic: two }, d: { topic: two }, e: { topic: three }, f: { topic: three } } }
`,
    );
    const talk = talkTo(policy, {}, { concerns: { topic: 'none' } });
    talk.lists = { tools: ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name })) };
    expect(await more(talk)).toEqual([
      '6 more tools with other values of topic: two 3, three 2, one 1, any 6.',
    ]);
  });

  it('are counted for each concern that the model may replace', async () => {
    const policy = panelPolicy(
      'panel: on',
      `
concerns:
  topic: { values: [news, stocks], model: free }
  budget: { values: { min: 0, max: 10 }, model: free }
  access: { values: [read, write], model: narrow }
primitives:
  tools: { a: { topic: news }, b: { budget: 9 }, c: { access: write }, d: { topic: stocks } }
`,
    );
    const talk = talkTo(policy, {}, { concerns: { topic: 'news', budget: 1, access: 'read' } });
    talk.lists = { tools: ['a', 'b', 'c', 'd'].map((name) => ({ name })) };
    expect(await more(talk)).toEqual([
      '1 more tool with other values of topic: stocks 1, any 1.',
      '1 more tool with other values of budget: any 1.',
    ]);
  });

  it('do not say "any" if no value shows no more', async () => {
    // A rule hides the tool unless the topic is that of the host.
    const policy = panelPolicy(
      'panel: on',
      `
concerns: { topic: { values: [news, stocks], model: free } }
primitives: { tools: { a: {}, b: {} } }
rules:
  - { id: r, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, b] }, { "!": [{ "===": [{ var: concerns.topic }, stocks] }] }] } }
`,
    );
    const talk = talkTo(policy);
    talk.lists = { tools: [{ name: 'a' }, { name: 'b' }] };
    expect(await more(talk)).toEqual(['1 more tool with other values of topic: stocks 1.']);
  });

  it.each([
    [20, ''],
    [21, ', 1 more values'],
    [23, ', 3 more values'],
  ])('of %i values are counted for twenty', async (count, rest) => {
    const named = Array.from({ length: 20 }, (_, index) => `t${index} 1`);
    expect(await more(manyTopics(count))).toEqual([
      `${count} more tools with other values of topic: ${named.join(', ')}${rest}, any ${count}.`,
    ]);
  });

  it.each([
    ['where people can only look', talkTo(READ_ONLY, {}, { concerns: { topic: ['news'] } }), {}],
    ['in 2026-07-28', talkTo(), modern()],
  ])('are not told %s', async (_where, talk, params) => {
    expect(await more(talk, params)).toEqual([]);
    expect(talk.toServer).toEqual([]);
  });

  it('are not told if the server does not list its tools', async () => {
    const talk = talkTo(ON, {}, { concerns: { topic: ['news'] } });
    talk.lists = {};
    expect(await more(talk)).toEqual([]);
  });

  it('are those of a session that is not known yet', async () => {
    const preferences = { place: 'store', store: createMemoryStore(), id: 's' } as const;
    const talk = new Talk(ON, { lists: { tools: TOOLS }, preferences });
    const http = { url: 'http://x.test/mcp?concerns=topic:news' };
    expect(await moreTools(await talk.configured('tools/call', {}, { http }))).toEqual([
      '1 more tool with other values of topic: stocks 1, any 1.',
    ]);
  });
});
