import { expect, it } from 'vitest';
import { buildProgram, callerOf, stateOf } from '../../src/web/playground/program.js';

const text = `version: 1
concerns: { tier: { values: [free, pro], default: free, set-by: operator, claim: tier } }
rules:
  - { id: scopes, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, write] }, { "!": { in: ["notes:write", { var: caller.scopes }] } }] } }
  - { id: roles, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, admin] }, { "!": { in: [admin, { var: claims.realm.roles }] } }] } }
  - { id: old, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, browse] }, { starts-with: [{ var: client.version }, "0."] }] } }
`;
const catalog = { tools: ['write', 'admin', 'browse'].map((name) => ({ name })) };
const { program, findings } = buildProgram([{ name: 'policy.yaml', text }], catalog);
if (program === undefined) throw new Error(JSON.stringify(findings));
const shown = (claims: object) =>
  stateOf(program, 'notes', {}, { ...claims }).items.flatMap(({ name, shown: isShown }) =>
    isShown ? [name] : [],
  );

it('shows what a caller sees of which claims, scopes and the client are written', () => {
  const client = { 'client.name': 'cursor', 'client.version': '1.7' };
  expect(shown({})).toEqual([]);
  expect(shown(client)).toEqual(['browse']);
  expect(shown({ ...client, 'client.version': '0.9' })).toEqual([]);
  expect(shown({ 'caller.scopes': 'openid notes:write' })).toEqual(['write']);
  expect(shown({ 'claims.realm.roles': '["admin"]' })).toEqual(['admin']);
  // A text is not a list.
  expect(shown({ 'claims.realm.roles': 'admin' })).toEqual([]);
});

it('has no claims of which the policy reads nothing', () => {
  expect(callerOf(program.policy, { 'claims.other': 'x', tier: 'pro' }).claims).toEqual(
    new Map([['tier', 'pro']]),
  );
});
