import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configurationCosts, MAX_CONFIGURATIONS } from '../../src/cli/reports/configuration-costs.js';
import { tokensToText } from '../../src/cli/reports/tokens-text.js';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { decide } from '../../src/core/engine/evaluate.js';
import { mapPrimitive } from '../../src/core/engine/mapping.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { loadPolicy, readPolicy } from '../../src/core/policy/compile/load.js';
import { run } from './run.js';
import { GITHUB, PLAYWRIGHT, shown } from './shown.js';

const RULES = ['--policy', 'test/cli/fixtures/rules.yaml'] as const;
const CATALOG = ['--catalog', 'test/cli/fixtures/small.catalog.json'] as const;
const catalog = JSON.parse(readFileSync('test/cli/fixtures/small.catalog.json', 'utf8'));

describe.concurrent('tokens', () => {
  it('prints the tokens of configurations and primitives', async ({ expect }) => {
    await expect(await shown('tokens', ...RULES, ...CATALOG)).toMatchFileSnapshot('snapshots/tokens.txt');
  });

  it('fails over a budget, and prints by how much first', async ({ expect }) => {
    await expect(await shown('tokens', ...RULES, ...CATALOG, '--budget', '100')).toMatchFileSnapshot(
      'snapshots/tokens-over-budget.txt',
    );
    const { code, stdout } = await run('tokens', ...RULES, ...CATALOG, '--budget', '1000');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Within budget: no configuration costs more than \d+ of 1,000 tokens/);
  });

  it('says what stable lists cost, and that no switch sends tools again', async () => {
    const policy = join(mkdtempSync(join(tmpdir(), 'tokens-')), 'policy.yaml');
    const text = readFileSync('policies/playwright.yaml', 'utf8');
    const tokens = async (settings: string) => {
      writeFileSync(policy, `${text}settings: { lists: ${settings} }\n`);
      return run('tokens', policy, '--catalog', 'policies/playwright.catalog.json', '--format', 'json');
    };
    const [filter, stable] = [await tokens('filter'), await tokens('stable')].map(
      ({ stdout }) => JSON.parse(stdout).singles,
    );
    for (const [at, { tokens, resent, stability }] of stable.entries()) {
      expect([tokens, resent, stability]).toEqual([filter[0].tokens, 0, tokens - filter[at].tokens]);
    }
    const { stdout } = await run('tokens', policy, '--catalog', 'policies/playwright.catalog.json');
    const most = Math.max(...stable.map(({ stability }: { stability: number }) => stability));
    expect(most).toBeGreaterThan(1000);
    expect(stdout.replaceAll(',', '')).toContain(`Stable lists cost up to ${most} tokens more: with `);
  });

  it('counts the same for a real server and for its facts', async () => {
    const policy = ['--policy', 'policies/playwright.yaml', '--format', 'json'];
    const [live, facts] = await Promise.all([
      run('tokens', ...policy, '--', ...PLAYWRIGHT),
      run('tokens', ...policy, '--catalog', 'policies/playwright.catalog.json'),
    ]);
    expect(live).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(facts.stdout)).toEqual(JSON.parse(live.stdout));
    const { complete, mostExpensive, total, primitives } = JSON.parse(live.stdout);
    expect({ complete, shown: mostExpensive.shown, configuration: mostExpensive.configuration }).toEqual({
      complete: true,
      shown: 72,
      configuration: {},
    });
    expect(mostExpensive.tokens).toBe(total);
    expect(primitives).toHaveLength(72);
  });

  it.runIf(existsSync(GITHUB))(
    `counts ${GITHUB}${existsSync(GITHUB) ? '' : ' (skipped: the file does not exist)'}`,
    async () => {
      const { code, stdout } = await run('tokens', '--policy', 'policies/github.yaml', '--catalog', GITHUB);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^117 tools: 28,\d{3} tokens \(o200k_base\); configurations cost /);
    },
  );

  it.each([
    [[...RULES, ...CATALOG, '--budget', 'much'], 'It takes a number from 0 to 999999999999.'],
    [RULES, 'There is no server. Pass its command after --'],
    [CATALOG, 'There is no policy. Pass --policy PATH'],
    [['x', ...RULES, ...CATALOG], 'There is no policy "x"'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('tokens', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });
});

describe('the costs of all configurations', () => {
  const policy = loadPolicy('test/cli/fixtures/rules.yaml');
  const tokensOf = (definition: object) => JSON.stringify(definition).length;

  it('equal the sums over what the engine shows', () => {
    const found = { most: 0, least: Number.POSITIVE_INFINITY };
    for (const tier of ['free', 'pro']) {
      for (const budget of [null, 0, 7, 10, 20, 100, 300, 400, 500]) {
        for (const topic of [null, 'maps', 'charts', 'code']) {
          for (const environment of [null, 'development', 'production']) {
            const concerns = { budget, topic, environment };
            const claims = new Map([['custom:tier', tier]]);
            const configuration = resolveConfiguration(policy, [{ from: 'request', concerns }], { claims });
            const cost = (['tools', 'prompts'] as const)
              .flatMap((kind) => catalog[kind].map((item: object) => ({ kind, item })))
              .filter(
                ({ kind, item }) => decide(mapPrimitive(policy, kind, item), configuration).effect === 'show',
              )
              .reduce((sum, { item }) => sum + tokensOf(item), 0);
            found.most = Math.max(found.most, cost);
            found.least = Math.min(found.least, cost);
          }
        }
      }
    }
    const costs = configurationCosts(policy, catalog, tokensOf, found.most - 1);
    expect(costs).toMatchObject({
      mostExpensive: { tokens: found.most },
      cheapest: { tokens: found.least },
      empty: 0,
    });
    expect(costs?.over).toBeGreaterThan(0);
    expect(configurationCosts(policy, catalog, tokensOf, found.most)?.over).toBe(0);
  });

  it('are not computed if there are too many, and the text says so', () => {
    const { compiled } = readPolicy('policies/vault.yaml');
    if (compiled === undefined) throw new Error('The policy is broken.');
    const [first] = compiled.concerns;
    if (first === undefined) throw new Error('The policy has no concern.');
    const values = Array.from({ length: 70 }, (_, index) => `v${index}`);
    const concerns = ['a', 'b', 'c'].map((name) => ({ ...first, name, values }));
    const large = preparePolicy({ ...compiled, concerns, presets: {} });
    expect(71 ** 3).toBeGreaterThan(MAX_CONFIGURATIONS);
    const all = configurationCosts(large, catalog, tokensOf);
    expect(all).toBeUndefined();
    const single = {
      preferences: 'nothing',
      configuration: {},
      tokens: 5,
      shown: 5,
      resent: 0,
      stability: 0,
    };
    const text = tokensToText(
      { catalog, tokensOf, singles: [single], all, budget: undefined },
      { width: 80, paint: (_style, text) => text },
    );
    expect(text).toContain(
      '  There are more than 250,000 configurations. Only 1 was tried: no preferences,\n' +
        '  each preset, and each single value.\n',
    );
  });
});

it.each([80, 140])('fits %i columns', (width) => {
  const policy = loadPolicy('policies/playwright.yaml');
  const playwright = JSON.parse(readFileSync('policies/playwright.catalog.json', 'utf8'));
  const tokensOf = (facts: object) => (facts as { tokens: number }).tokens;
  const all = configurationCosts(policy, playwright, tokensOf);
  const report = { catalog: playwright, tokensOf, singles: [], all, budget: 100 };
  const text = tokensToText(report, { width, paint: (_style, painted) => painted });
  expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(width);
});
