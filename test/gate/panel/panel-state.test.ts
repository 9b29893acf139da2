import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { identityOf, type Primitive } from '../../../src/core/engine/mapping.js';
import { KINDS } from '../../../src/core/engine/policy.js';
import { type PanelInput, panelState } from '../../../src/core/gate/panel/panel-state.js';
import { policyOf, yaml } from '../../policy/author.js';
import { CONNECTION, policy, stateOf, TEXT, TOOLS } from './panel-states.js';

const HIGH = { preferences: { security: 'high' } };

describe('the document', () => {
  it('is complete', () => {
    const catalog = { tools: TOOLS, prompts: [{ name: 'p', title: 'P' }] };
    expect(stateOf({ ...HIGH, catalog, readOnly: 'Because.' })).toStrictEqual({
      format: 1,
      ...CONNECTION,
      policy: { enforcement: 'advisory' },
      shown: { tools: 2, tokens: 20 },
      everything: { tools: 3, tokens: 30 },
      total: { tools: 3, tokens: 30 },
      withheld: 2,
      readOnly: 'Because.',
      concerns: [
        {
          name: 'security',
          description: 'How safe',
          match: 'exact',
          multiple: false,
          setBy: 'host',
          inEffect: ['high'],
          origin: 'session',
          options: [
            { value: 'low', description: 'Anybody', tools: 1, tokens: 10 },
            { value: 'high', tools: 2, tokens: 20 },
            { value: null, tools: 3, tokens: 30 },
          ],
        },
        {
          name: 'topic',
          match: 'exact',
          multiple: true,
          setBy: 'host',
          inEffect: [],
          options: [
            { value: 'news', tools: 1, tokens: 10 },
            { value: 'stocks', tools: 2, tokens: 20 },
            { value: null, tools: 2, tokens: 20 },
          ],
        },
        {
          name: 'budget',
          match: 'exact',
          multiple: false,
          setBy: 'host',
          inEffect: [],
          range: { min: 0, max: 9 },
        },
        {
          name: 'tier',
          match: 'exact',
          multiple: false,
          setBy: 'operator',
          inEffect: ['free'],
          origin: 'default',
        },
      ],
      presets: [
        { name: 'safe', preferences: { security: 'high' }, active: true, tools: 2, tokens: 20 },
        {
          name: 'cheap',
          preferences: { topic: ['news', 'stocks'], budget: 1 },
          active: false,
          tools: 2,
          tokens: 20,
        },
      ],
      classes: [
        { fits: { security: ['low'], topic: ['news'] } },
        { fits: { security: ['high'], topic: ['stocks'] } },
        { fits: { security: ['high'], budget: [5, 5] } },
        { fits: { security: ['low'] } },
      ],
      items: [
        {
          kind: 'tools',
          name: 'a',
          tokens: 10,
          shown: false,
          of: 0,
          reason: { code: 'concern-mismatch', concern: 'security', preferred: ['high'], actual: ['low'] },
          change: { security: 'low' },
          after: 1,
        },
        { kind: 'tools', name: 'b', tokens: 10, shown: true, of: 1, reason: { code: 'fits' } },
        { kind: 'tools', name: 'c', tokens: 10, shown: true, of: 2, reason: { code: 'fits' } },
        {
          kind: 'prompts',
          name: 'p',
          title: 'P',
          tokens: 0,
          shown: false,
          of: 3,
          reason: { code: 'concern-mismatch', concern: 'security', preferred: ['high'], actual: ['low'] },
          change: { security: 'low' },
          after: 1,
        },
      ],
    });
  });

  it('of a server without lists is empty', () => {
    const configure: PanelInput['configure'] = (concerns) =>
      resolveConfiguration(policy, [{ from: 'session', concerns }]);
    const none = { tools: 0, tokens: 0 };
    const input = { preferences: {}, configure, catalogs: {}, tokensOf: () => 1, ...CONNECTION };
    const state = panelState(input);
    expect(panelState({ ...input, forAuthor: true })).toEqual(state);
    expect(state).toMatchObject({ shown: none, everything: none, total: none, items: [], withheld: 0 });
    expect(state.presets).toMatchObject([none, none]);
    expect(state).not.toHaveProperty('readOnly');
  });

  it('counts a choice of no value as no value, rather than as the default', () => {
    const from = policyOf(TEXT.replace('topic: { values', 'topic: { default: news, values'));
    const { concerns } = stateOf({ ...HIGH, from });
    expect(concerns[1]).toMatchObject({
      inEffect: ['news'],
      origin: 'default',
      options: [
        { value: 'news', tools: 1 },
        { value: 'stocks', tools: 2 },
        { value: null, tools: 2 },
      ],
    });
  });

  it('names each kind of primitive that some preference shows', () => {
    const catalog = {
      tools: [{ name: 'a' }],
      prompts: [{ name: 'p' }],
      resources: [{ uri: 'x://r' }],
      resourceTemplates: [{ uriTemplate: 'x://{t}' }],
    };
    const shows = { ...policy, settings: { ...policy.settings, unmapped: 'show' as const } };
    const { items, withheld } = stateOf({ catalog, from: shows });
    expect(items.map(({ kind, name, tokens }) => [kind, name, tokens])).toEqual(
      KINDS.map((kind) => [
        kind,
        identityOf(kind, (catalog[kind][0] ?? {}) as Primitive),
        kind === 'tools' ? 10 : 0,
      ]),
    );
    expect(withheld).toBe(0);
  });

  it('names for the author of a policy also what only the operator shows', () => {
    const state = stateOf({ forAuthor: true });
    expect(state.items.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'paid', 'unknown']);
    expect(state.items.slice(3)).toMatchObject([
      { shown: false, reason: { code: 'concern-mismatch', concern: 'tier' } },
      { shown: false, reason: { code: 'unmapped' } },
    ]);
    expect(state.items[3]).not.toHaveProperty('change');
    expect(state).toMatchObject({ withheld: 0, total: { tools: 5, tokens: 50 }, shown: { tools: 3 } });
    expect(stateOf({ forAuthor: false }).withheld).toBe(2);
    expect(stateOf({ caller: { claims: new Map([['tier', 'pro']]) } }).withheld).toBe(1);
  });

  it('names what only one of several values shows', () => {
    const rule = yaml`
      rules:
        - { id: r, hide: [tools], reason: Not yet, when: { "!": [{ "===": [{ var: concerns.security }, high] }] } }
    `;
    const state = stateOf({ from: policyOf(`${TEXT}${rule}`) });
    expect(state.items).toMatchObject([
      {
        name: 'b',
        shown: false,
        reason: { code: 'rule', rule: 'r', reason: 'Not yet' },
        change: { security: 'high' },
        after: 2,
      },
      { name: 'c' },
    ]);
    expect(state).toMatchObject({ shown: { tools: 0 }, total: { tools: 2 }, withheld: 3 });
    const unexplained = rule.replace('reason: Not yet, ', '');
    const [item] = stateOf({ from: policyOf(`${TEXT}${unexplained}`) }).items;
    expect(item?.reason).toStrictEqual({ code: 'rule', rule: 'r' });
  });

  it('gives items of one class the same change', () => {
    const from = policyOf(
      TEXT.replace('b: { security: high, topic: stocks }', 'b: { security: low, topic: news }'),
    );
    const { items } = stateOf({ ...HIGH, from });
    expect(items.map(({ name, change, after }) => [name, change, after])).toEqual([
      ['a', { security: 'low' }, 2],
      ['b', { security: 'low' }, 2],
      ['c', undefined, undefined],
    ]);
  });
});

describe('the texts of an item', () => {
  it.each<[string, object, object]>([
    ['no text', {}, {}],
    ['a title', { title: 'A' }, { title: 'A' }],
    ['an empty title', { title: '' }, { title: '' }],
    ['a title that is no text', { title: 7 }, {}],
    ['a description', { description: 'One' }, { description: 'One' }],
    ['the first line of a description', { description: '\n  One. \nTwo' }, { description: 'One. ' }],
    ['an empty description', { description: ' \n ' }, {}],
    ['a description that is no text', { description: ['One'] }, {}],
    ['a description of 160 characters', { description: 'x'.repeat(160) }, { description: 'x'.repeat(160) }],
    ['the beginning of a longer one', { description: 'x'.repeat(161) }, { description: 'x'.repeat(160) }],
  ])('are %s', (_what, texts, shown) => {
    const { items } = stateOf({ catalog: { tools: [{ name: 'a', ...texts }] } });
    expect(items).toStrictEqual([
      { kind: 'tools', name: 'a', tokens: 10, shown: true, of: 0, reason: { code: 'fits' }, ...shown },
    ]);
  });
});
