import { describe, expect, it } from 'vitest';
import { outsideName, slugOf } from '../../src/core/engine/servers/outside-names.js';
import { tryNames } from './random-names.js';

describe('names of several servers', () => {
  it.each([
    ['Azure DevOps', 'azure-devops'],
    ['@playwright/mcp', 'playwright-mcp'],
    ['3d', 's-3d'],
    ['__', expect.stringMatching(/^s[0-9a-f]{8}$/)],
    ['日本', expect.stringMatching(/^s[0-9a-f]{8}$/)],
    ['a'.repeat(30), expect.stringMatching(/^a{15}-[0-9a-f]{8}$/)],
  ])('make of the key %j a slug', (key, slug) => {
    expect(slugOf(key)).toEqual(slug);
    expect(slugOf(slugOf(key))).toBe(slugOf(key));
  });

  it('never make one name of two, lead back to both parts, and depend on no other server', () => {
    // `node scripts/run.mjs test/wire/random-names.ts` does the same with 1,000,000 pairs.
    const { collisions, wrong } = tryNames(50_000);
    expect({ collisions, wrong }).toEqual({ collisions: 0, wrong: 0 });
  });

  it('have at most 48 characters, and differ where only their ends differ', () => {
    const [one, two] = ['x', 'y'].map((end) => outsideName('server', 'tools', `${'long_'.repeat(12)}${end}`));
    expect(one).toHaveLength(48);
    expect(one).not.toBe(two);
  });
});
