import { describe, expect, it } from 'vitest';
import {
  checkPreferences,
  createConcerns,
  type HostPreferences,
  readDeclaration,
} from '../../src/client/index.js';
import { EXTENSION_ID } from '../../src/protocol/messages/wire.js';
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

describe('preferences that fit', () => {
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
    expect(check(preferences)).toEqual({ fitting: preferences, problems: [] });
  });

  it('are those that say something', () => {
    expect(check({ security: undefined, preset: undefined })).toEqual({ fitting: {}, problems: [] });
  });
});

const security = { concern: 'security', values: ['low', 'medium', 'high'] };
const topic = { concern: 'topic', values: ['documents', 'charts'] };
const budget = { concern: 'budget', values: { min: 0, max: 100 } };

describe('preferences that do not fit', () => {
  it.each([
    [
      { security: 'hihg' },
      { code: 'unknown-value', ...security, value: 'hihg', suggestion: 'high' },
      '"hihg" is no value of security (low, medium, high); did you mean "high"?',
    ],
    [
      { security: 'everything' },
      { code: 'unknown-value', ...security, value: 'everything' },
      '"everything" is no value of security (low, medium, high).',
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
      '"document" is no value of topic (documents, charts); did you mean "documents"?',
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
      '"securty" is no concern of this server (security, topic, budget); did you mean "security"?',
    ],
    [
      { secre: 'yes' },
      { code: 'undeclared-concern', concern: 'secre', value: 'yes' },
      '"secre" is no concern of this server (security, topic, budget).',
    ],
    [
      { constructor: 'high' },
      { code: 'undeclared-concern', concern: 'constructor', value: 'high' },
      '"constructor" is no concern of this server (security, topic, budget).',
    ],
    [
      { tier: 'pro' },
      { code: 'operator-concern', concern: 'tier', value: 'pro' },
      "tier is set by the server's operator, not by hosts; leave it out.",
    ],
    [
      { tier: null },
      { code: 'operator-concern', concern: 'tier', value: null },
      "tier is set by the server's operator, not by hosts; leave it out.",
    ],
    [
      { preset: 'save' },
      { code: 'unknown-preset', concern: 'preset', values: ['safe'], value: 'save', suggestion: 'safe' },
      '"save" is no preset of this server (safe); did you mean "safe"?',
    ],
    [
      { preset: 'toString' },
      { code: 'unknown-preset', concern: 'preset', values: ['safe'], value: 'toString' },
      '"toString" is no preset of this server (safe).',
    ],
    [
      { preset: null },
      { code: 'unknown-preset', concern: 'preset', values: ['safe'], value: null },
      'null is no preset of this server (safe).',
    ],
  ])('%j', (wrong, problem, message) => {
    const { fitting, problems } = check({ security: 'low', ...wrong });
    expect(problems).toEqual([{ ...problem, message }]);
    expect(fitting).toEqual('security' in wrong ? {} : { security: 'low' });
  });

  it('are named all at once, and what fits is apart', () => {
    const { fitting, problems } = check({ security: 'high', tier: 'pro', budget: 101, cost: 'low' });
    expect(fitting).toEqual({ security: 'high' });
    expect(problems.map(({ code }) => code)).toEqual([
      'operator-concern',
      'unknown-value',
      'undeclared-concern',
    ]);
  });

  it('are shortened in messages', () => {
    const [problem] = check({ security: 'x'.repeat(1000) }).problems;
    expect(problem?.message.length).toBeLessThan(150);
  });

  it.each([null, undefined, 7, 'security=high', ['security']])('%j is no object', (preferences) => {
    const problem = { code: 'malformed-concerns', value: preferences };
    expect(check(preferences)).toMatchObject({ fitting: {}, problems: [problem] });
    if (preferences !== undefined) {
      expect(() => createConcerns(clientV1(), { preferences: preferences as never })).toThrow(
        expect.objectContaining({ code: 'CONCERNS_REFUSED' }),
      );
    }
  });
});

it('compares with nothing where nothing is declared', () => {
  const nothing = readDeclaration({});
  expect(checkPreferences(nothing, { anything: 'goes' })).toEqual({ fitting: {}, problems: [] });
});
