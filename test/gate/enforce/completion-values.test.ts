import { describe, expect, it } from 'vitest';
import { type HiddenTests, withoutHiddenValues } from '../../../src/core/gate/enforce/completion-values.js';

const hidden: HiddenTests = {
  isIdentity: (text) => text === 'secret' || text === 'r://secret',
  isUri: (uri) => uri === 'r://secret' || uri === 'r://vault/7' || uri === 'r://a b',
};
const RESULT = { completion: { values: ['x'], total: 1, hasMore: false } };

const complete = (values: unknown, params: Record<string, unknown> = {}) =>
  withoutHiddenValues(params, { completion: { values, total: 9, hasMore: true }, _meta: { a: 1 } }, hidden);
const kept = (...values: unknown[]) => ({ completion: { values, hasMore: true }, _meta: { a: 1 } });

describe('the values of a completion', () => {
  it.each<[string, unknown[], unknown[]]>([
    ['hidden names', ['open', 'secret', 'secrets'], ['open', 'secrets']],
    ['hidden URIs', ['r://secret', 'r://open'], ['r://open']],
    ['hidden URIs in another form', ['R://secret', 'r://open'], ['r://open']],
    ['all', ['secret'], []],
    ['nothing of another type', ['secret', 7, null, { secret: 1 }], [7, null, { secret: 1 }]],
  ])('are without %s, and then without a total', (_what, values, expected) => {
    expect(complete(values)).toEqual(kept(...expected));
  });

  it.each([
    [RESULT],
    [{}],
    [{ completion: null }],
    [{ completion: { values: 'secret' } }],
    [{ completion: { values: [] } }],
  ])('stay the same object if none is hidden: %j', (result) => {
    expect(withoutHiddenValues({}, result, hidden)).toBe(result);
    expect(withoutHiddenValues(undefined, result, hidden)).toBe(result);
  });
});

describe('the values of a template', () => {
  const ref = (uri: unknown) => ({ type: 'ref/resource', uri });
  const argument = (name: unknown) => ({ name, value: '' });
  const given = (args: unknown) => ({ arguments: args });

  it.each<[string, Record<string, unknown>]>([
    ['that complete it to a hidden URI', { ref: ref('r://vault/{id}'), argument: argument('id') }],
    [
      'that complete it together with earlier arguments',
      { ref: ref('r://{dir}/{id}'), argument: argument('id'), context: given({ dir: 'vault' }) },
    ],
    [
      'whatever the client says that the argument already was',
      { ref: ref('r://vault/{id}'), argument: argument('id'), context: given({ id: '8' }) },
    ],
  ])('are removed: %s', (_what, params) => {
    expect(complete(['7', '8'], params)).toEqual(kept('8'));
  });

  it('are removed also if the server does not encode them', () => {
    expect(complete(['a b'], { ref: ref('r://{id}'), argument: argument('id') })).toEqual(kept());
  });

  it.each<[string, Record<string, unknown>]>([
    ['that complete another argument', { ref: ref('r://vault/{id}'), argument: argument('other') }],
    ['without the name of the argument', { ref: ref('r://vault/{id}') }],
    ['without the arguments before', { ref: ref('r://{dir}/{id}'), argument: argument('id') }],
    [
      'with an argument of another type before',
      { ref: ref('r://{dir}/{id}'), argument: argument('id'), context: given({ dir: ['vault'] }) },
    ],
    ['that is no text', { ref: ref(['r://vault/{id}']), argument: argument('id') }],
    ['that is missing', { argument: argument('id') }],
  ])('stay: %s', (_what, params) => {
    expect(complete(['7', '8'], params)).toEqual({
      completion: { values: ['7', '8'], total: 9, hasMore: true },
      _meta: { a: 1 },
    });
  });
});
