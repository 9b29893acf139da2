import { describe, expect, it } from 'vitest';
import { FULL_CLIENT_CAPABILITIES } from '../../src/cli/inputs/generated/client-capabilities.js';
import { readPreferences } from '../../src/cli/options/preferences.js';
import { originsOf } from '../../src/cli/reports/configuration-origins.js';
import { explainPrimitive } from '../../src/cli/reports/explanation.js';
import { explanationToText, ruleTree } from '../../src/cli/reports/explanation-text.js';
import type { ExplainedPart } from '../../src/core/analysis/explain-rule.js';
import type { Primitive } from '../../src/core/engine/mapping.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { policyOf } from '../gate/gate-harness.js';
import { run } from './run.js';
import { EVERYTHING, PLAYWRIGHT, shown } from './shown.js';

const RULES = ['--policy', 'test/cli/fixtures/rules.yaml'] as const;
const CATALOG = ['--catalog', 'test/cli/fixtures/small.catalog.json'] as const;
const VAULT = ['--policy', 'policies/vault.yaml'] as const;

describe.concurrent('explain', () => {
  it.for([
    ['concern', ['browser_click', '--policy', 'policies/playwright.yaml', '--concern', 'effect=read-only']],
    ['rule', ['late', ...RULES, ...CATALOG, '--concern', 'environment=production']],
    ['claim', ['alpha', ...RULES, '--claim', 'custom:tier=platinum']],
    ['kinds', ['alpha', ...RULES, ...CATALOG, '--claim', 'custom:tier=pro']],
    ['preset', ['deleteKey', ...VAULT, '--concern', 'preset=safe', '--concern', 'environment=production']],
    ['covered', ['vault://records/7', ...VAULT]],
  ] as const)('explains a %s', async ([name, args], { expect }) => {
    await expect(await shown('explain', ...args)).toMatchFileSnapshot(`snapshots/explain-${name}.txt`);
  });

  it('takes the policy first, or as --policy', async () => {
    const { stdout, code } = await run('explain', 'policies/vault.yaml', 'deleteKey');
    expect(code).toBe(0);
    expect(stdout).toContain('Tool deleteKey is ');
    expect((await run('explain', 'deleteKey', ...VAULT)).stdout).toBe(stdout);
    expect((await run('explain', 'deleteKey', 'policies/vault.yaml')).stderr).toContain(
      'There is no policy "deleteKey".',
    );
  });

  it('explains a tool of a real server, with its line in the policy', async () => {
    const args = ['--policy', 'policies/playwright.yaml', '--concern', 'effect=read-only'];
    const { code, stdout, stderr } = await run('explain', 'browser_type', ...args, '--', ...PLAYWRIGHT);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Tool browser_type is hidden: its effect is changes, but at most read-only is in effect/,
    );
    expect(stdout).toMatch(/has {8}changes {12}policies\/playwright\.yaml:\d+$/m);
  });

  it('explains a resource that a server lists', async () => {
    const uri = 'demo://resource/static/document/features.md';
    const { code, stdout } = await run(
      'explain',
      uri,
      '--policy',
      'policies/everything.yaml',
      '--',
      ...EVERYTHING,
    );
    expect(code).toBe(0);
    expect(stdout).toContain(`Resource ${uri} is shown: no preferences were given.`);
  });

  it('prints everything as JSON for scripts', async () => {
    const args = [...RULES, ...CATALOG, '--concern', 'environment=production', '--format', 'json'];
    const { stdout } = await run('explain', 'late', ...args);
    const { primitives } = JSON.parse(stdout);
    expect(primitives).toHaveLength(1);
    expect(primitives[0]).toMatchObject({
      kind: 'tools',
      shown: false,
      reason: { code: 'rule', rule: 'nothing-late' },
      change: { environment: 'development' },
      rules: [{ fires: true, expression: { value: true, parts: [{ value: true }, { value: true }] } }],
    });
    // The server itself declares this value.
    expect(primitives[0].concerns[1]).toMatchObject({ actual: [7], source: '_meta.concerns' });
  });

  it.each([
    [['deletKey', ...VAULT], 'The policy has no "deletKey". Did you mean "deleteKey"?'],
    [['log', ...VAULT], 'The policy has no "log". Did you mean "logData", "readLog" or "clearLog"?'],
    [
      ['zzzzzz', ...VAULT],
      'The policy has no "zzzzzz". Pass an input (--catalog, --url or a command) to explain unmapped primitives.',
    ],
    [['betta', ...RULES, ...CATALOG], 'The input has no "betta". Did you mean "beta"?'],
    [
      ['constructor', ...RULES, ...CATALOG],
      'The input has no "constructor". Run "mcp-concerns list" to see its names.',
    ],
    [VAULT, `Missing required argument 'name'. See`],
    [['a', 'b', ...VAULT], 'There is no policy "a".'],
    [['a'], 'There is no policy. Pass --policy PATH'],
    [
      ['alpha', ...RULES, '--claim', 'tier'],
      '"tier" is not a valid claim. Pass --claim NAME=VALUE, for example --claim tier=pro.',
    ],
    [
      ['alpha', ...RULES, '--claim', 'a=1', '--claim', 'a=2'],
      'a is given twice, but it takes one value. Remove one.',
    ],
    [['alpha', ...RULES, '--claim', 'custom:tier=pro', '--concern', 'tier=pro'], 'tier is given twice'],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('explain', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
  });
});

describe('the text of an explanation', () => {
  const policy = loadPolicy('policies/playwright.yaml');
  const values = { concern: ['preset=form-filling', 'touches=network'] };
  const resolved = readPreferences(policy, values, FULL_CLIENT_CAPABILITIES);
  const origins = originsOf(['policies/playwright.yaml'], values, resolved);
  const of = (primitive: Primitive, width: number) =>
    explanationToText(policy, explainPrimitive(policy, 'tools', primitive, { ...resolved, origins }), {
      width,
      paint: (_style, text) => text,
    });

  it.each([80, 140])('fits %i columns', async (width) => {
    const text = of({ name: 'browser_evaluate' }, width);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(width);
    await expect(text).toMatchFileSnapshot(`snapshots/explain-${width}-columns.txt`);
  });

  it('tells what a model can do by itself', () => {
    const free =
      policyOf(`concerns: { size: { values: [small, large], match: at-most, model: free, default: small } }
settings: { defaults: always }
primitives: { tools: { big: { size: large } } }`);
    const asked = readPreferences(free, {}, FULL_CLIENT_CAPABILITIES);
    const explained = explainPrimitive(free, 'tools', { name: 'big' }, { ...asked, origins: new Map() });
    const text = explanationToText(free, explained, { width: 200, paint: (_style, each) => each });
    expect(text).toContain(
      'To show it, request size=large instead of small. A model can do that, or show only this tool, with the tool "concerns" (model: free).',
    );
  });

  it('escapes control characters in names', () => {
    expect(of({ name: 'a\u001b[2Jb' }, 80)).toContain('Tool a\\u001b[2Jb is');
  });
});

it('formats a rule as a tree of its parts', () => {
  const part = (logic: unknown, value: unknown, ...parts: ExplainedPart[]) => ({ logic, value, parts });
  const hint = { var: 'primitive.annotations.readOnlyHint' };
  const tags = { some: [{ var: 'primitive.tags' }, { '===': [{ var: '' }, 'late'] }] };
  const tree = ruleTree(
    part(
      { or: [{ '!': hint }, tags, { in: [{ var: 'concerns.topic' }, ['maps', 'code']] }] },
      true,
      part({ '!': hint }, true, part(hint, null)),
      part(tags, false, part({ var: 'primitive.tags' }, ['early'])),
      part(
        { in: [{ var: 'concerns.topic' }, ['maps', 'code']] },
        false,
        part({ var: 'concerns.topic' }, null),
      ),
    ),
  );
  expect(tree.map(({ text, value, depth }) => `${'  '.repeat(depth)}${text} -> ${value}`)).toEqual([
    'or -> true',
    '  not -> true',
    '    primitive.annotations.readOnlyHint -> not set',
    '  some of primitive.tags: item is "late" -> false',
    '    primitive.tags -> ["early"]',
    '  concerns.topic is in ["maps","code"] -> false',
    '    concerns.topic -> not set',
  ]);
});
