import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read } from '../../src/core/wire/messages.js';
import { createVariant } from './project.js';

interface Control {
  readonly control: string;
  readonly type: string;
  readonly named?: string;
  readonly at: readonly string[];
  readonly is?: unknown;
  readonly not?: Readonly<Record<string, string>>;
}
type Resources = Readonly<Record<string, { readonly Type: string }>>;

const CONTROLS: readonly Control[] = parse(readFileSync('test/deploy/controls.yaml', 'utf8'));
const VARIANTS = ['http', 'jwt', 'rest', 'function-url', 'http,tasks'];

/** Returns the resources that do not have what a control says; a sentence if it is about none. */
function lacking(resources: Resources, { type, named = '', at, is }: Control): readonly string[] {
  const found = Object.entries(resources).filter(
    ([name, each]) => each.Type === type && new RegExp(named).test(name),
  );
  if (found.length === 0) return [`no resource of ${type}`];
  const wrong = found.filter(([, each]) => {
    const value = read(each, ...at);
    return is === undefined ? value === undefined : !isDeepStrictEqual(value, is);
  });
  return wrong.map(([name, each]) => `${name}: ${JSON.stringify(read(each, ...at))}`);
}

function check(variant: string, resourcesOf: () => Resources): void {
  it.each(CONTROLS.filter(({ not = {} }) => !(variant in not)))('$control', (control) => {
    expect(lacking(resourcesOf(), control)).toEqual([]);
  });
}

describe.each(VARIANTS)('the variant %s', (variant) => {
  let template: { readonly Resources: Resources; readonly Outputs?: unknown };
  let tags: unknown;
  beforeAll(async () => {
    const { folder } = createVariant(variant);
    const osls = resolve('node_modules/serverless/bin/serverless.js');
    const jwt = ['--param=issuer=https://login.example/', '--param=audience=https://mcp.example/mcp'];
    const args = [osls, 'package', ...(variant === 'jwt' ? jwt : [])];
    await promisify(execFile)(process.execPath, args, { cwd: folder }).catch(({ stdout, stderr }) => {
      throw new Error(`${stdout}${stderr}`);
    });
    const file = join(folder, '.serverless/cloudformation-template-update-stack.json');
    template = JSON.parse(readFileSync(file, 'utf8'));
    const state = join(folder, '.serverless/serverless-state.json');
    if (existsSync(state))
      tags = read(JSON.parse(readFileSync(state, 'utf8')), 'service', 'provider', 'stackTags');
  });

  check(variant, () => template.Resources);

  it('has tags that say whose it is', () => {
    expect(tags).toEqual({ service: 'mcp-concerns', stage: 'dev' });
  });
});

describe('the template for SAM', () => {
  const page = readFileSync('docs/guides/deploy-with-other-tools.md', 'utf8');
  const text = /^```yaml sam template\.yaml\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  const { Resources } = parse(text.replaceAll(/!(Ref|GetAtt|Sub) /g, ''));
  check('sam', () => Resources);
});

it('gives a reason for each variant without a control', () => {
  for (const { not = {} } of CONTROLS)
    for (const [variant, reason] of Object.entries(not)) {
      expect([...VARIANTS, 'sam']).toContain(variant);
      expect(reason).not.toBe('');
    }
});
