import { describe, expect, it } from 'vitest';
import {
  coverageOf,
  percentageOf,
  readPolicy,
  readPolicyText,
  runTestFile,
} from '../../src/core/policy/index.js';
import { policyOf, write, yaml } from './author.js';

const POLICY = yaml`
  version: 1
  concerns: { level: { values: [low, high] } }
  primitives: { tools: { log: { level: low }, encrypt: { level: high } } }
`;
const catalog = { tools: [{ name: 'log' }, { name: 'encrypt' }] };

function run(tests: string) {
  const text = `policy: policy.yaml\ncatalog: catalog.json\ntests: [${tests}]\n`;
  return runTestFile(readPolicyText(text, 'policy.test.yaml'), policyOf(POLICY), catalog);
}

describe('runTestFile', () => {
  it('passes if every test finds what it expects', () => {
    const { findings, results, passed } = run(
      '{ name: low, concerns: { level: low }, tools: { only: [log] } }',
    );
    expect([findings, results.length, passed]).toEqual([[], 1, true]);
  });

  it('fails with the wrong primitives and counts', () => {
    const { findings, results, passed } = run(
      '{ name: low, concerns: { level: low }, tools: { includes: [encrypt], count: 2 } }',
    );
    expect([findings, passed]).toEqual([[], false]);
    expect(results[0]?.wrong).toMatchObject([{ kind: 'tools', name: 'encrypt', expected: 'shown' }]);
    expect(results[0]?.counts).toEqual([{ kind: 'tools', expected: 2, actual: 1 }]);
  });

  it('does not run tests of a file with errors, and reports them in the order of the file', () => {
    const { findings, results, passed } = run(
      '{ name: low, concerns: { level: lo }, tools: { count: -1 } }, { tools: { count: 2 } }',
    );
    expect(findings.map(({ column, code }) => `${column} ${code}`)).toEqual([
      '41 unknown-value',
      '63 out-of-range',
      '71 missing-key',
    ]);
    expect([results, passed]).toEqual([[], false]);
  });

  it('does not run tests of a file that is not valid YAML', () => {
    const source = readPolicyText('tests: [', 'policy.test.yaml');
    const { findings, results, passed } = runTestFile(source, policyOf(POLICY), catalog);
    expect(findings[0]?.code).toBe('bad-yaml');
    expect([results, passed]).toEqual([[], false]);
  });

  it('runs tests of a file that has only warnings', () => {
    const { findings, passed } = run('{ name: claims, claims: { tier: pro }, tools: { count: 2 } }');
    expect(findings.map(({ code }) => code)).toEqual(['unread-claim']);
    expect(passed).toBe(true);
  });

  it('returns a run that coverageOf accepts', () => {
    const { compiled } = readPolicy(write({ 'policy.yaml': POLICY }));
    if (compiled === undefined) throw new Error('The policy of this test has errors.');
    const parts = coverageOf(compiled, policyOf(POLICY), [
      run('{ name: low, concerns: { level: low }, tools: { only: [log] } }'),
    ]);
    expect(parts.find(({ name }) => name === 'level=low')?.exercised).toBe(true);
    expect(percentageOf(parts)).toBeLessThan(100);
  });
});
