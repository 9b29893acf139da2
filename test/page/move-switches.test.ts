import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindCatalog, type Catalog, KINDS, type Kind, type Primitive } from '../../src/core/engine/index.js';
import type { PanelState } from '../../src/core/gate/panel/panel-document.js';
import { completeChange, type PanelInput, panelState } from '../../src/core/gate/panel/panel-state.js';
import { switchedAfter } from '../../src/core/gate/panel/switched-tools.js';
import { moveSwitches } from '../../src/web/page/move-switches.js';
import { PATIENCE } from '../patience.js';
import { policyFromText } from '../policy-text.js';
import { sample } from '../sample.js';
import { configureFor } from '../slow/browser/states.js';

const LEVELS = ['low', 'mid', 'high'];
const TOPICS = ['maps', 'news', 'code'];
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

const own = fc.record(
  {
    level: fc.constantFrom(...LEVELS),
    topic: fc.constantFrom(...TOPICS),
    size: fc.integer({ min: 0, max: 9 }),
  },
  { requiredKeys: [] },
);
const policies = fc
  .record({
    match: fc.constantFrom('exact', 'at-least', 'at-most'),
    sizes: fc.constantFrom('exact', 'at-least', 'at-most'),
    unmapped: fc.constantFrom('show', 'hide'),
    rule: fc.constantFrom('hide', 'show'),
    tools: fc.array(fc.option(own, { nil: undefined, freq: 9 }), { minLength: 7, maxLength: 7 }),
  })
  .map(({ match, sizes, unmapped, rule, tools }) => {
    const entries = NAMES.flatMap((name, at) => (tools[at] === undefined ? [] : [[name, tools[at]]]));
    return `version: 1
concerns:
  level: { values: [${LEVELS}], match: ${match} }
  topic: { values: [${TOPICS}], multiple: true }
  size: { values: { min: 0, max: 9 }, match: ${sizes} }
  tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
presets:
  one: { level: mid, topic: [maps, code] }
  two: { size: 4 }
primitives:
  tools: ${JSON.stringify({ ...Object.fromEntries(entries), paid: { tier: 'pro' } })}
  prompts: { p: { level: low } }
rules: [{ id: r, ${rule}: [tools], when: { "===": [{ var: primitive.name }, g] } }]
settings: { unmapped: ${unmapped} }
`;
  });
const changes = fc.oneof(
  fc.record(
    {
      level: fc.constantFrom(...LEVELS, null),
      topic: fc.constantFrom(['maps'], ['news', 'code'], null),
      size: fc.constantFrom(0, 4, 9, null),
    },
    { requiredKeys: [] },
  ),
  fc.constantFrom<Record<string, unknown>>({ preset: 'one' }, { preset: 'two' }),
  fc.constantFrom<Record<string, unknown>>({ '+tools': null, '-tools': null }, { '-tools': null }),
  fc.constantFrom(...NAMES).map((name): Record<string, unknown> => ({ flip: name })),
);

/** What a page shows at once: the switches, and everything that is counted. */
const atOnce = ({ concerns, presets, shown, items }: PanelState) => ({
  concerns: concerns.map(({ name, inEffect, options }) => ({ name, inEffect, options })),
  presets,
  shown,
  items: items.map(({ name, kind, shown, alone }) => ({ name, kind, shown, alone })),
});

function play(text: string, all: readonly Record<string, unknown>[]): void {
  const policy = policyFromText(text);
  const lists: Partial<Record<Kind, Primitive[]>> = {
    tools: [...NAMES, 'paid'].map((name) => ({ name, description: name.repeat(7) })),
    prompts: [{ name: 'p' }],
  };
  const catalogs = Object.fromEntries(
    KINDS.map((kind): [Kind, Catalog<Primitive>] => [kind, bindCatalog(policy, kind, lists[kind] ?? [])]),
  );
  const tools = bindCatalog(policy, 'tools', lists.tools ?? []);
  const configure = configureFor(policy);
  const stateFor = (preferences: PanelInput['preferences']) =>
    panelState({
      preferences,
      configure,
      catalogs,
      tokensOf: (definition) => JSON.stringify(definition).length,
      ...{ revision: 1, server: { name: 's' }, session: 's', sessions: [], warnings: [] },
    });
  let switched: Record<string, unknown> = {};
  let preferences: Record<string, unknown> = {};
  for (const each of all) {
    const before = stateFor({ ...preferences, ...switched });
    const item = before.items.find(({ name }) => name === each.flip);
    if ('flip' in each && (item === undefined || before.classes[item.of]?.always === 'hidden')) continue;
    const change = item === undefined ? each : { [item.shown ? '-tools' : '+tools']: [item.name] };
    const { '+tools': _shown, '-tools': _hidden, ...values } = change;
    const { preset, ...complete } = completeChange(configure(preferences), values);
    preferences = { ...complete, ...Object.fromEntries(policy.presets.get(String(preset)) ?? []) };
    const after = switchedAfter(switched, change, true, tools, (with_) =>
      configure({ ...preferences, ...with_ }),
    );
    if (typeof after === 'string') throw new Error(after);
    switched = after;
    expect(atOnce(moveSwitches(before, change))).toEqual(atOnce(stateFor({ ...preferences, ...switched })));
  }
}

describe('what a page shows before the server answers', () => {
  it('is what the server answers then', { timeout: PATIENCE.test }, () => {
    fc.assert(fc.property(policies, fc.array(changes, { minLength: 1, maxLength: 5 }), play), {
      numRuns: sample(300),
    });
  });
});
