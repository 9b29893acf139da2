import { describe, expect, it } from 'vitest';
import { joinName, joinUri, slugOf, split } from '../../src/wire/server-names.js';

/** Letters that could make two pairs of names the same. */
const LETTERS = 'a_-1';

/** The same numbers in each run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

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

  it('never make one name of two, and lead back to both parts', () => {
    const random = createRandom(1);
    const word = () => Array.from({ length: 1 + random(6) }, () => LETTERS[random(LETTERS.length)]).join('');
    const pairs = new Map<string, string>();
    for (let count = 0; count < 50_000; count++) {
      const [slug, own] = [slugOf(word()), word()];
      for (const [full, mark] of [
        [joinName(slug, own), '__'],
        [joinUri(slug, own), '+'],
      ] as const) {
        expect(pairs.get(full) ?? `${slug} ${own}`).toBe(`${slug} ${own}`);
        pairs.set(full, `${slug} ${own}`);
        expect(split(full, mark)).toEqual({ slug, own });
      }
    }
  });

  it('have at most 48 characters, and differ where only their ends differ', () => {
    const [one, two] = ['x', 'y'].map((end) => joinName('server', `${'long_'.repeat(12)}${end}`));
    expect(one).toHaveLength(48);
    expect(one).not.toBe(two);
  });
});
