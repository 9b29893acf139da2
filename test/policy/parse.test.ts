import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PolicyCatalog, readPolicy } from '../../src/core/policy/index.js';
import { parsePolicy } from '../../src/core/policy/parse.js';

const policies = readdirSync('policies')
  .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
  .map((name) => `policies/${name}`);
const textsOf = (files: readonly string[]) =>
  new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const catalogOf = (file: string): PolicyCatalog | undefined => {
  const path = file.replace(/\.yaml$/, '.catalog.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
};

describe('parsePolicy', () => {
  it.each(policies)('gives the same bytes and findings as readPolicy: %s', (file) => {
    const catalog = catalogOf(file);
    const fromFiles = readPolicy(file, catalog);
    const texts = textsOf([...fromFiles.texts.keys()]);
    const parsed = parsePolicy(texts, catalog);
    expect(JSON.stringify(parsed.compiled)).toBe(JSON.stringify(fromFiles.compiled));
    expect(parsed.findings).toEqual(fromFiles.findings);
  });

  it('finds included files by their paths', () => {
    const texts = new Map([
      ['team/policy.yaml', 'version: 1\ninclude: [../common.yaml]\npresets: { safe: { risk: low } }\n'],
      ['common.yaml', 'version: 1\nconcerns: { risk: { values: [low, high] } }\n'],
    ]);
    const { compiled, findings } = parsePolicy(texts);
    expect(findings).toEqual([]);
    expect(compiled?.files).toEqual(['common.yaml', 'team/policy.yaml']);
  });

  it('reports an include that is not among the texts, and one that includes itself', () => {
    const missing = parsePolicy(new Map([['a.yaml', 'version: 1\ninclude: [b.yaml]\n']]));
    expect(missing.findings).toMatchObject([{ code: 'include-unreadable', line: 2 }]);
    expect(missing.compiled).toBeUndefined();
    const cycle = parsePolicy(
      new Map([
        ['a.yaml', 'version: 1\ninclude: [./b.yaml]\n'],
        ['b.yaml', 'version: 1\ninclude: [a.yaml]\n'],
      ]),
    );
    expect(cycle.findings).toMatchObject([{ code: 'include-cycle', file: 'b.yaml' }]);
  });

  it('resolves every include as Node.js resolves paths', () => {
    const step = fc.constantFrom('a', 'b.yaml', '..', '.', '');
    const path = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => `${steps.join('/')}/end.yaml`);
    fc.assert(
      fc.property(path, path, (file, name) => {
        const from = posix.normalize(file);
        const target = posix.normalize(posix.join(posix.dirname(from), name));
        fc.pre(from !== target);
        const texts = new Map([
          [file, `version: 1\ninclude: ["${name}"]\n`],
          [target, 'version: 1\n'],
        ]);
        expect(parsePolicy(texts).compiled?.files).toEqual([target, from]);
      }),
    );
  });

  it('never throws, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { compiled, findings } = parsePolicy(new Map([['policy.yaml', text]]));
        expect(compiled === undefined).toBe(findings.some(({ severity }) => severity === 'error'));
      }),
      { numRuns: 30 },
    );
  });

  it('runs where only the globals of every browser exist', async () => {
    const { outputFiles } = await build({
      entryPoints: ['src/core/policy/parse.ts'],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'policy',
    });
    const context = createContext({
      TextEncoder,
      structuredClone,
      text: readFileSync('policies/vault.yaml', 'utf8'),
    });
    runInContext(outputFiles[0]?.text ?? '', context);
    const digest = runInContext(
      'policy.parsePolicy(new Map([["policies/vault.yaml", text]])).compiled.digest',
      context,
    );
    expect(digest).toBe(readPolicy('policies/vault.yaml').compiled?.digest);
  });
});
