import { describe, expect, it } from 'vitest';
import { declarePanel } from '../../../src/core/gate/concerns/declare-panel.js';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../../../src/core/gate/request/client-surfaces.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { modern, Talk } from '../concerns/talk.js';
import { ON, panelPolicy, READ_ONLY } from './panel-policy.js';

const APPS = { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } };
const CLIENT = { extensions: APPS };
const CHANGES = { listChanged: true };

const declared = (talk: Talk, params: Record<string, unknown>, capabilities: unknown = {}) =>
  declarePanel(talk.exchange('initialize', params), { serverInfo: { name: 's' }, capabilities });

describe('what the gate adds to a server', () => {
  it('is nothing under panel: off', () => {
    const result = { capabilities: {} };
    const off = new Talk(panelPolicy('panel: off')).exchange('initialize', { capabilities: CLIENT });
    expect(declarePanel(off, result)).toBe(result);
  });

  it.each<[string, Talk, Record<string, unknown>, object]>([
    ['tools and prompts', new Talk(ON), {}, { tools: CHANGES, prompts: CHANGES }],
    [
      'pages for clients that show them',
      new Talk(ON),
      { capabilities: CLIENT },
      { tools: CHANGES, prompts: CHANGES, resources: CHANGES },
    ],
    ['only tools where people can only look', new Talk(READ_ONLY), {}, { tools: {} }],
    [
      'pages where people can only look',
      new Talk(READ_ONLY),
      { capabilities: CLIENT },
      { tools: {}, resources: {} },
    ],
    [
      'lists that do not change where nothing is kept',
      new Talk(ON, { preferences: { place: 'none' } }),
      { capabilities: CLIENT },
      { prompts: {} },
    ],
    ['no tool in 2026-07-28 where nothing is kept', new Talk(ON), modern({}, CLIENT), { prompts: {} }],
    [
      'pages for verified callers of 2026-07-28',
      new Talk(ON, { principal: { place: 'store', store: createMemoryStore(), id: 'c' } }),
      modern({}, CLIENT),
      { tools: {}, prompts: {}, resources: {} },
    ],
    [
      'no changes for callers of 2026-07-28',
      new Talk(ON, { principal: { place: 'store', store: createMemoryStore(), id: 'c' } }),
      modern({ capabilities: CLIENT }),
      { tools: {}, prompts: {} },
    ],
  ])('is %s', (_what, talk, params, lists) => {
    expect(declared(talk, params)).toEqual({
      serverInfo: { name: 's' },
      capabilities: { ...lists, extensions: APPS },
    });
  });

  it('keeps what the server declares', () => {
    const own = {
      logging: {},
      tools: { own: 1, listChanged: false },
      resources: { subscribe: true },
      extensions: { other: {} },
    };
    expect(declared(new Talk(ON), {}, own).capabilities).toEqual({
      logging: {},
      tools: { own: 1, listChanged: true },
      prompts: CHANGES,
      resources: { subscribe: true, listChanged: true },
      extensions: { other: {}, ...APPS },
    });
    expect(declared(new Talk(READ_ONLY), {}, own).capabilities).toEqual({
      ...own,
      extensions: { other: {}, ...APPS },
    });
  });

  it.each([undefined, null, 'text'])('replaces capabilities that are no object: %j', (capabilities) => {
    expect(declared(new Talk(READ_ONLY), {}, capabilities).capabilities).toEqual({
      tools: {},
      extensions: APPS,
    });
  });

  it.each([null, true, 'text'])('replaces a capability that is no object: %j', (odd) => {
    const capabilities = { tools: odd, extensions: odd };
    expect(declared(new Talk(ON), {}, capabilities).capabilities).toEqual({
      tools: CHANGES,
      prompts: CHANGES,
      extensions: APPS,
    });
  });
});
