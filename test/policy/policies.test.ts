import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { formatFindings, openCompiledPolicy, readPolicy } from '../../src/core/policy/index.js';

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

  it.each(files)('%s decides the same for callers without claims: no rule of it is closed', (name) => {
    const { compiled } = readPolicy(join(folder, name));
    if (compiled === undefined) throw new Error(`${name} has errors.`);
    const { rules, concerns } = preparePolicy(compiled);
    const closed = rules.filter(({ when }) => JSON.stringify(when).includes('"type":"closed"'));
    expect(closed.map(({ id }) => id)).toEqual([]);
    expect(concerns.filter(({ setBy }) => setBy === 'operator')).toEqual([]);
  });
});
