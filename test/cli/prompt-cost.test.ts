import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { primitiveFacts } from '../../src/cli/inputs/primitive-facts.js';
import { resentAfter } from '../../src/cli/reports/prompt-cost.js';
import { isForPages } from '../../src/core/engine/companions.js';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'prompt-cost-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, content: object): string => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
const tool = (name: string, visibility?: string[]) => ({
  name,
  description: `Does what ${name} does.`,
  ...(visibility === undefined ? {} : { _meta: { ui: { visibility } } }),
});
const policy = file('policy.yaml', {
  version: 1,
  concerns: { area: { values: [{ maps: 'Places and routes' }, 'news'] } },
  primitives: { tools: { a: {}, b: { area: 'news' }, c: { area: 'maps' }, d: {}, refresh: {} } },
});
const tools = [tool('a'), tool('b'), tool('c'), tool('d'), tool('refresh', ['app'])];
const catalog = file('policy.catalog.json', { tools });

describe('a tool that only apps can call', () => {
  it.each([
    [['app'], true],
    [['model', 'app'], false],
    [['model'], false],
    [[], false],
    [undefined, false],
  ])('has the visibility %j: %j', (visibility, only) => {
    expect(isForPages(tool('t', visibility))).toBe(only);
  });

  it('is not billed to the model', async () => {
    const { code, stdout } = await run(
      'tokens',
      '--policy',
      policy,
      '--catalog',
      catalog,
      '--format',
      'json',
    );
    expect(code).toBe(0);
    const { total, primitives, mostExpensive } = JSON.parse(stdout);
    const app = primitives.find((each: { name: string }) => each.name === 'refresh');
    expect(app).toMatchObject({ appOnly: true, tokens: expect.any(Number) });
    const others = primitives.filter((each: { appOnly?: boolean }) => each.appOnly !== true);
    expect(total).toBe(others.reduce((sum: number, { tokens }: { tokens: number }) => sum + tokens, 0));
    expect(mostExpensive.tokens).toBe(total);
    const text = await run('tokens', '--policy', policy, '--catalog', catalog);
    expect(text.stdout).toContain(`1 tool for apps only: models are not billed for ${app.tokens} tokens.`);
    expect(text.stdout).toMatch(/refresh {2}apps only\n/);
    const list = await run('list', '--policy', policy, '--catalog', catalog, '--format', 'json');
    expect(JSON.parse(list.stdout).tokens.total).toBe(total);
  });

  it('is known from facts, too', () => {
    const facts = primitiveFacts('tools', tool('refresh', ['app']), 9);
    expect(isForPages(facts)).toBe(true);
    expect(facts).not.toHaveProperty('description');
  });
});

describe('what a switch sends again', () => {
  it('is the list from the first difference on', () => {
    const [a, b, c, d, app] = tools.map((each) => ({ ...each }));
    const one = () => 1;
    const list = (...some: (object | undefined)[]) => some.filter((each) => each !== undefined);
    expect(resentAfter(list(a, b, c, d), list(a, b, c, d), one)).toBe(0);
    expect(resentAfter(list(a, b, c, d), list(a, c, d), one)).toBe(2);
    expect(resentAfter(list(a, c), list(a, b, c), one)).toBe(2);
    expect(resentAfter(list(a, b), list(a), one)).toBe(0);
    expect(resentAfter(list(app, a), list(a), one)).toBe(0);
    expect(resentAfter(list(a, b), list({ ...a, title: 'A' }, b), one)).toBe(2);
  });

  it('never exceeds the new list, and is the whole of it if the first tool differs', () => {
    const names = fc.uniqueArray(fc.constantFrom(...'abcdefgh'), { maxLength: 8 });
    fc.assert(
      fc.property(names, names, (before, after) => {
        const make = (some: string[]) => some.map((name) => tool(name));
        const resent = resentAfter(make(before), make(after), () => 1);
        const shared = after.findIndex((name, at) => name !== before[at]);
        expect(resent).toBe(shared === -1 ? 0 : after.length - shared);
      }),
    );
  });

  it('is printed for each sample of tokens, and in a comparison', async () => {
    const { stdout } = await run('tokens', '--policy', policy, '--catalog', catalog, '--format', 'json');
    const { singles, primitives } = JSON.parse(stdout);
    const tokensOf = (name: string) =>
      primitives.find((each: { name: string }) => each.name === name)?.tokens ?? Number.NaN;
    const resent = Object.fromEntries(
      singles.map(({ preferences, resent: tokens }: { preferences: string; resent: number }) => [
        preferences,
        tokens,
      ]),
    );
    expect(resent).toEqual({
      nothing: 0,
      'area=maps': tokensOf('c') + tokensOf('d'),
      'area=news': tokensOf('d'),
    });
    const table = await run('tokens', '--policy', policy, '--catalog', catalog);
    expect(table.stdout).toMatch(new RegExp(`area=news {2}resends ${tokensOf('d')}\n`));
    const changed = file('changed.yaml', {
      version: 1,
      rules: [{ id: 'r', hide: ['tools'], when: { '===': [{ var: 'primitive.name' }, 'c'] } }],
    });
    const diff = await run('diff', policy, changed, '--catalog', catalog, '--format', 'json');
    expect(JSON.parse(diff.stdout).named[0]).toMatchObject({ name: 'nothing', resent: tokensOf('d') });
  });

  it('is explained by the values that a host can choose', async () => {
    const { stdout } = await run('list', '--policy', policy, '--catalog', catalog);
    expect(stdout).toContain('  area  maps, news\n          maps: Places and routes\n');
  });
});
