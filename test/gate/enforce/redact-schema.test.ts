import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { redactSchema } from '../../../src/core/gate/enforce/redact-schema.js';
import { Random } from '../../fuzz/random.js';
import { growth, LINEAR } from '../../growth.js';

const REDACTION = {
  redact: (text: string) => text.replace(/secret_\w+/g, '[hidden]'),
  isKept: (keyword: string | undefined) => keyword === 'required' || keyword === 'type',
};
const redacted = (schema: unknown): unknown => redactSchema(schema, REDACTION);

const CONDITION: unknown = JSON.parse(
  '{ "if": { "const": "secret_a" }, "then": { "type": "string" }, "else": { "type": "number" } }',
);

describe('a schema', () => {
  it.each([
    ['an enum loses a value', { enum: ['secret_a', 'b'] }, { enum: ['b'] }],
    ['an enum without values', { type: 'string', enum: ['secret_a'] }, { type: 'string' }],
    ['a const', { const: 'secret_a', title: 'A' }, { title: 'A' }],
    ['a value that is an object', { enum: [{ path: 'secret_a' }, { path: 'b' }] }, { enum: [{ path: 'b' }] }],
    ['a value with a hidden member name', { default: { secret_a: 1 }, type: 'object' }, { type: 'object' }],
    ['a default that the enum lost', { enum: ['secret_a', 'b'], default: 'secret_a' }, { enum: ['b'] }],
    [
      'a default that is still there',
      { enum: ['secret_a', 'b'], default: 'b' },
      { enum: ['b'], default: 'b' },
    ],
    [
      'the name of a value',
      { enum: ['secret_a', 'b'], enumNames: ['A', 'B'] },
      { enum: ['b'], enumNames: ['B'] },
    ],
    ['examples', { examples: ['secret_a', 'b'] }, { examples: ['b'] }],
    ['all examples', { examples: ['secret_a'] }, {}],
    ['a text', { description: 'Like secret_a.', title: 'x' }, { description: 'Like [hidden].', title: 'x' }],
    ['an alternative', { oneOf: [{ const: 'secret_a' }, { const: 'b' }] }, { oneOf: [{ const: 'b' }] }],
    ['all alternatives', { anyOf: [{ const: 'secret_a' }, { enum: ['secret_b'] }] }, {}],
    [
      'an alternative that a required parameter tells apart',
      { oneOf: [{ properties: { of: { const: 'secret_a' } }, required: ['of'] }, { type: 'string' }] },
      { oneOf: [{ type: 'string' }] },
    ],
    [
      'a parameter that need not be sent',
      { properties: { a: { enum: ['secret_a'] }, b: {} } },
      { properties: { b: {} } },
    ],
    [
      'a parameter that had alternatives',
      { properties: { a: { anyOf: [{ const: 'secret_a' }] }, b: {} } },
      { properties: { b: {} } },
    ],
    [
      'a required parameter',
      { properties: { a: { type: 'string', enum: ['secret_a'] } }, required: ['a'] },
      { properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    ['what is not allowed', { not: { enum: ['secret_a'] }, type: 'string' }, { type: 'string' }],
    ['a condition', CONDITION, {}],
    [
      'a part of all',
      { allOf: [{ enum: ['secret_a'] }, { type: 'string' }] },
      { allOf: [{ type: 'string' }] },
    ],
    ['items', { items: { enum: ['secret_a', 'b'] } }, { items: { enum: ['b'] } }],
    [
      'a parameter with the name of a keyword',
      { properties: { enum: { const: 'b' } } },
      { properties: { enum: { const: 'b' } } },
    ],
    ['a parameter with a hidden name', { properties: { secret_a: {} } }, { properties: { secret_a: {} } }],
    ['no schema', true, true],
  ])('says nothing hidden: %s', (_what, given, expected) => {
    expect(redacted(given)).toEqual(expected);
  });

  it('is valid afterwards, names nothing hidden, and takes all that it took without hidden values', () => {
    const random = new Random(1);
    const ajv = new Ajv2020({ strict: false, validateSchema: true });
    for (let index = 0; index < 500; index++) {
      const before = schemaOf(random, 3);
      const after = redacted(before);
      expect(JSON.stringify(after)).not.toContain('secret_');
      const [takesBefore, takesAfter] = [ajv.compile({ allOf: [before] }), ajv.compile({ allOf: [after] })];
      for (const value of VALUES)
        if (takesBefore(value))
          expect(takesAfter(value), JSON.stringify({ before, after, value })).toBe(true);
    }
  });

  it('of any depth is read', () => {
    let deep: object = { enum: ['secret_a'], title: 'secret_a' };
    for (let depth = 0; depth < 50_000; depth++) deep = { items: deep };
    let at: unknown = redacted(deep);
    for (let depth = 0; depth < 50_000 && typeof at === 'object' && at !== null && 'items' in at; depth++)
      at = at.items;
    expect(at).toEqual({});
  });

  it('is read in linear time', async () => {
    const properties = (size: number) =>
      Array.from({ length: size }, (_, at) => [
        `p${at}`,
        { enum: [`secret_${at}`, `b${at}`], default: `b${at}` },
      ]);
    const prepare = (size: number) => {
      const schema = { properties: Object.fromEntries(properties(size)) };
      return () => redacted(schema);
    };
    expect(await growth(prepare, 500)).toBeLessThan(LINEAR);
  });
});

/** What a client may send that names nothing hidden. */
const VALUES = ['b', 'c', 1, null, ['b'], [], {}, { p: 'b' }, { p: 'c', q: ['b'] }, { q: {} }];

/** A schema in which each value may be hidden. `oneOf` and `not` may take more values afterwards, so they are not among these. */
function schemaOf(random: Random, depth: number): object {
  const value = () => random.pick<unknown>(['secret_a', 'secret_b', 'b', 'c', 1, { p: 'secret_a' }]);
  const values = () => [...new Set(Array.from({ length: 1 + random.below(3) }, value))];
  const inner = () => schemaOf(random, depth - 1);
  const leaf = random.pick<() => object>([
    () => ({ enum: values() }),
    () => ({ const: value() }),
    () => ({ default: value(), examples: values() }),
    () => ({ description: 'Like secret_a.' }),
  ]);
  if (depth === 0) return leaf();
  return random.pick<() => object>([
    leaf,
    () => ({ anyOf: [inner(), inner()] }),
    () => ({ allOf: [inner(), inner()] }),
    () => ({ items: inner() }),
    () => ({
      properties: { p: inner(), q: inner() },
      ...(random.chance(0.5) ? { type: 'object', required: ['p'] } : {}),
    }),
  ])();
}
