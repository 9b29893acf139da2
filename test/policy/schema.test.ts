import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { generatedFiles } from '../../scripts/generate/files.js';
import { policySchema } from '../../src/core/policy/index.js';
import { testFileSchema } from '../../src/core/policy/testing/test-schema.js';

const folder = join(import.meta.dirname, '../../policies');
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });

interface Key {
  readonly path: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Every key that a file can have, with its part of the schema. */
function keysOf(schema: unknown, path = ''): Key[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, additionalProperties, items } = schema as Record<string, object | undefined>;
  return [
    ...Object.entries(properties).flatMap(([name, each]) => [
      { path: `${path}/${name}`, schema: each as Key['schema'] },
      ...keysOf(each, `${path}/${name}`),
    ]),
    ...keysOf(additionalProperties, `${path}/*`),
    ...keysOf(items, `${path}[]`),
  ];
}

const keys = keysOf(policySchema);
const testKeys = keysOf(testFileSchema);

it('has up-to-date generated files (npm run generate)', async () => {
  for (const [file, text] of await generatedFiles()) {
    expect(readFileSync(join(folder, '..', file), 'utf8') === text, file).toBe(true);
  }
});

it('finds the keys of all sections', () => {
  expect(keys.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      '/version',
      '/concerns/*/set-by',
      '/primitives/tools',
      '/assign[]/when',
      '/rules[]/reason',
      '/settings/page-size',
    ]),
  );
  expect(testKeys.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/policy', '/tests[]/client/capabilities', '/tests[]/resources/only']),
  );
});

describe('the schema lets editors explain and complete', () => {
  it.each([...keys, ...testKeys])('$path', ({ schema }) => {
    const { description, examples } = schema;
    expect(description).toMatch(/^\S.{9,}\.$/);
    expect(Array.isArray(examples) ? examples.length : 0).toBeGreaterThan(0);
    const validate = ajv.compile({ ...schema, examples: [] });
    for (const example of examples as unknown[]) {
      expect(validate(example), ajv.errorsText(validate.errors)).toBe(true);
    }
  });
});

it.each(readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml')))(
  '%s fits the generated schema and names it for editors',
  (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const validate = ajv.compile(JSON.parse(readFileSync(join(folder, 'schema.json'), 'utf8')));
    expect(validate(parse(text)), ajv.errorsText(validate.errors)).toBe(true);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/schema\.json\n/);
  },
);

it.each(readdirSync(folder).filter((name) => name.endsWith('.test.yaml')))(
  '%s fits the schema of test files and names it for editors',
  (name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    const validate = ajv.compile(testFileSchema);
    expect(validate(parse(text)), ajv.errorsText(validate.errors)).toBe(true);
    expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/test\.schema\.json\n/);
  },
);

it('fits the example in the documentation of policy tests', () => {
  const text = readFileSync(join(folder, '../docs/reference/policy-tests.md'), 'utf8');
  const [, example = ''] = /^```yaml tests\n([\s\S]*?)^```$/m.exec(text) ?? [];
  expect(example).toMatch(/^# yaml-language-server: \$schema=/);
  const validate = ajv.compile(testFileSchema);
  expect(validate(parse(example)), ajv.errorsText(validate.errors)).toBe(true);
});

it('rejects wrong keys and types in test files', () => {
  const validate = ajv.compile(testFileSchema);
  const one = { name: 'a', tools: { count: 1 } };
  const good = { policy: 'a.yaml', catalog: 'a.json', tests: [one] };
  expect(validate(good)).toBe(true);
  const { catalog: _, ...rest } = good;
  expect(validate({ ...rest, server: 'node x.js' })).toBe(true);
  for (const wrong of [
    rest,
    { ...good, server: 'node x.js' },
    { ...good, test: [] },
    { ...good, tests: [] },
    { ...good, tests: [{ tools: { count: 1 } }] },
    { ...good, tests: [{ name: 'a' }] },
    { ...good, tests: [{ ...one, tools: {} }] },
    { ...good, tests: [{ ...one, tools: { count: -1 } }] },
    { ...good, tests: [{ ...one, tools: { onyl: [] } }] },
    { ...good, tests: [{ ...one, client: { sampling: {} } }] },
  ]) {
    expect(validate(wrong), JSON.stringify(wrong)).toBe(false);
  }
});

it('rejects wrong keys and types in policies at each depth', () => {
  const validate = ajv.compile(policySchema);
  const good = { version: 1, concerns: { cost: { values: ['low'] } }, rules: [{ id: 'a', when: true }] };
  expect(validate(good)).toBe(true);
  for (const wrong of [
    { ...good, rule: [] },
    { ...good, version: 2 },
    { ...good, concerns: { cost: { values: ['low'], vlaues: [] } } },
    { ...good, rules: [{ id: 'a', when: true, hides: ['tools'] }] },
    { ...good, rules: [{ id: 'a', when: true, hide: ['tool'] }] },
    { ...good, assign: [{ when: true }] },
    { ...good, settings: { 'page-size': 0 } },
    { ...good, settings: { 'page-size': 1.5 } },
  ]) {
    expect(validate(wrong), JSON.stringify(wrong)).toBe(false);
  }
});
