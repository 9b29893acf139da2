import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const GUIDES = 'docs/guides';
/** A person reads this in three minutes. What is longer is reference, and belongs into `docs/reference`. */
const MAX_WORDS = 700;

it.each(
  readdirSync(GUIDES, { recursive: true, encoding: 'utf8' }).filter((name) => /^[^/]+\.md$/.test(name)),
)('the guide %s has fewer than 700 words outside of its code', (name) => {
  const prose = readFileSync(join(GUIDES, name), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  const words = prose.split(/\s+/).filter((word) => word !== '');
  expect(words.length).toBeGreaterThan(100);
  expect(words.length).toBeLessThan(MAX_WORDS);
});
