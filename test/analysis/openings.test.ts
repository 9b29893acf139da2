import { describe, expect, it } from 'vitest';
import { analyze } from '../../src/core/analysis/analyze.js';
import { openings } from '../../src/core/analysis/openings.js';
import { growth, LINEAR } from '../growth.js';
import { policyOf } from '../policy/author.js';

const TOOLS = { tools: [{ name: 't', _meta: { unit: 'ops' } }, { name: 'u' }] };
const SCOPE = { in: ['guest', { var: 'caller.scopes' }] };
const IS_TRIAL = { '===': [{ var: 'claims.plan' }, 'trial'] };

const policyWith = (effect: 'hide' | 'show', when: unknown) =>
  policyOf(
    `version: 1\nrules:\n  - { id: r, ${effect}: [tools], when: ${JSON.stringify(when)} }\nsettings: { unmapped: ${effect === 'show' ? 'hide' : 'show'} }\n`,
  );
const found = (effect: 'hide' | 'show', when: unknown) => {
  const result = openings(policyWith(effect, when), TOOLS);
  return [...result.openings.map(({ lack }) => `${lack.type} ${lack.name}`), ...result.unanswered];
};

describe('callers that have less see nothing more by', () => {
  it.each([
    { '!': IS_TRIAL },
    { '!': { in: [{ var: 'claims.region' }, ['xx', 'yy']] } },
    { if: [IS_TRIAL, false, true] },
    { none: [{ var: 'claims.teams' }, { '===': [{ var: '' }, 'guest'] }] },
    { '<=': [{ var: 'claims.risk' }, 0] },
    { '!': { '>': [{ var: 'claims.risk' }, 3] } },
    { '!': { var: 'claims.blocked' } },
    { '!': { '===': [{ var: ['claims.plan', null] }, 'trial'] } },
    { '!': { '===': [{ var: ['claims.plan', 'trial'] }, { var: 'claims.plan' }] } },
    { '!': { '===': [{ var: ['claims.plan', { var: 'claims.level' }] }, 'trial'] } },
    { '===': [{ var: 'claims.unit' }, { var: 'primitive.meta.unit' }] },
    { '!': { '!==': [{ var: 'claims.a' }, { var: 'claims.b' }] } },
    { in: [{ var: 'primitive.name' }, { var: 'claims.tools' }] },
    { some: [{ var: 'caller.scopes' }, { 'ends-with': [{ var: '' }, { var: 'primitive.name' }] }] },
  ])('%j', (when) => {
    expect(found('show', when)).toEqual([]);
    expect(found('hide', { '!': when })).toEqual([]);
  });
});

describe('callers that have less see more by', () => {
  it.each([
    ['hide', SCOPE, ['scope guest', 'scope guest']],
    ['show', { '!': SCOPE }, ['scope guest', 'scope guest']],
    ['show', { missing: ['claims.plan'] }, ['claim claims.plan', 'claim claims.plan']],
    [
      'show',
      { '===': [{ var: ['claims.plan', 'trial'] }, 'trial'] },
      ['claim claims.plan', 'claim claims.plan'],
    ],
    [
      'hide',
      { and: [{ '!': { missing: ['claims.plan'] } }, IS_TRIAL] },
      ['claim claims.plan', 'claim claims.plan'],
    ],
    [
      'hide',
      { some: [{ var: 'caller.scopes' }, { 'ends-with': [{ var: '' }, { var: 'primitive.name' }] }] },
      ['whether the rule "r" shows more to a caller with fewer scopes', 'everything '],
    ],
  ] as const)('%s %j', (effect, when, expected) => {
    const all = found(effect, when);
    // Equal tools are one class.
    expect(all.length).toBeGreaterThan(0);
    for (const each of all) expect(expected).toContain(each);
  });
});

it('names two callers that show an opening', () => {
  const [opening] = openings(policyWith('hide', SCOPE), TOOLS).openings;
  expect(opening).toMatchObject({ rule: 'r', pair: { more: { scopes: ['guest'] }, less: { scopes: [] } } });
});

describe('the time grows in proportion', () => {
  const scopeRules = (count: number) =>
    policyOf(
      `version: 1\nrules:\n${Array.from({ length: count }, (_, at) => `  - { id: r${at}, hide: [tools], when: { in: [s${at}, { var: caller.scopes }] } }\n`).join('')}`,
    );
  const catalogOf = (count: number) => ({
    tools: Array.from({ length: count }, (_, at) => ({ name: `t${at}` })),
  });
  const byName = policyWith('show', { in: [{ var: 'primitive.name' }, { var: 'claims.tools' }] });
  // Each scope is a thing to lack, and each rule is searched: eight times as many may take 64 times as long.
  const QUADRATIC = 64;

  it('of analyze with the rules', async () => {
    expect(
      await growth((size) => {
        const policy = scopeRules(size);
        return () => analyze(policy, TOOLS);
      }, 30),
    ).toBeLessThan(QUADRATIC);
  });

  it('of openings with rules and scopes', async () => {
    expect(
      await growth((size) => {
        const policy = scopeRules(size);
        return () => openings(policy, TOOLS);
      }, 30),
    ).toBeLessThan(QUADRATIC);
  });

  it('of openings with the tools', async () => {
    expect(
      await growth((size) => {
        const catalog = catalogOf(size);
        return () => openings(byName, catalog);
      }, 100),
    ).toBeLessThan(LINEAR);
  });
});
