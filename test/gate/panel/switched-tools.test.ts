import { describe, expect, it } from 'vitest';
import { panelOf } from '../../../src/core/gate/edge/panel-of.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { read } from '../../../src/core/wire/messages.js';
import type { Talk } from '../concerns/talk.js';
import { Talk as ServerTalk } from '../concerns/talk.js';
import { Harness } from '../gate-harness.js';
import { ON, panelPolicy, TOOLS, talkTo } from './panel-policy.js';

const SURROUNDINGS = { session: 's', sessions: [], tokensOf: () => 1, revision: 3 };
const PAGE = 'Ask a person.';

function panelFor(talk: Talk) {
  const latest = talk.exchange('tools/list');
  return panelOf(() => latest.again());
}
const change = (talk: Talk, wanted: Record<string, unknown>, advice?: string) =>
  panelFor(talk).change(wanted, advice);
const shownBy = async (talk: Talk) => {
  const { items } = await panelFor(talk).state(SURROUNDINGS);
  return items.filter(({ shown }) => shown).map(({ name }) => name);
};
const keptBy = (talk: Talk) => read(talk.record, 'concerns');
const HIGH = { concerns: { security: 'high' } };
const refused = (name: string) => ({
  state: 'refused',
  message: `"${name}" is not a tool that you can switch by itself.`,
});

describe('a switch of one tool', () => {
  it('hides a tool that is shown, and shows one that values hide', async () => {
    const talk = talkTo(ON, {}, HIGH);
    expect(await shownBy(talk)).toEqual(['b', 'c']);
    expect(await change(talk, { '-tools': ['b'], '+tools': ['a'] })).toEqual({ state: 'changed' });
    expect(await shownBy(talk)).toEqual(['a', 'c']);
    expect(keptBy(talk)).toMatchObject({ security: 'high', '+tools': ['a'], '-tools': ['b'] });
    const { items } = await panelFor(talk).state(SURROUNDINGS);
    expect(items.map(({ name, alone, reason, change }) => [name, alone, reason.code, change])).toEqual([
      ['a', true, 'fits', undefined],
      ['b', true, 'person', undefined],
      ['c', undefined, 'fits', undefined],
    ]);
  });

  it('leaves no entry when it only takes back another one', async () => {
    const talk = talkTo(ON, {}, HIGH);
    await change(talk, { '-tools': ['b'], '+tools': ['a'] });
    await change(talk, { '+tools': ['b'] });
    await change(talk, { '-tools': ['a'] });
    expect(await shownBy(talk)).toEqual(['b', 'c']);
    expect(Object.keys(keptBy(talk) as object)).not.toContain('+tools');
    expect(Object.keys(keptBy(talk) as object)).not.toContain('-tools');
  });

  it.each(['paid', 'unknown', 'toString'])('is refused in the same words for %s', async (name) => {
    const talk = talkTo(ON, {}, HIGH);
    expect(await change(talk, { '+tools': [name] })).toEqual(refused(name));
    expect(await change(talk, { '-tools': [name] })).toEqual(refused(name));
    expect(keptBy(talk)).toEqual({ security: 'high' });
  });

  it('is refused as a whole if one of its tools cannot be switched', async () => {
    const talk = talkTo(ON, {}, HIGH);
    expect(await change(talk, { '-tools': ['b'], '+tools': ['paid'] })).toEqual(refused('paid'));
    expect(await shownBy(talk)).toEqual(['b', 'c']);
  });

  it.each([7, 'b', [7], { b: true }])('is refused if it does not name tools: %j', async (names) => {
    expect(await change(talkTo(), { '-tools': names })).toEqual({
      state: 'refused',
      message: '"+tools" and "-tools" must be lists of names of tools.',
    });
  });

  it('stays when a value changes, and goes with a preset', async () => {
    const talk = talkTo();
    await change(talk, { '-tools': ['b'] });
    await change(talk, { topic: 'stocks' });
    expect(await shownBy(talk)).toEqual([]);
    await change(talk, { preset: 'safe' });
    expect(await shownBy(talk)).toEqual(['b', 'c']);
  });

  it('goes with null, and each list by itself', async () => {
    const talk = talkTo(ON, {}, HIGH);
    await change(talk, { '-tools': ['b'], '+tools': ['a'] });
    await change(talk, { '+tools': null });
    expect(await shownBy(talk)).toEqual(['c']);
    await change(talk, { '-tools': null });
    expect(await shownBy(talk)).toEqual(['b', 'c']);
  });

  it('only hides on a page that can only show less', async () => {
    const talk = talkTo(ON, {}, HIGH);
    const wider = {
      state: 'widens',
      message: `This would show more. From here only less can be shown. ${PAGE}`,
    };
    expect(await change(talk, { '+tools': ['a'] }, PAGE)).toEqual(wider);
    expect(await change(talk, { '-tools': ['b'] }, PAGE)).toEqual({ state: 'changed' });
    expect(await change(talk, { '+tools': ['b'] }, PAGE)).toEqual(wider);
    expect(await change(talk, { '-tools': null }, PAGE)).toEqual(wider);
    // A preset that narrows keeps what is hidden.
    expect(await change(talk, { preset: 'safe' }, PAGE)).toEqual({ state: 'changed' });
    expect(await shownBy(talk)).toEqual(['c']);
  });

  it('is not for hosts: updateConcerns neither sets it nor keeps it', async () => {
    const harness = new Harness(ON, { place: 'connection', record: { concerns: { '-tools': ['b'] } } });
    harness.serve({ 'tools/list': TOOLS });
    harness.request(1, 'tools/list');
    const listed = () => JSON.stringify(harness.answers(1));
    expect(listed()).not.toContain('"b"');
    harness.request(2, 'updateConcerns', { concerns: { security: 'high', '+tools': ['a'] } });
    await expect.poll(() => harness.answers(2).length).toBe(1);
    expect(JSON.stringify(harness.answers(2))).toContain('undeclared-concern');
    harness.request(3, 'tools/list');
    expect(JSON.stringify(harness.answers(3))).toMatch(/"b".*"c"/);
    expect(JSON.stringify(harness.answers(3))).not.toContain('"a"');
  });

  it('wins over a model, which cannot show the tool again', async () => {
    const talk = talkTo(ON, {}, { concerns: { topic: ['stocks'] }, model: { '+tools': ['a'] } });
    expect(await shownBy(talk)).toEqual(['a', 'b']);
    await change(talk, { '-tools': ['a'] });
    expect(await shownBy(talk)).toEqual(['b']);
    // What the model added stays, so that undoing the switch of the person brings it back.
    await change(talk, { '+tools': ['a'] });
    expect(await shownBy(talk)).toEqual(['a', 'b']);
    expect(keptBy(talk)).not.toHaveProperty('+tools');
  });

  it('is kept for the caller where preferences are', async () => {
    const store = createMemoryStore();
    const principal = { place: 'store', store, id: 'caller' } as const;
    const talk = () => new ServerTalk(ON, { lists: { tools: TOOLS }, principal });
    expect(await change(talk(), { '-tools': ['b'] })).toEqual({ state: 'changed' });
    expect(await shownBy(talk())).toEqual(['a', 'c']);
  });

  it('is in the log with the reason, and the call is answered as one of an unknown tool', async () => {
    const kept = { concerns: { security: 'high', '+tools': ['a'], '-tools': ['b'] } };
    const harness = new Harness(panelPolicy('panel: on, enforcement: enforce'), {
      place: 'connection',
      record: kept,
    });
    harness.serve({ 'tools/list': TOOLS });
    harness.request(1, 'tools/list');
    expect(JSON.stringify(harness.answers(1))).toMatch(/"a".*"c"/);
    harness.request(2, 'tools/call', { name: 'b', arguments: {} });
    await expect.poll(() => harness.answers(2).length).toBe(1);
    expect(harness.toServer.map((message) => read(message, 'params', 'name'))).not.toContain('b');
    expect(harness.reports).toMatchObject([
      { concerns: kept.concerns, hidden: { person: 1, concerns: { tier: 1 } }, shown: 2, total: 4 },
      { decision: { effect: 'hide', reason: { code: 'person' } } },
    ]);
  });

  it('decides calls and leaves the list under lists: stable', async () => {
    const record = { concerns: { '-tools': ['b'] } };
    const harness = new Harness(panelPolicy('panel: on, lists: stable'), { place: 'connection', record });
    harness.serve({ 'tools/list': TOOLS });
    harness.request(1, 'tools/list');
    expect(JSON.stringify(harness.answers(1))).toContain('"b"');
    harness.request(2, 'tools/call', { name: 'b', arguments: {} });
    await expect.poll(() => harness.answers(2).length).toBe(1);
    expect(JSON.stringify(harness.answers(2))).toContain(
      'is switched off, because the person hid this tool; do not retry: the person must change that first.',
    );
  });
});
