import { describe, expect, it } from 'vitest';
import { type Configuration, resolveConfiguration } from '../../../src/engine/configuration.js';
import type { Primitive } from '../../../src/engine/mapping.js';
import type { Kind, Policy } from '../../../src/engine/policy.js';
import { bindCatalog } from '../../../src/engine/select.js';
import {
  decisionOnKnownUri,
  decisionOnName,
  isBareShown,
  isPageOfShownTool,
  isShown,
  isShownByEntry,
  isUriShown,
  type Lists,
  targetMatcher,
} from '../../../src/protocol/access/visibility.js';
import { policyOf, yaml } from '../../policy/author.js';

const POLICY = yaml`
  version: 1
  concerns:
    security: { values: [low, high], model: narrow }
  primitives:
    tools: { weak: { security: low }, strong: { security: high } }
    resources: { "r://weak": { security: low }, "r://strong": { security: high } }
`;
const policy = policyOf(POLICY);
const strict = policyOf(`${POLICY}settings: { unmapped: hide }\n`);
const high = (from: Policy = policy): Configuration =>
  resolveConfiguration(from, [{ from: 'request', concerns: { security: 'high' } }]);
const own = (security: string) => ({ _meta: { concerns: { security } } });

function lists(given: { readonly [K in Kind]?: readonly Primitive[] }, from: Policy = policy): Lists {
  return Object.fromEntries(
    Object.entries(given).map(([kind, items]) => [kind, bindCatalog(from, kind as Kind, items)]),
  );
}

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
    expect(decisionOnKnownUri({}, 'r://weak', high())).toBe(false);
    expect(decisionOnKnownUri({}, 'r://other', high())).toBeUndefined();
    expect(decisionOnKnownUri({}, '', high())).toBeUndefined();
  });

  it('may have 65,536 characters', () => {
    const uri = `r://${'x'.repeat(65_532)}`;
    expect(decisionOnKnownUri(known, uri, high())).toBeUndefined();
    expect(decisionOnKnownUri(known, `${uri}x`, high())).toBe(false);
  });
});

describe('a URI under `unmapped: hide`', () => {
  const known = lists({ resourceTemplates: [{ uriTemplate: 't://{id}', ...own('high') }] }, strict);

  it.each([
    ['of a template that is shown', 't://1', true],
    ['of a template that is shown, in another form', 'T://1', true],
    ['with an entry', 'r://strong', true],
    ['of nothing', 'r://other', false],
  ])('%s', (_what, uri, shown) => {
    expect(isUriShown(known, uri, high(strict))).toBe(shown);
  });

  it('is shown by the policy alone only with an entry', () => {
    expect(isBareShown('resources', 'r://strong', high(strict))).toBe(true);
    expect(isBareShown('resources', 'r://other', high(strict))).toBe(false);
    expect(isBareShown('resources', 'r://other', high())).toBe(true);
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

describe('the entry of the policy alone', () => {
  const tool = { type: 'tool', name: 'strong' } as const;

  it('decides only if the values of the model show the tool, too', () => {
    const withModel = (security: string): Configuration =>
      resolveConfiguration(policy, [
        { from: 'model', concerns: { security } },
        { from: 'session', concerns: { security: 'low' } },
      ]);
    const weak = { type: 'tool', name: 'weak' } as const;
    expect(
      isShownByEntry(
        weak,
        resolveConfiguration(policy, [{ from: 'session', concerns: { security: 'low' } }]),
      ),
    ).toBe(true);
    expect(withModel('high').narrowed).toBeDefined();
    expect(isShownByEntry(weak, withModel('high'))).toBe(false);
  });

  it('does not decide if the model set a concern that has no value in it', () => {
    const both = policyOf(yaml`
      version: 1
      concerns:
        security: { values: [low, high] }
        cost: { values: [small, large], model: narrow }
      primitives:
        tools: { strong: { security: high }, cheap: { security: high, cost: small } }
    `);
    const narrowed = resolveConfiguration(both, [
      { from: 'model', concerns: { cost: 'small' } },
      { from: 'session', concerns: { security: 'high', cost: null } },
    ]);
    expect(narrowed.narrowed).toBeDefined();
    expect(isShownByEntry(tool, high(both))).toBe(true);
    expect(isShownByEntry(tool, narrowed)).toBe(false);
    expect(isShownByEntry({ type: 'tool', name: 'cheap' }, narrowed)).toBe(true);
  });

  it('does not decide about a URI that is named like a prompt', () => {
    const named = policyOf(
      `${POLICY.replace('  resources:', '  prompts: { "r://p": { security: high } }\n  resources:')}`,
    );
    expect(isShownByEntry({ type: 'prompt', name: 'r://p' }, high(named))).toBe(true);
    expect(isShownByEntry({ type: 'uri', name: 'r://p' }, high(named))).toBe(false);
    expect(isShownByEntry({ type: 'tool', name: 'r://p' }, high(named))).toBe(false);
  });

  it.each([
    ['its name and kind', '{ and: [{ var: primitive.name }, { var: primitive.kind }] }', true],
    ['its name and its title', '{ and: [{ var: primitive.name }, { var: primitive.title }] }', false],
    ['its title and its name', '{ and: [{ var: primitive.title }, { var: primitive.name }] }', false],
    ['a member of its metadata named like the client', '{ "!!": { var: primitive.meta.client } }', false],
    ['a member of its metadata named like a name', '{ "!!": { var: primitive.meta.primitive.name } }', false],
    ['a concern', '{ "!!": { var: concerns.security } }', true],
    ['the era', '{ "===": [{ var: protocol.era }, modern] }', true],
    ['the client', '{ "!!": { var: client.capabilities.sampling } }', true],
  ])('decides if rules read %s: %s', (_what, when, decides) => {
    // Nothing hides the tool, because the rule shows tools.
    const from = policyOf(`${POLICY}rules:\n  - { id: r, show: [tools], when: ${when} }\n`);
    expect(isShownByEntry(tool, high(from))).toBe(decides);
  });
});

describe('the page of a tool', () => {
  const chart = { name: 'chart', _meta: { ui: { resourceUri: 'ui://chart' } } };

  it('belongs to a tool anywhere in the list', () => {
    const weak = { name: 'weak', _meta: { ui: { resourceUri: 'ui://weak' } } };
    const resources = ['ui://weak', 'ui://chart'].map((uri) => ({ uri, ...own('low') }));
    const known = lists({ tools: [{ name: 'strong' }, weak, chart], resources });
    expect(isPageOfShownTool(known, 'ui://chart', { ...high(), apps: true })).toBe(true);
    expect(isPageOfShownTool(known, 'ui://weak', { ...high(), apps: true })).toBe(false);
  });

  it('is no page for a host without pages', () => {
    const known = lists({ tools: [chart] });
    expect(isPageOfShownTool(known, 'ui://chart', { ...high(), apps: true })).toBe(true);
    expect(isPageOfShownTool(known, 'ui://chart', { ...high(), apps: false })).toBe(false);
    expect(isPageOfShownTool(known, 'ui://chart', high())).toBe(false);
  });

  it('is decided apart from other resources', () => {
    const rule =
      'rules:\n  - { id: r, hide: [resources], when: { "===": [{ var: primitive.title }, "No"] } }\n';
    const from = policyOf(`${POLICY}${rule}`);
    const apps = { ...high(from), apps: true };
    const shown = lists({ tools: [chart], resources: [{ uri: 'ui://a', title: 'No' }] }, from);
    expect(isPageOfShownTool(shown, 'ui://chart', apps)).toBe(true);
    const hidden = lists({ tools: [chart], resources: [{ uri: 'ui://chart', title: 'No' }] }, from);
    expect(isPageOfShownTool(hidden, 'ui://chart', apps)).toBe(false);
  });
});

describe('the primitives that a request could mean', () => {
  it.each<[Kind, string, string, boolean]>([
    ['prompts', 'x', '{a}', false],
    ['tools', 'x', '{a}', false],
    ['resources', 'R://x', 'r://x', true],
    ['resources', 'r://x', 'r://{a}', false],
    ['resourceTemplates', 'R://x', 'r://{a}', true],
    ['resourceTemplates', 'r://{a/b}', 'r://{a/b}', true],
    ['resourceTemplates', 'r://x', '', false],
  ])('in %s, for %s: %s', (kind, name, identity, matches) => {
    expect(targetMatcher(kind, name)(identity)).toBe(matches);
  });
});
