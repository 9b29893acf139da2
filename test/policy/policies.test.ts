import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatFindings, openCompiledPolicy, readPolicy } from '../../src/policy/index.js';

const folder = join(import.meta.dirname, '../../policies');
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'));

describe('the policies in the package', () => {
  it('are found by this test', () => {
    expect(files).toEqual(expect.arrayContaining(['everything.yaml', 'playwright.yaml']));
  });

  it.each(files)('%s has no findings', (name) => {
    const { findings, texts, compiled } = readPolicy(join(folder, name));
    expect(formatFindings(findings, texts)).toBe('');
    expect(openCompiledPolicy(JSON.parse(JSON.stringify(compiled))).concerns.length).toBeGreaterThan(0);
  });
});
