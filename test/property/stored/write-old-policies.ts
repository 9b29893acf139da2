import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { preparePolicy } from '../../../src/core/engine/index.js';
import { readPolicy } from '../../../src/core/policy/index.js';
import { decisionsOf, type StoredCase, type StoredRequest } from './stored-case.js';

/**
 * Writes `old-policies.jsonl`: random policies of the language as it was before `match: within`, with the decisions of
 * the engine of that time. The file is never written again, because it is what later engines are compared with.
 */

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Document = { readonly [key: string]: Json };

const CATALOGS = [
  {
    tools: [
      { name: 'read_file', title: 'Read', annotations: { readOnlyHint: true, openWorldHint: false } },
      { name: 'write_file', annotations: { readOnlyHint: false, destructiveHint: true }, tags: ['beta'] },
      {
        name: 'delete_file',
        annotations: { destructiveHint: true, price: 40 },
        _meta: { tags: ['beta', 'ops'] },
      },
      { name: 'list_files', _meta: { concerns: { c0: 'v1', c1: ['v0', 'v2'] } } },
      { name: 'search', annotations: { price: 5 }, _meta: { concerns: { c2: 20, other: 'x' } } },
      { name: 'plain' },
    ],
    prompts: [{ name: 'read_file' }, { name: 'review', title: 'Review' }],
    resources: [
      { uri: 'vault://keys/1', name: 'k', mimeType: 'text/plain' },
      { uri: 'vault://audit', annotations: { audience: ['user'] } },
      { uri: 'other://x' },
    ],
    resourceTemplates: [
      { uriTemplate: 'vault://keys/{id}', name: 'key' },
      { uriTemplate: 'other://{+path}' },
    ],
  },
  {
    tools: Array.from({ length: 8 }, (_, at) => ({
      name: at % 2 === 0 ? `get_${at}` : `set_${at}`,
      annotations: { readOnlyHint: at % 2 === 0, price: at * 10 },
      ...(at % 3 === 0 ? { tags: ['ops'] } : {}),
      ...(at % 4 === 1 ? { _meta: { concerns: { c0: 'v0' }, tags: ['beta'] } } : {}),
    })),
  },
] as const;

const TOOL_NAMES = [
  'read_file',
  'write_file',
  'delete_file',
  'search',
  'plain',
  'get_0',
  'set_1',
  'get_2',
  'set_3',
];
const KEYS = {
  tools: TOOL_NAMES,
  prompts: ['read_file', 'review'],
  resources: ['vault://keys/1', 'vault://audit', 'other://x'],
  resourceTemplates: ['vault://keys/{id}', 'vault://{+rest}', 'other://{+path}'],
} as const;
const PATTERNS = {
  tools: ['*_file', 'get_*', 's*', '*', '*e*'],
  prompts: ['re*'],
  resources: ['vault://*', '*1'],
  resourceTemplates: ['vault://*'],
} as const;

interface Declared {
  readonly name: string;
  readonly words: readonly string[] | undefined;
  readonly multiple: boolean;
  readonly operator: boolean;
  readonly hasDefault: boolean;
  readonly document: Document;
}

const declared = (name: string): fc.Arbitrary<Declared> =>
  fc
    .record({
      range: fc.nat(3).map((roll) => roll === 0),
      size: fc.integer({ min: 1, max: 4 }),
      match: fc.option(fc.constantFrom('exact', 'at-least', 'at-most')),
      multiple: fc.nat(3).map((roll) => roll === 0),
      hasDefault: fc.boolean(),
      operator: fc.nat(3).map((roll) => roll === 0),
      description: fc.boolean(),
    })
    .map(({ range, size, match, multiple, hasDefault, operator, description }) => {
      const words = range ? undefined : Array.from({ length: size }, (_, at) => `v${at}`);
      const several = multiple && !range;
      const document: Document = {
        ...(description ? { description: `What ${name} is` } : {}),
        values: words ?? { min: 0, max: size * 20 },
        ...(match === null || several ? {} : { match }),
        ...(several ? { multiple: true } : {}),
        ...(hasDefault ? { default: words === undefined ? 20 : 'v0' } : {}),
        ...(operator ? { 'set-by': 'operator', claim: `claim-${name}` } : {}),
      };
      return { name, words, multiple: several, operator, hasDefault, document };
    });

const valueFor = ({ words }: Declared): fc.Arbitrary<string | number> =>
  words === undefined ? fc.constantFrom(0, 5, 10, 20) : fc.constantFrom(...words);

const offered = (concern: Declared): fc.Arbitrary<Json> =>
  fc.oneof(
    { weight: 5, arbitrary: valueFor(concern) },
    { weight: 3, arbitrary: fc.uniqueArray(valueFor(concern), { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constant('any') },
  );

const mapping = (concerns: readonly Declared[]): fc.Arbitrary<Document> =>
  fc.tuple(...concerns.map((concern) => fc.option(offered(concern), { freq: 1 }))).map((values) =>
    Object.fromEntries(
      concerns.flatMap(({ name }, at): [string, Json][] => {
        const value = values[at];
        return value === null || value === undefined ? [] : [[name, value]];
      }),
    ),
  );

const section = (
  names: { readonly [kind: string]: readonly string[] },
  concerns: readonly Declared[],
): fc.Arbitrary<Document> =>
  fc
    .tuple(
      ...Object.entries(names).map(([kind, keys]) =>
        fc
          .subarray([...keys])
          .chain((some) =>
            fc.tuple(...some.map((key) => mapping(concerns).map((each): [string, Json] => [key, each]))),
          )
          .map((entries): [string, Json] => [kind, Object.fromEntries(entries)]),
      ),
    )
    .map((kinds) => Object.fromEntries(kinds));

const ofPrimitive: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  { '===': [{ var: ['primitive.annotations.readOnlyHint', false] }, true] },
  { '===': [{ var: ['primitive.annotations.destructiveHint', true] }, true] },
  { in: ['beta', { var: 'primitive.tags' }] },
  { some: [{ var: 'primitive.tags' }, { '===': [{ var: '' }, 'ops'] }] },
  { '===': [{ var: 'primitive.kind' }, 'tools'] },
  { in: [{ var: 'primitive.name' }, ['search', 'get_2', 'review']] },
  { '!': [{ missing: ['primitive.title'] }] },
  { '===': [{ var: 'primitive.mimeType' }, 'text/plain'] },
  { '<': [{ var: ['primitive.annotations.price', 0] }, 20] },
);

const ofCaller: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  { in: ['staff', { var: 'claims.groups' }] },
  { '===': [{ var: 'claims.org.id' }, 'acme'] },
  { '!!': { var: 'client.capabilities.sampling' } },
  { '!': { var: 'client.capabilities.elicitation.form' } },
);

const ofConcern = (concern: Declared): fc.Arbitrary<Json> => {
  const path = `concerns.${concern.name}`;
  const read: Json = { var: path };
  return valueFor(concern).chain((value) => {
    if (concern.words === undefined) {
      const set: Json = { '!!': read };
      return fc.constantFrom<Json>(
        { and: [set, { '<=': [read, value] }] },
        { and: [set, { '>': [read, value] }] },
      );
    }
    if (concern.multiple) return fc.constantFrom<Json>({ in: [value, read] }, { '!!': read });
    return fc.constantFrom<Json>(
      { '===': [read, value] },
      { in: [read, [value]] },
      { and: [{ '!!': read }, { '!==': [read, value] }] },
      { '!': [{ missing: [path] }] },
    );
  });
};

const condition = (concerns: readonly Declared[]): fc.Arbitrary<Json> => {
  const leaf = fc.oneof(ofPrimitive, ofCaller, ...concerns.map(ofConcern));
  return fc.oneof(
    leaf,
    fc.tuple(leaf, leaf).map((parts): Json => ({ and: parts })),
    fc.tuple(leaf, leaf).map((parts): Json => ({ or: parts })),
    leaf.map((part): Json => ({ '!': [part] })),
    fc.tuple(ofPrimitive, leaf, leaf).map((parts): Json => ({ if: parts })),
  );
};

const policy = (concerns: readonly Declared[]): fc.Arbitrary<Document> =>
  fc
    .record({
      primitives: section(KEYS, concerns),
      patterns: section(PATTERNS, concerns),
      assign: fc.array(fc.record({ when: ofPrimitive, to: mapping(concerns) }), { maxLength: 2 }),
      rules: fc.array(
        fc.record({
          effect: fc.constantFrom('hide', 'hide', 'show'),
          kinds: fc.subarray(['tools', 'prompts', 'resources', 'resourceTemplates'], { minLength: 1 }),
          when: condition(concerns),
        }),
        { maxLength: 3 },
      ),
      preset: mapping(concerns.filter(({ operator }) => !operator)),
      settings: fc.record(
        {
          unmapped: fc.constantFrom('show', 'hide'),
          defaults: fc.constantFrom('aware', 'always', 'never'),
          invalid: fc.constantFrom('error', 'ignore', 'clamp'),
        },
        { requiredKeys: [] },
      ),
    })
    .map(({ rules, preset, ...rest }) => ({
      version: 1,
      concerns: Object.fromEntries(concerns.map(({ name, document }) => [name, document])),
      presets: {
        p0: Object.fromEntries(
          Object.entries(preset).flatMap(([name, value]): [string, Json][] => {
            const several = concerns.find((each) => each.name === name)?.multiple === true;
            const one = Array.isArray(value) && !several ? value[0] : value;
            return one === 'any' || one === undefined ? [] : [[name, one]];
          }),
        ),
      },
      ...rest,
      rules: rules.map(({ effect, kinds, when }, at) => ({ id: `r${at}`, [effect]: kinds, when })),
    }));

const request = (concerns: readonly Declared[]): fc.Arbitrary<StoredRequest> =>
  fc
    .record(
      {
        from: fc.constantFrom('request', 'session', 'header', 'url', 'update', 'capabilities'),
        concerns: fc
          .tuple(
            ...concerns.map((concern) =>
              fc.option(
                fc.oneof(
                  { weight: 6, arbitrary: valueFor(concern) },
                  { weight: 2, arbitrary: fc.uniqueArray(valueFor(concern), { minLength: 1, maxLength: 2 }) },
                  { weight: 1, arbitrary: fc.constantFrom<Json>(null, 'v9', 999, -3, '20') },
                ),
                { freq: 2 },
              ),
            ),
            fc.option(fc.constantFrom('p0', 'p0', 'p9'), { freq: 1 }),
          )
          .map((values) => {
            const preset = values.at(-1);
            return Object.fromEntries([
              ...concerns.flatMap(({ name }, at): [string, Json][] => {
                const value = values[at];
                return value === null || value === undefined ? [] : [[name, value]];
              }),
              ...(typeof preset === 'string' ? [['preset', preset]] : []),
            ]);
          }),
        claims: fc.record(
          {
            'claim-c0': fc.constantFrom<Json>('v0', 'v1', 10, '20', ['v0', 'v1'], 'nope'),
            'claim-c1': fc.constantFrom<Json>('v0', 'v2', 5),
            groups: fc.constantFrom<Json>(['staff'], ['guest', 'staff'], 'staff'),
            org: fc.constantFrom<Json>({ id: 'acme' }, { id: 'other' }, 'acme'),
          },
          { requiredKeys: [] },
        ),
        capabilities: fc.constantFrom<Json>(
          {},
          { sampling: {} },
          { sampling: {}, elicitation: { form: {} } },
        ),
        forgotten: fc.constant(true),
      },
      { requiredKeys: ['from', 'concerns'] },
    )
    .map(({ forgotten, claims, capabilities, ...rest }) => ({
      ...rest,
      ...(claims === undefined || Object.keys(claims).length === 0 ? {} : { claims }),
      ...(capabilities === undefined ? {} : { capabilities }),
      ...(forgotten === undefined ? {} : { forgotten }),
    }));

const world = fc
  .integer({ min: 1, max: 4 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => declared(`c${at}`))))
  .chain((concerns) =>
    fc.record({
      catalog: fc.nat(CATALOGS.length - 1),
      policy: policy(concerns),
      requests: fc.array(request(concerns), { minLength: 10, maxLength: 10 }),
    }),
  );

const folder = mkdtempSync(join(tmpdir(), 'stored-'));
const file = join(folder, 'policy.yaml');
const cases: StoredCase[] = [];
let rejected = 0;
for (const { policy: document, catalog, requests } of fc.sample(world, { seed: 20260728, numRuns: 400 })) {
  if (cases.length === 110) break;
  writeFileSync(file, JSON.stringify(document));
  const { compiled } = readPolicy(file);
  if (compiled === undefined) {
    rejected++;
    continue;
  }
  const prepared = preparePolicy(compiled);
  const decisions = requests.map((each) => decisionsOf(prepared, CATALOGS[catalog] ?? {}, each));
  cases.push({ catalog, policy: document, requests, decisions });
}
rmSync(folder, { recursive: true });
const lines = [CATALOGS, ...cases].map((each) => `${JSON.stringify(each)}\n`);
writeFileSync(join(import.meta.dirname, 'old-policies.jsonl'), lines.join(''));
console.log(`${cases.length} policies, ${rejected} rejected by the check`);
