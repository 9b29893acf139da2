import { describe, expect, it } from 'vitest';
import {
  checkPreferences,
  createConcerns,
  type HostPreferences,
  readDeclaration,
} from '../../src/client/index.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { clientV1 } from './hosts.js';

const declaration = readDeclaration({
  extensions: {
    [EXTENSION_ID]: {
      concerns: [
        { name: 'security', values: ['low', 'medium', 'high'] },
        { name: 'topic', values: ['documents', 'charts'], multiple: true },
        { name: 'budget', values: { min: 0, max: 100 } },
        { name: 'tier', values: ['free', 'pro'], setBy: 'operator' },
        { name: 'secret', values: ['yes'], setBy: 'operator' },
      ],
      presets: { safe: { security: 'high' } },
    },
  },
});
const check = (preferences: unknown) => checkPreferences(declaration, preferences as HostPreferences);

describe('accepted preferences', () => {
  it.each([
    {},
    { security: 'high' },
    { security: null, topic: null, budget: null },
    { topic: 'charts' },
    { topic: ['charts', 'documents'] },
    { budget: 0 },
    { budget: 100 },
    { budget: 0.5 },
    { preset: 'safe', budget: 1 },
  ])('%j', (preferences) => {
    expect(check(preferences)).toEqual({ accepted: preferences, problems: [] });
  });

  it('do not include undefined values', () => {
    expect(check({ security: undefined, preset: undefined })).toEqual({ accepted: {}, problems: [] });
  });
});

const security = { concern: 'security', values: ['low', 'medium', 'high'] };
const topic = { concern: 'topic', values: ['documents', 'charts'] };
const budget = { concern: 'budget', values: { min: 0, max: 100 } };

describe('preferences with a problem', () => {
  it.each([
    [
      { security: 'hihg' },
      { code: 'unknown-value', ...security, value: 'hihg', suggestion: 'high' },
      '"hihg" is not a valid value for security (low, medium, high). Did you mean "high"?',
    ],
    [
      { security: 'everything' },
      { code: 'unknown-value', ...security, value: 'everything' },
      '"everything" is not a valid value for security (low, medium, high).',
    ],
    [
      { security: 1 },
      { code: 'malformed-value', ...security, value: 1 },
      'security must be one of low, medium, high, not 1.',
    ],
    [
      { security: ['high'] },
      { code: 'malformed-value', ...security, value: ['high'] },
      'security must be one of low, medium, high, not ["high"].',
    ],
    [
      { topic: [] },
      { code: 'malformed-value', ...topic, value: [] },
      'topic must be one of documents, charts, or a list of them, not [].',
    ],
    [
      { topic: ['charts', 'document'] },
      { code: 'unknown-value', ...topic, value: 'document', suggestion: 'documents' },
      '"document" is not a valid value for topic (documents, charts). Did you mean "documents"?',
    ],
    [
      { budget: -1 },
      { code: 'unknown-value', ...budget, value: -1 },
      'budget must be a number from 0 to 100, not -1.',
    ],
    [
      { budget: '7' },
      { code: 'malformed-value', ...budget, value: '7' },
      'budget must be a number from 0 to 100, not "7".',
    ],
    [
      { budget: Number.NaN },
      { code: 'unknown-value', ...budget, value: Number.NaN },
      'budget must be a number from 0 to 100, not null.',
    ],
    [
      { securty: 'high' },
      { code: 'undeclared-concern', concern: 'securty', value: 'high', suggestion: 'security' },
      '"securty" is not a concern of this server (security, topic, budget). Did you mean "security"?',
    ],
    [
      { secre: 'yes' },
      { code: 'undeclared-concern', concern: 'secre', value: 'yes' },
      '"secre" is not a concern of this server (security, topic, budget).',
    ],
    [
      { constructor: 'high' },
      { code: 'undeclared-concern', concern: 'constructor', value: 'high' },
      '"constructor" is not a concern of this server (security, topic, budget).',
    ],
    [
      { tier: 'pro' },
      { code: 'operator-concern', concern: 'tier', value: 'pro' },
      "The server's operator sets tier, so hosts cannot. Leave it out.",
    ],
    [
      { tier: null },
      { code: 'operator-concern', concern: 'tier', value: null },
      "The server's operator sets tier, so hosts cannot. Leave it out.",
    ],
    [
      { preset: 'save' },
      { code: 'unknown-preset', concern: 'preset', values: ['safe'], value: 'save', suggestion: 'safe' },
      '"save" is not a preset of this server (safe). Did you mean "safe"?',
    ],
    [
      { preset: 'toString' },
      { code: 'unknown-preset', concern: 'preset', values: ['safe'], value: 'toString' },
      '"toString" is not a preset of this server (safe).',
    ],
    [
      { preset: null },
      { code: 'unknown-preset', concern: 'preset', values: ['safe'], value: null },
      'null is not a preset of this server (safe).',
    ],
  ])('%j', (wrong, problem, message) => {
    const { accepted, problems } = check({ security: 'low', ...wrong });
    expect(problems).toEqual([{ ...problem, message }]);
    expect(accepted).toEqual('security' in wrong ? {} : { security: 'low' });
  });

  it('are all reported at once, and the others are accepted', () => {
    const { accepted, problems } = check({ security: 'high', tier: 'pro', budget: 101, cost: 'low' });
    expect(accepted).toEqual({ security: 'high' });
    expect(problems.map(({ code }) => code)).toEqual([
      'operator-concern',
      'unknown-value',
      'undeclared-concern',
    ]);
  });

  it('are shortened in messages if they are long', () => {
    const [problem] = check({ security: 'x'.repeat(1000) }).problems;
    expect(problem?.message.length).toBeLessThan(150);
  });

  it('are reported without their text if they cannot be written as JSON', () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const told = [1n, circular].map((value) => check({ security: value }).problems[0]);
    expect(told.map((each) => each?.code)).toEqual(['malformed-value', 'malformed-value']);
    expect(told.map((each) => /not (.*)\.$/.exec(each?.message ?? '')?.[1])).toEqual([
      'a value of type bigint',
      'a value of type object',
    ]);
  });

  it.each([null, undefined, 7, 'security=high', ['security']])(
    'are reported if %j is not an object',
    (preferences) => {
      const problem = { code: 'malformed-concerns', value: preferences };
      expect(check(preferences)).toMatchObject({ accepted: {}, problems: [problem] });
      if (preferences !== undefined) {
        expect(() => createConcerns(clientV1(), { preferences: preferences as never })).toThrow(
          expect.objectContaining({ code: 'CONCERNS_REFUSED' }),
        );
      }
    },
  );
});

it('reports no problems if nothing is declared', () => {
  const undeclared = readDeclaration({});
  expect(checkPreferences(undeclared, { anything: 'goes' })).toEqual({ accepted: {}, problems: [] });
});
