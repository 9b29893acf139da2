import { describe, expect, it } from 'vitest';
import { type Configuration, resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Kind, Policy } from '../../../src/core/engine/policy.js';
import { ONE_SERVER } from '../../../src/core/engine/servers/outside-names.js';
import {
  decisionOnKnownUri,
  decisionOnName,
  isBareShown,
  isShown,
  isUriShown,
  targetMatcher,
} from '../../../src/core/gate/enforce/visibility.js';
import { NO_LISTS } from '../../../src/core/gate/request/whole-list.js';
import { policyOf, yaml } from '../../policy/author.js';
import { boundLists } from './bound-lists.js';

const POLICY = yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
  primitives:
    tools: { weak: { security: low }, strong: { security: high } }
    resources: { "r://weak": { security: low }, "r://strong": { security: high } }
`;
const policy = policyOf(POLICY);
const strict = policyOf(`${POLICY}settings: { unmapped: hide }\n`);
const high = (from: Policy = policy): Configuration =>
  resolveConfiguration(from, [{ from: 'request', concerns: { security: 'high' } }]);
const own = (security: string) => ({ _meta: { concerns: { security } } });
const lists = (given: Parameters<typeof boundLists>[1], from: Policy = policy) => boundLists(from, given);

describe('a URI that a list or the policy knows', () => {
  const known = lists({
    resources: [
      { uri: 'r://a/%62', ...own('high') },
      { uri: 'r://a/b', ...own('low') },
      { uri: 'R://C/%64', ...own('high') },
      { uri: 'r://C/d', ...own('low') },
    ],
    resourceTemplates: [
      { uriTemplate: 't://{id}', ...own('high') },
      { uriTemplate: 'u://{id}', ...own('low') },
    ],
  });

  it.each<[string, string, boolean | undefined]>([
    ['that is listed in its normal form', 'r://a/%62', true],
    ['whose other form is hidden', 'r://a/b', false],
    ['that is listed, but not in its normal form', 'R://C/%64', false],
    ['of a template', 't://1', true],
    ['of a template, in another form', 'T://1', true],
    ['of a hidden template', 'u://1', false],
    ['of a hidden template, in another form', 'U://1', false],
    ['that the policy hides', 'r://weak', false],
    ['that the policy shows', 'r://strong', undefined],
    ['of nothing', 'r://other', undefined],
    ['that is empty', '', undefined],
  ])('%s', (_what, uri, decision) => {
    expect(decisionOnKnownUri(known, uri, high())).toBe(decision);
  });

  it('is decided without lists', () => {
    expect(decisionOnKnownUri(NO_LISTS, 'r://weak', high())).toBe(false);
    expect(decisionOnKnownUri(NO_LISTS, 'r://other', high())).toBeUndefined();
    expect(decisionOnKnownUri(NO_LISTS, '', high())).toBeUndefined();
  });

  it('may have 65,536 characters', () => {
    const uri = `r://${'x'.repeat(65_532)}`;
    expect(decisionOnKnownUri(known, uri, high())).toBeUndefined();
    expect(decisionOnKnownUri(known, `${uri}x`, high())).toBe(false);
  });
});

describe('a URI under `unmapped: hide`', () => {
  const templates = policyOf(
    `${POLICY.replace('primitives:\n', 'primitives:\n  resourceTemplates: { "t://{id}": { security: high } }\n')}settings: { unmapped: hide }\n`,
  );
  const resourceTemplates = [{ uriTemplate: 't://{id}' }, { uriTemplate: 'own://{id}', ...own('high') }];
  const known = lists({ resourceTemplates }, templates);

  it.each([
    ['of a template that only the server maps', 'own://1', false],
    ['of a template that is shown', 't://1', true],
    ['of a template that is shown, in another form', 'T://1', true],
    ['with an entry', 'r://strong', true],
    ['of nothing', 'r://other', false],
  ])('%s', (_what, uri, shown) => {
    expect(isUriShown(known, uri, high(templates))).toBe(shown);
  });

  it('is shown by the policy alone only with an entry', () => {
    expect(isBareShown(NO_LISTS, 'resources', 'r://strong', high(strict))).toBe(true);
    expect(isBareShown(NO_LISTS, 'resources', 'r://other', high(strict))).toBe(false);
    expect(isBareShown(NO_LISTS, 'resources', 'r://other', high())).toBe(true);
  });
});

describe('the text of a template', () => {
  it('is decided by that template, and not by others that match it', () => {
    const known = lists({
      resourceTemplates: [
        { uriTemplate: 'x://{a}', ...own('low') },
        { uriTemplate: 'x://{+b}', ...own('high') },
      ],
    });
    expect(isShown(known, { type: 'uri', name: 'x://{a}' }, high())).toBe(false);
    expect(isShown(known, { type: 'uri', name: 'x://{+b}' }, high())).toBe(true);
    expect(isShown(known, { type: 'uri', name: 'x://1' }, high())).toBe(true);
  });
});

describe('the decision on a name', () => {
  it('is that of its item, wherever it is in the list', () => {
    const { tools } = lists({ tools: [{ name: 'a' }, { name: 'b', ...own('low') }, { name: 'c' }] });
    expect(decisionOnName(tools, 'a', high())).toEqual({ effect: 'show', reason: 'fits' });
    expect(decisionOnName(tools, 'b', high())).toEqual({ effect: 'hide', reason: { concern: 0 } });
    expect(decisionOnName(tools, 'd', high())).toBeUndefined();
    expect(decisionOnName(undefined, 'a', high())).toBeUndefined();
  });

  it('hides if one of several items is hidden, and not only the first', () => {
    const { prompts } = lists({ prompts: [{ name: 'a' }, { name: 'a', ...own('low') }, { name: 'a' }] });
    expect(decisionOnName(prompts, 'a', high())).toMatchObject({ effect: 'hide' });
  });

  it('knows a resource in its normal form, but a tool only as it is', () => {
    const { resources, tools } = lists({ resources: [{ uri: 'R://A' }], tools: [{ name: 'R://A' }] });
    expect(decisionOnName(resources, 'R://A', high())).toMatchObject({ effect: 'show' });
    expect(decisionOnName(resources, 'r://A', high())).toMatchObject({ effect: 'show' });
    expect(decisionOnName(tools, 'R://A', high())).toMatchObject({ effect: 'show' });
    expect(decisionOnName(tools, 'r://A', high())).toBeUndefined();
  });

  it('is made also about items without a name', () => {
    const { tools } = lists({ tools: [{ title: 'none' }, { name: 7 }] });
    expect(decisionOnName(tools, '', high())).toMatchObject({ effect: 'show' });
    expect(decisionOnName(tools, '7', high())).toBeUndefined();
  });
});

describe('the primitives that a request could mean', () => {
  it.each<[Kind, string, string, boolean]>([
    ['tools', 'a', 'a', true],
    ['tools', 'a', 'A', false],
    ['prompts', 'file:///a', 'FILE:///a', false],
    ['resources', 'file:///a', 'file:///a', true],
    ['resources', 'file:///a', 'FILE:///a', true],
    ['resources', 'FILE:///a', 'file:///a', true],
    ['resources', 'file:///a', 'file:///b', false],
    ['resourceTemplates', 'file:///a', 'file:///{id}', true],
    ['resourceTemplates', 'file:///{id}', 'file:///{id}', true],
    ['resourceTemplates', 'file:///a/b', 'file:///{id}', false],
    ['prompts', 'x', '{a}', false],
    ['tools', 'x', '{a}', false],
    ['resources', 'R://x', 'r://x', true],
    ['resources', 'r://x', 'r://{a}', false],
    ['resourceTemplates', 'R://x', 'r://{a}', true],
    ['resourceTemplates', 'r://{a/b}', 'r://{a/b}', true],
    ['resourceTemplates', 'r://x', '', false],
  ])('in %s, for %s: %s', (kind, name, identity, matches) => {
    expect(targetMatcher(kind, name, ONE_SERVER)(identity)).toBe(matches);
  });
});
