import { describe, expect, it } from 'vitest';
import { SHOWS_PAGES, victimOf } from './hostile-server.js';

const policy = (panel: string) => `
concerns:
  effect: { values: [read-only, writes, destroys], match: at-most }
  area: { values: [code, news, maps], multiple: true }
  kind: { values: [a, b] }
  cost: { values: { min: 0, max: 10 }, match: at-most }
  topic: { values: [x, y], model: free }
  ruled: { values: [on, off] }
presets: { safe: { effect: read-only, area: [code], cost: 2 }, all: { effect: destroys } }
rules: [{ id: shown, show: [tools], when: { "===": [{ var: concerns.ruled }, on] } }]
primitives: { tools: { look: { effect: read-only, area: code }, destroy: { effect: destroys, area: news } } }
settings: { panel: ${panel} }
`;
const answers = {
  'tools/list': () => ({
    tools: ['look', 'destroy'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  }),
};
/** What the person chose with a prompt. */
const CHOSEN = { effect: 'writes', area: 'code,news', kind: 'a', cost: '5', topic: 'x' };

async function connect(panel: string) {
  const { ask } = await victimOf(policy(panel), answers, SHOWS_PAGES);
  const chosen = await ask('updateConcerns', {
    concerns: { ...CHOSEN, area: CHOSEN.area.split(','), cost: Number(CHOSEN.cost) },
  });
  expect(chosen).not.toContain('"error"');
  const call = async (name: string, args: object = {}) =>
    JSON.parse(await ask('tools/call', { name, arguments: args })).result;
  return { ask, call };
}

const isRefused = async (panel: string, concerns: object): Promise<boolean> => {
  const { call } = await connect(panel);
  return (await call('concerns_update', { concerns })).isError === true;
};

interface Offer {
  readonly value: unknown;
  readonly widens?: true;
}

describe.each(['on', 'narrow'])('under "panel: %s", the page in a host', (panel) => {
  const page = async () => {
    const { call } = await connect(panel);
    return (await call('concerns_read')).structuredContent;
  };

  it('offers each value if, and only if, it would not be refused', async () => {
    const { concerns } = await page();
    const offers: [string, Offer][] = concerns.flatMap((each: { name: string; options?: Offer[] }) =>
      (each.options ?? []).map((option) => [each.name, option]),
    );
    const chosen: readonly string[] = CHOSEN.area.split(',');
    for (const [name, { value, widens }] of offers) {
      const toggled = chosen.includes(String(value))
        ? chosen.filter((each) => each !== value)
        : [...chosen, value];
      const change = { [name]: name === 'area' && value !== null ? toggled : value };
      expect([change, widens === true]).toEqual([change, await isRefused(panel, change)]);
    }
    const widening = offers.filter(([, { widens }]) => widens).map(([name, { value }]) => `${name} ${value}`);
    expect(widening).toEqual([
      ...['effect destroys', 'effect null', 'area maps', 'area null', 'kind b', 'kind null'],
      ...['ruled on', 'ruled off'],
    ]);
  });

  it('offers the part of a range and the presets that would not be refused', async () => {
    const { concerns, presets, everything } = await page();
    expect(concerns.find(({ name }: { name: string }) => name === 'cost').reach).toEqual({ min: 0, max: 5 });
    expect(await isRefused(panel, { cost: 5.5 })).toBe(true);
    expect(await isRefused(panel, { cost: 0 })).toBe(false);
    for (const { name, widens } of presets)
      expect([name, widens === true]).toEqual([name, await isRefused(panel, { preset: name })]);
    expect(everything.widens).toBe(true);
  });

  it('says once where to show more', async () => {
    const { onlyNarrows, items } = await page();
    expect(onlyNarrows).toMatch(
      panel === 'on'
        ? /^From here only less can be shown\. A person can change what is shown with the prompt "concerns", or/
        : /^From here only less can be shown\. A person can show more with "mcp-concerns switch"\.$/,
    );
    expect(items.find(({ name }: { name: string }) => name === 'destroy')).toMatchObject({ shown: false });
    expect(JSON.stringify(items)).not.toContain('"change"');
  });
});

it('names nothing in its descriptions that only the operator can show', async () => {
  const { ask } = await victimOf(
    `
concerns: { tier: { values: [free, pro], set-by: operator, claim: tier } }
primitives: { tools: { look: {}, internal_wipe: { tier: pro } } }
settings: { panel: on, enforcement: enforce }
`,
    {
      'tools/list': () => ({
        tools: ['look', 'internal_wipe'].map((name) => ({
          name,
          description: 'Use internal_wipe afterwards.',
          inputSchema: { type: 'object' },
        })),
      }),
    },
    SHOWS_PAGES,
  );
  const page = await ask('tools/call', { name: 'concerns_read', arguments: {} });
  expect(page).toContain('Use [hidden] afterwards.');
  expect(page).not.toContain('internal_wipe');
});
