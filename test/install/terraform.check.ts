import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scenarioOf } from '../behavior/examples/scenarios.js';
import { run, unreachableRegistry } from './project.js';

/** HashiCorp's own parser of HCL, compiled to WebAssembly. */
const PARSER = '@cdktf/hcl2json@0.21.0';
const PROGRAM = `import { parse } from '@cdktf/hcl2json';
import { readFileSync } from 'node:fs';
console.log(JSON.stringify(await parse('main.tf', readFileSync('main.tf', 'utf8'))));
`;

const [step] = scenarioOf('docs/guides/deploy-with-other-tools.md', 'terraform');
const recipe = step !== undefined && 'text' in step ? step.text : '';
const unreachable = await unreachableRegistry();
if (unreachable !== undefined)
  console.log(`Skipped: the parser of HCL comes from the npm registry, but ${unreachable}.`);

describe.skipIf(unreachable !== undefined)('the recipe for Terraform', () => {
  const folder = mkdtempSync(join(tmpdir(), 'terraform-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{}');
    writeFileSync(join(folder, 'parse.mjs'), PROGRAM);
    await run(['npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', PARSER], folder);
  });

  async function parse(text: string): Promise<Record<string, Record<string, Record<string, unknown>>>> {
    writeFileSync(join(folder, 'main.tf'), text);
    return JSON.parse(await run([process.execPath, 'parse.mjs'], folder));
  }

  it('is read by the parser of HashiCorp, and names only what it declares', async () => {
    const { resource = {}, data = {}, variable = {}, output = {} } = await parse(recipe);
    const below = (prefix: string, blocks: Record<string, Record<string, unknown>>) =>
      Object.entries(blocks).flatMap(([type, named]) =>
        Object.keys(named).map((name) => `${prefix}${type}.${name}`),
      );
    const declared = [
      ...below('', resource),
      ...below('data.', data),
      ...Object.keys(variable).map((name) => `var.${name}`),
    ];
    const text = JSON.stringify([resource, data, output]);
    const named = [...text.matchAll(/\b(?:data\.)?(?:aws|archive)_\w+\.\w+|\bvar\.\w+/g)].map(
      ([name]) => name,
    );
    expect(new Set(named)).toEqual(new Set(declared.filter((name) => named.includes(name))));
    expect(named.length).toBeGreaterThan(10);
    expect(Object.keys(resource)).toContain('aws_lambda_function');
  });

  it('would be refused with a missing brace', async () => {
    await expect(parse(recipe.replace('}', ''))).rejects.toThrow('Unclosed configuration block');
  });
});
