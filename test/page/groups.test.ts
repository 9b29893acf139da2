import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../src/web/page/groups.js';
import { largeState, serversState } from '../slow/browser/large.js';
import { stateOf } from '../slow/browser/states.js';

const switches = (state: Parameters<typeof groupsOf>[0]) =>
  Object.fromEntries(groupsOf(state, state.items).map((group) => [group.title, group.switch]));

describe('the groups of the list', () => {
  it('are the topics if there are many tools', () => {
    const state = largeState({});
    const groups = groupsOf(state, state.items);
    expect(groups.map(({ title }) => title)).toHaveLength(12);
    expect(groups.reduce((sum, { items }) => sum + items.length, 0)).toBe(500);
    expect(groups.every(({ items, title }) => items.every(({ name }) => name.startsWith(title)))).toBe(true);
  });

  it('are the kinds if there are few tools', () => {
    const state = stateOf('vault', { preferences: {} });
    expect(groupsOf(state, state.items).map(({ title }) => title)).toEqual([
      'Tools',
      'Prompts',
      'Resources',
      'Resource templates',
    ]);
  });

  it('are the servers if there are several, also those of which parts are chosen', () => {
    expect(switches(serversState({ topic: ['files', 'browser.reading'] }))).toEqual({
      repositories: { state: 'off', change: { topic: ['browser.reading', 'files', 'repositories'] } },
      browser: { state: 'mixed', change: { topic: ['files', 'browser'] } },
      files: { state: 'on', change: { topic: ['browser.reading'] } },
    });
  });

  it('switch all others on when nothing was chosen, and choose nothing when all are on', () => {
    expect(switches(serversState({})).files).toEqual({
      state: 'on',
      change: { topic: ['browser', 'repositories'] },
    });
    expect(switches(serversState({ topic: ['browser', 'repositories'] })).files).toEqual({
      state: 'off',
      change: { topic: null },
    });
  });

  it('do not switch the last one off, which would show everything', () => {
    expect(switches(serversState({ topic: 'files' })).files).toEqual({ state: 'on', change: undefined });
  });

  it('only switch off on a page that can only show less', () => {
    const { files, repositories } = switches({
      ...serversState({ topic: ['files', 'browser'] }),
      onlyNarrows: 'No.',
    });
    expect(files).toEqual({ state: 'on', change: { topic: ['browser'] } });
    expect(repositories).toEqual({ state: 'off', change: undefined });
  });
});
