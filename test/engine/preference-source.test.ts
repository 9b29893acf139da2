import { describe, expect, it } from 'vitest';
import {
  type ConcernWarning,
  type PreferenceSourceName,
  resolveConfiguration,
} from '../../src/core/engine/index.js';
import { policyOf, yaml } from '../policy/author.js';

const policy = policyOf(yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
    level: { values: ["1", "true"] }
    price: { values: { min: 0, max: 100 } }
    topic: { values: [charts, maps], multiple: true }
    tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
  presets: { safe: { security: high } }
  settings: { invalid: clamp }
`);
const strict = { ...policy, settings: { ...policy.settings, invalid: 'error' } } as const;

const warned = (concerns: unknown, from: PreferenceSourceName = 'request'): readonly ConcernWarning[] =>
  resolveConfiguration(policy, [{ from, concerns }]).warnings;
const refused = (concerns: unknown) =>
  resolveConfiguration(strict, [{ from: 'update', concerns }]).invalid.map(({ concern }) => concern);
const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`number${index}`, 1]));

describe('warnings about preferences', () => {
  it.each<[string, unknown, string, string]>([
    [
      'a list',
      ['high'],
      'malformed-concerns',
      'concerns (request) must be an object of concern names and values. It was ignored.',
    ],
    [
      'a text',
      'high',
      'malformed-concerns',
      'concerns (request) must be an object of concern names and values. It was ignored.',
    ],
    [
      'null',
      null,
      'malformed-concerns',
      'concerns (request) must be an object of concern names and values. It was ignored.',
    ],
    [
      'an operator concern',
      { tier: 'pro' },
      'operator-concern',
      'tier (request) is set by the operator, so a host cannot change it. It was ignored.',
    ],
    [
      'a number for a name',
      { security: 1 },
      'malformed-value',
      'security (request) must be one name. It was ignored.',
    ],
    [
      'a number for names',
      { topic: 1 },
      'malformed-value',
      'topic (request) must be a name or a list of names. It was ignored.',
    ],
    [
      'an empty list',
      { topic: [] },
      'malformed-value',
      'topic (request) must be a name or a list of names. It was ignored.',
    ],
    [
      'a name for a number',
      { price: 'x' },
      'malformed-value',
      'price (request) must be a number. It was ignored.',
    ],
    [
      'a list for a preset',
      { preset: ['safe'] },
      'malformed-value',
      'preset (request) must be one name. It was ignored.',
    ],
    [
      'a number above the range',
      { price: 101 },
      'clamped-value',
      'price (request) is 101, which is out of range. The nearest bound, 100, was used.',
    ],
  ])('explain %s', (_name, concerns, code, message) => {
    expect(warned(concerns)).toEqual([{ code, message }]);
  });

  it('report more entries than are read', () => {
    expect(warned(numbered(129))[0]).toEqual({
      code: 'too-many-entries',
      message: 'concerns (request) has more than 128 entries. The rest were ignored.',
    });
  });

  it('are absent for a number as a name only in sources that can send only text', () => {
    for (const from of ['header', 'url'] as const) {
      expect(warned({ level: 1 }, from)).toEqual([]);
      expect(warned({ level: true }, from).map(({ code }) => code)).toEqual(['malformed-value']);
      expect(warned({ price: '12.25' }, from)).toEqual([]);
      expect(warned({ price: ['12.25'] }, from).map(({ code }) => code)).toEqual(['malformed-value']);
    }
  });

  it('quote a name in full if it fits into a line', () => {
    const messageFor = (length: number) => warned({ ['x'.repeat(length)]: 1 })[0]?.message;
    expect(messageFor(78)).toBe(
      `"${'x'.repeat(78)}" (request) is not a concern of this server. It was ignored.`,
    );
    expect(messageFor(79)).toBe(
      `"${'x'.repeat(78)}… (request) is not a concern of this server. It was ignored.`,
    );
  });

  it('report the unknown name if a concern that takes several values gets only that one', () => {
    const { accepted, warnings } = resolveConfiguration(policy, [
      { from: 'request', concerns: { topic: 'x' } },
    ]);
    expect(accepted.filter((each) => each !== undefined)).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(['unknown-value']);
  });

  it('are an error with the valid values if an update has the wrong type', () => {
    const concerns = { preset: 7, price: 'x' };
    const { invalid } = resolveConfiguration(strict, [{ from: 'update', concerns }]);
    expect(invalid).toEqual([
      { concern: 'price', value: 'x', values: { min: 0, max: 100 } },
      { concern: 'preset', value: 7, values: ['safe'] },
    ]);
  });
});

describe('the number of warnings', () => {
  it('is at most 32', () => {
    const warnings = warned(numbered(32));
    expect(warnings).toHaveLength(32);
    expect(warnings.at(-1)?.code).toBe('undeclared-concern');
  });

  it('includes a note if more were omitted', () => {
    const warnings = warned({ ...numbered(40), security: 'top', topic: ['a', 'b'] });
    expect(warnings).toHaveLength(33);
    expect(warnings.at(-1)).toEqual({
      code: 'more-warnings',
      message: 'More warnings were omitted. Fix these first.',
    });
  });

  it('includes that note even if only one unknown value was omitted', () => {
    expect(warned({ ...numbered(32), security: 'top' }).at(-1)?.code).toBe('more-warnings');
  });

  it('is at most 32 rejected values of an update, whatever is wrong with them', () => {
    expect(refused({ topic: new Array(40).fill('x') })).toHaveLength(32);
    expect(refused({ topic: new Array(40).fill(1) })).toHaveLength(32);
    expect(refused({ topic: new Array(31).fill(1), security: 'top' })).toHaveLength(32);
  });
});
