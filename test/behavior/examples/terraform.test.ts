import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { scenarioOf } from './scenarios.js';

const [step] = scenarioOf('docs/guides/deploy-with-other-tools.md', 'terraform');
const recipe = step !== undefined && 'text' in step ? step.text : '';
// Without a file of settings, which the machine may name but not have.
const env = { PATH: process.env.PATH, HOME: '/nonexistent', TF_CLI_CONFIG_FILE: '/dev/null' };
const format = (text: string) => spawnSync('terraform', ['fmt', '-'], { input: text, encoding: 'utf8', env });
const isMissing = spawnSync('terraform', ['version'], { env }).error !== undefined;

it.skipIf(isMissing)(
  `the recipe for Terraform is valid HCL, formatted as Terraform formats it${isMissing ? ' (skipped: terraform is not installed)' : ''}`,
  () => {
    const { status, stdout } = format(recipe);
    expect([status, stdout]).toEqual([0, recipe]);
    expect(format(recipe.replace('}', '')).status).not.toBe(0);
  },
);

it('the recipe for Terraform has the function that bundle makes, its table and the rights to read it', () => {
  const resources = [...recipe.matchAll(/^resource "(\w+)" "(\w+)"/gm)].map(
    ([, type, name]) => `${type}.${name}`,
  );
  const named = [...recipe.matchAll(/\b(aws_\w+\.\w+)\.\w+/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !resources.includes(name))).toEqual([]);
  for (const line of [
    'source_dir  = "build/lambda"',
    'handler          = "index.handler"',
    'hash_key     = "id"',
    'attribute_name = "expiresAt"',
    '["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:PutItem"]',
    'MCP_CONCERNS_RESPONSE = "stream"',
    'invoke_mode        = "RESPONSE_STREAM"',
  ]) {
    expect(recipe).toContain(line);
  }
});
