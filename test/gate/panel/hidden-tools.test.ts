import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadTokenCounter } from '../../../src/cli/inputs/token-counter.js';
import { ownListOnly } from '../../../src/core/gate/lists/own-entries.js';
import { listHiddenTools as listHiddenToolsOf } from '../../../src/core/gate/panel/hidden-tools.js';
import { addTools as addToolsOf } from '../../../src/core/gate/panel/model-act.js';
import { stateOf as stateOfOf } from '../../../src/core/gate/panel/switches.js';
import { ERRORS } from '../../../src/core/wire/messages.js';
import { gathered } from '../exchange-of.js';
import { manyPolicy, manyTools } from './many-tools.js';
import { panelPolicy, talkTo } from './panel-policy.js';

const list = gathered(listHiddenToolsOf);
const addTools = gathered(addToolsOf);
const stateOf = gathered(stateOfOf);
const tokensOf = await loadTokenCounter();

const WEATHER = { concerns: { topic: ['weather'] } };
const calling = (tools: readonly object[], record: object = WEATHER, policy = manyPolicy()) =>
  talkTo(policy, {}, record, tools).configured('tools/call', { name: 'concerns' });

describe('the names of hidden tools', () => {
  it('are grouped by the value that hides them, with forty letters of the description', async () => {
    const text = await list(await calling(manyTools(20)));
    const groups = text.split('\n\n').map((group) => group.split('\n')[0]);
    expect(new Set(groups).size).toBe(groups.length);
    expect(groups).toContain('topic payments:');
    expect(groups).not.toContain('topic weather:');
    expect(text).toContain('payments_get_record_0: get one record of the account 0, with it\n');
  });

  it('and the tool with ten topics cost little', async () => {
    const call = await calling(manyTools(500));
    const { tools } = ownListOnly(call, 'tools', { code: ERRORS.methodNotFound, message: '' }) ?? {};
    expect(tokensOf((tools as object[])[0] ?? {})).toBeLessThanOrEqual(450);
    const text = await list(call);
    expect(text.match(/^\w+_\d+: /gm)).toHaveLength(450);
    expect(tokensOf([text])).toBeLessThanOrEqual(10_000);
  });

  const digest = (index: number): string => createHash('sha256').update(String(index)).digest('hex');
  it.each([
    ['digits and letters without words', (index: number) => `payments_${digest(index)}`, digest],
    [
      'texts that are not English',
      (index: number) => `payments_${index}`,
      () => '查询账户的状态和所有评论，并返回其所有者以及历史记录的详细信息和附件内容清单以及更多',
    ],
    ['signs', (index: number) => `payments_${index}`, () => '{}[]<>|#*'.repeat(20)],
    ['capitals', (index: number) => `payments_${index}`, () => 'AbCdEfGHIJKLM'.repeat(20)],
  ])('have at most 10,000 tokens for a thousand tools with %s', async (_what, nameOf, textOf) => {
    const tools = Array.from({ length: 1000 }, (_, at) => ({ name: nameOf(at), description: textOf(at) }));
    const text = await list(await calling(tools));
    expect(tokensOf([text])).toBeLessThanOrEqual(10_000);
    expect(text).toContain(nameOf(0));
  });

  it('of very many tools are cut, and the answer says so', async () => {
    const text = await list(await calling(manyTools(6000)));
    expect(tokensOf([text])).toBeLessThanOrEqual(10_000);
    expect(text).toMatch(/\n\nMore are hidden than can be listed\. Pass find with words of the task\.$/);
    const [tool] = manyTools(6000).slice(4321, 4322);
    expect(await list(await calling(manyTools(6000)), 'ACCOUNT 4321')).toContain(`\n${tool?.name}: `);
  });

  it('leave out tools that only pages can call, and names that a closed tool has too', async () => {
    const tools = [
      { name: 'payments_refresh', _meta: { ui: { visibility: ['app'] } } },
      { name: 'payments_twice', description: 'one' },
      { name: 'payments_twice', description: 'two', _meta: { closed: true } },
      { name: 'payments_once', title: ' A\n title ' },
    ];
    const policy = panelPolicy(
      'panel: on',
      `concerns: { topic: { values: [payments, weather], model: free } }
patterns: { tools: { "payments_*": { topic: payments } } }
rules: [{ id: closed, hide: [tools], when: { "!!": { var: primitive.meta.closed } } }]
`,
    );
    expect(await list(await calling(tools, { concerns: { topic: 'weather' } }, policy))).toBe(
      'topic payments:\npayments_once: A title',
    );
  });

  it('are none if nothing is hidden, or the server does not list its tools', async () => {
    expect(await list(await calling(manyTools(5), {}))).toBe('No tool is hidden that you can show.');
    const talk = talkTo(manyPolicy(), {}, WEATHER);
    talk.lists = {};
    expect(await list(await talk.configured('tools/call'))).toContain('does not list its tools');
  });
});

describe('a tool that a model adds', () => {
  const names = manyTools(60)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('weather'));

  it('is on the page, with what hides it', async () => {
    const model = { '+tools': names.slice(0, 2) };
    const { concerns, items } = await stateOf(await calling(manyTools(60), { ...WEATHER, model }));
    expect(concerns.map(({ added }) => added)).toEqual([undefined, names.slice(0, 2)]);
    expect(items.filter(({ name }) => names.slice(0, 3).includes(name)).map(({ shown }) => shown)).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is one of at most fifty', async () => {
    const record = { ...WEATHER, model: { '+tools': names.slice(0, 49) } };
    const call = await calling(manyTools(60), record);
    expect(await addTools(call, names.slice(49, 51))).toEqual({
      isError: true,
      text: 'At most 50 tools can be added, and this would make 51. Set a value instead. Nothing changed.',
    });
    expect(await addTools(call, [...names.slice(0, 50)])).toEqual({
      isError: false,
      text: `Shown now: ${names[49]}.`,
    });
  });
});
