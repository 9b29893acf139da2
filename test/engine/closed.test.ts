import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../src/core/engine/configuration.js';
import { decide } from '../../src/core/engine/evaluate.js';
import { replaceParts } from '../../src/core/engine/expression/closed.js';
import { parseExpression } from '../../src/core/engine/expression/parse.js';
import { mapPrimitive } from '../../src/core/engine/mapping.js';
import { policyOf } from '../policy/author.js';

/** Whether a rule with this condition shows a tool that is hidden without it, and one that is shown without it. */
function shown(
  when: unknown,
  claims: Readonly<Record<string, unknown>>,
  host: { readonly client?: object; readonly capabilities?: object } = {},
): { show: boolean; hide: boolean } {
  const byRule = (effect: 'show' | 'hide') => {
    const unmapped = effect === 'show' ? 'hide' : 'show';
    const policy = policyOf(
      `version: 1\nrules: [{ id: r, ${effect}: [tools], when: ${JSON.stringify(when)} }]\nsettings: { unmapped: ${unmapped} }\n`,
    );
    const caller = { claims: new Map(Object.entries(claims)), ...host };
    return (
      decide(mapPrimitive(policy, 'tools', { name: 't' }), resolveConfiguration(policy, [], caller))
        .effect === 'show'
    );
  };
  return { show: byRule('show'), hide: byRule('hide') };
}

const A = { var: 'claims.a' };
const HIDDEN = { show: false, hide: false };

describe('a part without an answer counts as what hides most', () => {
  it.each<[string, unknown, Readonly<Record<string, unknown>>]>([
    ['a text where "in" needs a list', { in: ['x', A] }, { a: 'x' }],
    ['a text where "none" needs a list', { none: [A, { '===': [{ var: '' }, 'guest'] }] }, { a: 'guest' }],
    ['a text where "some" needs a list', { some: [A, { '===': [{ var: '' }, 'guest'] }] }, { a: 'guest' }],
    ['a number where "all" needs a list', { all: [A, { '===': [{ var: '' }, 'guest'] }] }, { a: 3 }],
    ['a text where "<" needs a number', { '<': [A, 4] }, { a: '3' }],
    ['a list where ">=" needs a number', { '>=': [A, 0] }, { a: [1] }],
    ['a number where "starts-with" needs a text', { 'starts-with': [A, '3'] }, { a: 3 }],
    ['a list where "===" needs a scalar', { '===': [A, 'x'] }, { a: ['x'] }],
    ['an object where "!==" needs a scalar', { '!==': [A, 'x'] }, { a: {} }],
    ['an object where "in" needs a scalar', { in: [A, ['x', 'y']] }, { a: {} }],
    ['null', { '!==': [A, 'x'] }, { a: null }],
    ['an empty text', { '!==': [A, 'x'] }, { a: '' }],
    ['no value beside a fallback that is null', { '!==': [{ var: ['claims.a', null] }, 'x'] }, {}],
    ['no value beside a read with a fallback', { '!==': [{ var: ['claims.a', 'x'] }, A] }, {}],
    ['no value before a read with a fallback', { '!==': [A, { var: ['claims.a', 'x'] }] }, {}],
    ['no value of one of two claims', { '!==': [A, { var: 'claims.b' }] }, { b: 'x' }],
  ])('%s', (_what, when, claims) => {
    expect(shown(when, claims)).toEqual(HIDDEN);
    expect(shown({ '!': when }, claims)).toEqual(HIDDEN);
    expect(shown({ if: [when, true, false] }, claims)).toEqual(HIDDEN);
    expect(shown({ if: [when, false, true] }, claims)).toEqual(HIDDEN);
  });
});

describe('a part has an answer', () => {
  it.each<[string, unknown, Readonly<Record<string, unknown>>, boolean]>([
    ['for a value of the right type', { in: ['x', A] }, { a: ['x'] }, true],
    ['for an empty list', { in: ['x', A] }, { a: [] }, false],
    ['for false and 0', { '===': [A, false] }, { a: false }, true],
    ['for a test of presence, whatever the type', { '!==': [A, null] }, { a: ['x'] }, true],
    ['for a bare read, whatever the type', A, { a: { b: 1 } }, true],
    ['for a constant as fallback', { '===': [{ var: ['claims.a', 'x'] }, 'x'] }, {}, true],
    ['for "missing"', { missing: ['claims.a'] }, {}, true],
    [
      'if a claim has a value, whatever its fallback reads',
      { '===': [{ var: ['claims.a', { var: 'claims.b' }] }, 'x'] },
      { a: 'x' },
      true,
    ],
  ])('%s', (_what, when, claims, fires) => {
    expect(shown(when, claims)).toEqual({ show: fires, hide: !fires });
    expect(shown({ '!': when }, claims)).toEqual({ show: !fires, hide: fires });
  });
});

it('"missing" speaks for a caller without the claim also in a branch of "if"', () => {
  const when = { if: [{ missing: ['claims.a'] }, true, { '===': [A, 'x'] }] };
  expect(shown(when, {})).toEqual({ show: true, hide: false });
  expect(shown(when, { a: 'x' })).toEqual({ show: true, hide: false });
  expect(shown(when, { a: 'y' })).toEqual({ show: false, hide: true });
});

it('a client needs a name only where the rule reads how it names itself', () => {
  const capability = { var: 'client.capabilities.sampling' };
  const client = { capabilities: { sampling: {} } };
  const when = { and: [capability, { '===': [A, 'x'] }] };
  expect(shown(when, { a: 'x' }, client)).toEqual({ show: true, hide: false });
  const named = { or: [capability, { '===': [{ var: 'client.name' }, 'host'] }] };
  expect(shown(named, {}, client)).toEqual(HIDDEN);
  expect(shown(named, {}, { ...client, client: { name: 'other' } })).toEqual({ show: true, hide: false });
});

it('a condition of which no part is replaced stays as the author wrote it', () => {
  const written = { and: [{ '!': { '===': [A, 'x'] } }, { '!!': A }] };
  const { expression } = parseExpression(written);
  expect(replaceParts(expression, (part) => part).json).toBe(written);
  const branches = parseExpression({ '!': { if: [{ '===': [A, 'x'] }, A, false] } }).expression;
  expect(JSON.stringify(replaceParts(branches, (part) => part).json)).not.toContain('"if"');
});
