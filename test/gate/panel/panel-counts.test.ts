import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  evaluate,
  identityOf,
  mapPrimitive,
  type Policy,
  type Primitive,
  resolveConfiguration,
  type ServerCatalog,
} from '../../../src/core/engine/index.js';
import type { PanelPreferences } from '../../../src/core/gate/panel/panel-document.js';
import { completeChange, panelState } from '../../../src/core/gate/panel/panel-state.js';
import { loadPolicy } from '../../../src/core/policy/index.js';
import { allConfigurations, smallPolicies } from '../../engine/small-policies.js';
import { sample } from '../../sample.js';
import { bindAll, configureFor, stateOf, tokensOf } from '../../slow/browser/states.js';
import { policyOf } from '../gate-harness.js';

const CONNECTION = { revision: 1, server: { name: 'test' }, session: 's', sessions: [], warnings: [] };

/** Some of the configurations of a small policy, with the names of the tools that the engine shows under each. */
const situations = fc.tuple(smallPolicies, fc.nat()).map(([{ policy, tools }, at]) => ({
  policy,
  tools,
  tried: allConfigurations(policy).slice(at % 50, (at % 50) + 4),
}));

it('agrees with the engine about every count, decision and change', () => {
  let changes = 0;
  fc.assert(
    fc.property(situations, ({ policy, tools, tried }) => {
      const catalogs = bindAll(policy, { tools });
      for (const { preferences: given, caller } of tried) {
        const preferences = given as PanelPreferences;
        const state = panelState({
          preferences,
          configure: configureFor(policy, caller),
          caller,
          catalogs,
          tokensOf,
          ...CONNECTION,
        });
        const shownUnder = (concerns: PanelPreferences): string[] => {
          const configuration = resolveConfiguration(policy, [{ from: 'session', concerns }], caller);
          const isShown = (tool: Primitive): boolean =>
            evaluate(mapPrimitive(policy, 'tools', tool), configuration).effect === 'show';
          return tools.filter(isShown).map((tool) => identityOf('tools', tool));
        };
        const shown = shownUnder(preferences);
        expect(state.items.filter((item) => item.shown).map(({ name }) => name)).toEqual(shown);
        expect(state.shown.tools).toBe(shown.length);
        for (const { name, options = [], multiple } of state.concerns) {
          for (const { value, tools: count } of options) {
            const changed = { ...preferences, [name]: multiple && value !== null ? [value] : value };
            expect(count).toBe(shownUnder(changed).length);
          }
        }
        for (const { name, change, after } of state.items) {
          if (change === undefined) continue;
          const changed = shownUnder({ ...preferences, ...change });
          expect(changed).toContain(name);
          expect(after).toBe(changed.length);
          changes += 1;
        }
        expect(state.items.length + state.withheld).toBe(tools.length);
      }
    }),
    { numRuns: sample(500) },
  );
  expect(changes).toBeGreaterThan(sample(100));
});

describe('panelState', () => {
  it('never names what no preference can show', () => {
    const policy = loadPolicy('policies/vault.yaml');
    const strict: Policy = { ...policy, settings: { ...policy.settings, unmapped: 'hide' } };
    const marker = 'MARKER_only_for_operators';
    const tools = [{ name: 'encryptData' }, { name: marker, title: marker, description: marker }];
    const catalogs = bindAll(strict, { tools });
    const state = panelState({
      preferences: {},
      configure: configureFor(strict),
      catalogs,
      tokensOf,
      ...CONNECTION,
    });
    expect(state.withheld).toBe(1);
    expect(JSON.stringify(state)).not.toContain(marker);
  });

  it('marks the preset whose values are exactly in effect', () => {
    const active = (preferences: Record<string, string>) =>
      stateOf('vault', { preferences })
        .presets.filter((each) => each.active)
        .map(({ name }) => name);
    expect(active({ security: 'high', access: 'read' })).toEqual(['safe']);
    expect(active({ security: 'high' })).toEqual([]);
    expect(active({})).toEqual([]);
  });

  it('counts with the counter that it is given, also after another one counted the same list', () => {
    const policy = loadPolicy('policies/vault.yaml');
    const catalogs = bindAll(policy, { tools: [{ name: 'encryptData' }, { name: 'logData' }] });
    const input = { preferences: {}, configure: configureFor(policy), catalogs, ...CONNECTION };
    const tokensBy = (tokens: number) => panelState({ ...input, tokensOf: () => tokens }).shown.tokens;
    expect([tokensBy(1), tokensBy(10)]).toEqual([2, 20]);
  });

  it('tells neither files nor rule values', () => {
    expect(JSON.stringify(stateOf('gitlab', { preferences: { effect: 'read-only' } }))).not.toContain(
      '.yaml',
    );
  });
});

describe('completeChange', () => {
  const policy = loadPolicy('policies/vault.yaml');
  const fromUrl = resolveConfiguration(policy, [{ from: 'url', concerns: { preset: 'safe' } }]);
  const toolsAfter = (change: Record<string, unknown>): string[] => {
    const sources = [
      { from: 'session' as const, concerns: completeChange(fromUrl, change) },
      { from: 'url' as const, concerns: { preset: 'safe' } },
    ];
    const configuration = resolveConfiguration(policy, sources);
    const catalog: ServerCatalog = JSON.parse(readFileSync('policies/vault.catalog.json', 'utf8'));
    return (catalog.tools ?? [])
      .filter((tool) => evaluate(mapPrimitive(policy, 'tools', tool), configuration).effect === 'show')
      .map((tool) => String(tool.name));
  };

  it('keeps the other values, also those from the URL', () => {
    expect(completeChange(fromUrl, { cost: 'minimal' })).toEqual({
      security: 'high',
      cost: 'minimal',
      access: 'read',
      environment: null,
    });
  });

  it('lets a preset replace the preset of the URL', () => {
    expect(toolsAfter({ preset: 'cheap' })).toHaveLength(12);
  });

  it('removes a value for which a weaker source would decide', () => {
    expect(completeChange(fromUrl, { security: null, access: null })).toMatchObject({
      security: null,
      access: null,
    });
    expect(toolsAfter({ security: null, access: null })).toHaveLength(24);
  });
});

it('shows what a model narrows, and the change with which a person undoes it', () => {
  const policy = policyOf(`
concerns:
  security: { values: [low, high], model: narrow }
  access: { values: [read, write], model: narrow }
primitives: { tools: { a: { security: high }, b: { security: low }, c: { security: high, access: write } } }
`);
  const model = { security: 'low', access: 'read' };
  const preferences = { security: 'high' };
  const state = panelState({
    preferences,
    configure: (concerns, decided = []) => {
      const kept = Object.entries(model).filter(([name]) => decided !== 'all' && !decided.includes(name));
      const sources = [
        { from: 'model', concerns: Object.fromEntries(kept) },
        { from: 'session', concerns },
      ] as const;
      return resolveConfiguration(policy, sources);
    },
    catalogs: bindAll(policy, { tools: ['a', 'b', 'c'].map((name) => ({ name })) }),
    tokensOf,
    ...CONNECTION,
  });
  expect(state.shown.tools).toBe(0);
  expect(state.concerns).toMatchObject([
    { name: 'security', inEffect: ['high'], origin: 'session', model: ['low'] },
    { name: 'access', inEffect: ['read'], origin: 'model', model: ['read'] },
  ]);
  // Each choice counts as if the person had made it: then the model's value for that concern is gone.
  expect(state.concerns[0]?.options).toMatchObject([{ tools: 1 }, { tools: 1 }, { tools: 2 }]);
  expect(state.items).toMatchObject([
    { name: 'a', reason: { origin: 'model', preferred: ['low'] }, change: { security: 'high' }, after: 1 },
    { name: 'b', reason: { preferred: ['high'] }, change: { security: 'low' }, after: 1 },
    { name: 'c', change: { security: 'high', access: null }, after: 2 },
  ]);
});

it('counts a tool with several uses once, and not if none of them is left', () => {
  const policy = policyOf(`
concerns: { effect: { values: [read-only, destroys], match: at-most } }
primitives:
  tools:
    projects: {}
    projects(action=delete): { effect: destroys }
    wipe: {}
    wipe(action=delete): { effect: destroys }
    ping: {}
patterns: { tools: { "projects(action=*)": { effect: read-only } } }`);
  const withActions = (name: string, values: readonly string[]) => ({
    name,
    inputSchema: { type: 'object', properties: { action: { enum: values } }, required: ['action'] },
  });
  const tools = [
    withActions('projects', ['list', 'delete']),
    withActions('wipe', ['delete']),
    { name: 'ping' },
  ];
  const stateUnder = (preferences: PanelPreferences) =>
    panelState({
      preferences,
      configure: configureFor(policy, {}),
      caller: {},
      catalogs: bindAll(policy, { tools }),
      tokensOf,
      ...CONNECTION,
    });
  const state = stateUnder({ effect: 'read-only' });
  expect(state.shown.tools).toBe(2);
  expect(state.items.filter(({ shown }) => shown).map(({ name }) => name)).toEqual(['projects', 'ping']);
  expect(state.items.map(({ name }) => name)).toEqual(['projects', 'wipe', 'ping']);
  const [{ options = [] } = {}] = state.concerns;
  expect(options.map(({ value, tools: count }) => [value, count])).toEqual([
    ['read-only', 2],
    ['destroys', 3],
    [null, 3],
  ]);
});
