import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bindCatalog, resolveConfiguration, select } from '../../src/core/engine/index.js';
import { findingsOf, policyOf } from './author.js';

const guide = readFileSync(new URL('../../docs/guides/sign-in.md', import.meta.url), 'utf8');
const cases = guide.split(/^## /m).flatMap((section) => {
  const block = (fence: string) => new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, 'm').exec(section)?.[1];
  const [token, policy] = [block('json token'), block('yaml')];
  const [, sees = ''] = /This caller sees (.*?)(?:, and not|\.)/.exec(section) ?? [];
  const tools = [...sees.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  return token === undefined || policy === undefined
    ? []
    : [{ provider: section.split('\n')[0], token, policy, tools }];
});
const TOOLS = ['readNote', 'writeNote', 'purgeNotes'].map((name) => ({ name }));

describe('the sign-in guide', () => {
  it('has a token and a policy for five providers', () => {
    expect(cases.map(({ provider }) => provider)).toEqual([
      'Microsoft Entra ID',
      'Okta',
      'Keycloak',
      'Amazon Cognito',
      'GitHub',
    ]);
  });

  it.each(cases)('says what a caller with the token of $provider sees', ({ token, policy, tools }) => {
    expect(findingsOf(policy)).toEqual([]);
    const checked = policyOf(policy);
    const list = bindCatalog(checked, 'tools', TOOLS);
    const shown = (claims: object) =>
      select(list, resolveConfiguration(checked, [], { claims: new Map(Object.entries(claims)) })).kept.map(
        ({ name }) => name,
      );
    expect(shown(JSON.parse(token))).toEqual(tools);
    if (!checked.asksForScopes) expect(shown({ iss: 'x', sub: 'y' })).toEqual([]);
  });
});
