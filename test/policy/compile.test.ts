import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bindCatalog, KINDS, resolveConfiguration, select } from '../../src/core/engine/index.js';
import {
  CompiledPolicyError,
  compileToJson,
  loadPolicy,
  openCompiledPolicy,
  PolicyError,
  readPolicy,
} from '../../src/core/policy/index.js';
import { reportOf, write, yaml } from './author.js';

const TEXT = yaml`
  version: 1
  concerns:
    security: { values: [low, medium, high], match: at-least, default: low }
    price: { values: { min: 0, max: 500 } }
    topic: { values: [charts, maps], multiple: true }
    tier: { values: [free, pro], match: at-most, set-by: operator, claim: "custom:tier", description: Who pays }
  presets:
    safe: { security: high, topic: [maps], price: null }
  patterns:
    tools: { "log*": { security: [low, medium], price: 2.5 } }
    resources: { "vault://*": { tier: pro } }
  primitives:
    tools:
      __proto__: { security: high }
      logData: { price: any }
      plot: { topic: [charts, maps] }
    resourceTemplates: { "vault://keys/{id}": { security: high } }
  settings: { defaults: always }
`;

function compile(folder: string) {
  const { compiled } = readPolicy(folder);
  if (compiled === undefined) throw new Error('The policy of this test has errors.');
  return compiled;
}

describe('a compiled policy', () => {
  it('contains everything that the files define, as plain JSON', () => {
    const { compiled } = reportOf({
      'policy.yaml': yaml`
        version: 1
        concerns:
          security: { values: [low, high] }
          price: { values: { min: 0, max: 5 }, description: In cents }
          tier: { values: [free], set-by: operator, claim: tier, default: free }
        primitives:
          tools:
            log:
              security: [low, high]
              price: any
        patterns: { tools: { "*": { security: low } } }
      `,
    });
    expect(compiled).toEqual({
      format: 2,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      files: [expect.stringMatching(/policy\.yaml$/)],
      concerns: [
        { name: 'security', values: ['low', 'high'], match: 'exact', multiple: false, setBy: 'host' },
        {
          name: 'price',
          description: 'In cents',
          values: { min: 0, max: 5 },
          match: 'at-most',
          multiple: false,
          setBy: 'host',
        },
        {
          name: 'tier',
          values: ['free'],
          match: 'exact',
          multiple: false,
          default: 'free',
          setBy: 'operator',
          claim: 'tier',
        },
      ],
      presets: {},
      primitives: {
        tools: [
          {
            name: 'log',
            file: 0,
            line: 8,
            values: { security: { is: ['low', 'high'], line: 9 }, price: { is: 'any', line: 10 } },
          },
        ],
        prompts: [],
        resources: [],
        resourceTemplates: [],
      },
      patterns: {
        tools: [{ name: '*', file: 0, line: 11, values: { security: { is: ['low'], line: 11 } } }],
        prompts: [],
        resources: [],
        resourceTemplates: [],
      },
      assign: [],
      rules: [],
      settings: {
        unmapped: 'show',
        defaults: 'aware',
        invalid: 'error',
        enforcement: 'advisory',
        transparency: false,
      },
    });
    expect(JSON.parse(JSON.stringify(compiled))).toEqual(compiled);
  });

  it('has the same bytes for the same files', () => {
    const folder = write({ 'a.yaml': TEXT });
    expect(JSON.stringify(compile(folder))).toBe(JSON.stringify(compile(folder)));
    expect(compileToJson(folder)).toBe(JSON.stringify(compile(folder)));
  });

  it('is not written if the policy has errors', () => {
    const folder = write({ 'a.yaml': 'version: 2\n' });
    expect(() => compileToJson(folder)).toThrow(PolicyError);
  });

  it('has a different digest for each change of its meaning', () => {
    const folder = write({ 'a.yaml': TEXT });
    const digestOf = (text: string) => {
      writeFileSync(join(folder, 'a.yaml'), text);
      return compile(folder).digest;
    };
    const changed = [
      TEXT.replace('at-least', 'at-most'),
      TEXT.replace('low, medium, high', 'medium, low, high'),
      TEXT.replace('max: 500', 'max: 501'),
      TEXT.replace('"log*"', '"logs*"'),
      TEXT.replace('always', 'never'),
      TEXT.replace('price: null', 'price: 1'),
    ];
    const digest = digestOf(TEXT);
    expect(new Set([digest, ...changed.map(digestOf)]).size).toBe(changed.length + 1);
    expect(digestOf(TEXT)).toBe(digest);
  });

  it('selects the same primitives as the files after a round trip through JSON', () => {
    const folder = write({ 'a.yaml': TEXT });
    const loaded = loadPolicy(folder);
    const opened = openCompiledPolicy(JSON.parse(JSON.stringify(compile(folder))));
    expect(opened.digest).toBe(loaded.digest);
    const items = ['__proto__', 'logData', 'logFree', 'plot', 'help', 'vault://audit', 'vault://keys/7'].map(
      (name) => ({ name, uri: name, uriTemplate: name }),
    );
    const hosts = [
      {},
      { preset: 'safe' },
      { security: 'high', price: 2 },
      { topic: 'maps' },
      { security: null },
      { price: 0 },
    ];
    const claims = new Map([['custom:tier', 'free']]);
    for (const kind of KINDS) {
      for (const concerns of hosts) {
        const [fromFiles, fromJson] = [loaded, opened].map((policy) => {
          const configuration = resolveConfiguration(policy, [{ from: 'request', concerns }], { claims });
          return select(bindCatalog(policy, kind, items), configuration).kept;
        });
        expect(fromJson).toEqual(fromFiles);
      }
    }
  });
});

describe('data that cannot be opened as a compiled policy', () => {
  const whole = () => ({ ...compile(write({ 'a.yaml': TEXT })) });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'version: 1'],
    ['a number', 1],
    ['a list', []],
    ['another object', { version: 1 }],
    ['an object with an inherited format', Object.create({ format: 2 })],
  ])('is rejected: %s', (_name, data) => {
    expect(() => openCompiledPolicy(data)).toThrow(CompiledPolicyError);
  });

  it('includes one of the first format, which had the paths of its files in the digest, only if it was changed', () => {
    const text = readFileSync('test/policy/fixtures/compiled-0.2.0.json', 'utf8');
    const before: object = JSON.parse(text);
    expect(openCompiledPolicy(before).concerns.map(({ name }) => name)).toEqual(['effect']);
    for (const changed of [
      { files: ['other.yaml'] },
      { bind: [{ name: 'write(id)', from: 'x' }] },
      { format: 2 },
    ])
      expect(() => openCompiledPolicy({ ...before, ...changed })).toThrow('digest does not match');
  });

  it('is distinguished from a compiled policy of another version, with advice', () => {
    expect(() => openCompiledPolicy({ ...whole(), format: 3 })).toThrow(
      /version 3, .*reads 2\. Update mcp-concerns or compile it again/,
    );
    expect(() => openCompiledPolicy({ ...whole(), format: 0 })).toThrow(
      /version 0, .*reads 2\. Compile it again/,
    );
    expect(() => openCompiledPolicy({ version: 1 })).toThrow('This is not a compiled policy');
    expect(() => openCompiledPolicy({ ...whole(), format: '1' })).toThrow('This is not a compiled policy');
  });

  it.each([
    'digest',
    'files',
    'concerns',
    'presets',
    'primitives',
    'patterns',
    'assign',
    'rules',
    'settings',
  ])('is rejected when it is opened if %s is missing or damaged', (part) => {
    const damaged: Record<string, unknown> = whole();
    delete damaged[part];
    for (const data of [damaged, { ...damaged, [part]: null }, { ...damaged, [part]: {} }]) {
      expect(() => openCompiledPolicy(data)).toThrow(CompiledPolicyError);
    }
  });

  it('is rejected if it was edited after it was compiled', () => {
    const text = JSON.stringify(whole());
    expect(() => openCompiledPolicy(JSON.parse(text))).not.toThrow();
    for (const [from, to] of [
      ['"max":500', '"max":501'],
      ['"high"', '"hihg"'],
      ['"defaults":"always"', '"defaults":"never"'],
      ['"line":10', '"line":11'],
    ] as const) {
      expect(text).toContain(from);
      expect(() => openCompiledPolicy(JSON.parse(text.replace(from, to)))).toThrow(CompiledPolicyError);
    }
  });

  it('causes an error with a code', () => {
    expect(() => openCompiledPolicy(null)).toThrow(
      expect.objectContaining({ code: 'COMPILED_POLICY_INVALID' }),
    );
  });
});
