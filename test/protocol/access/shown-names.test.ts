import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/engine/configuration.js';
import type { Primitive } from '../../../src/engine/mapping.js';
import type { Kind, Policy } from '../../../src/engine/policy.js';
import { bindCatalog } from '../../../src/engine/select.js';
import {
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
    security: { values: [low, high] }
    cost: { values: [small, large] }
    tier: { values: [free, pro], set-by: operator, claim: tier, default: free }
  primitives:
    tools:
      open: { security: high }
      both: { security: high, cost: small }
      weak: { security: low }
      chart: { security: high }
    prompts:
      ask: { security: low }
    resources:
      "file:///shown": { security: high }
      "file:///secret": { security: low }
      "ui://named": { security: low }
    resourceTemplates:
      "file:///day/{id}": { security: high }
      "file:///night/{id}": { security: low }
  patterns:
    tools:
      "known_*": { security: high }
      "weak_*": { security: low }
`;

const policy = policyOf(POLICY);
const configured = (concerns: object, from: Policy = policy) =>
  resolveConfiguration(from, [{ from: 'request', concerns }]);
const high = configured({ security: 'high' });

/** The lists of a server, by the names or URIs of what it lists. */
function lists(given: { readonly [K in Kind]?: readonly Primitive[] }, from: Policy = policy): Lists {
  return Object.fromEntries(
    Object.entries(given).map(([kind, items]) => [kind, bindCatalog(from, kind as Kind, items)]),
  );
}

describe('a name', () => {
  const known = lists({ tools: [{ name: 'open' }, { name: 'weak' }], prompts: [{ name: 'ask' }] });

  it.each([
    ['a listed tool that fits', 'tool', 'open', true],
    ['a listed tool that does not fit', 'tool', 'weak', false],
    ['a listed prompt that does not fit', 'prompt', 'ask', false],
    ['a tool that is not listed, but has an entry that fits', 'tool', 'both', true],
    ['a tool that is not listed, but has a pattern that fits', 'tool', 'known_1', true],
    ['a tool that is not listed, with a pattern that does not fit', 'tool', 'weak_1', false],
    ['a tool that nothing knows', 'tool', 'nothing', false],
    ['a prompt with the name of a tool', 'prompt', 'open', false],
  ] as const)('of %s', (_what, type, name, shown) => {
    expect(isShown(known, { type, name }, high)).toBe(shown);
  });

  it('of a primitive that is listed twice is shown only if both are', () => {
    const owned = (value: string) => ({ name: 'twice', _meta: { concerns: { security: value } } });
    const listed = lists({ tools: [owned('high'), owned('low')] });
    expect(isShown(listed, { type: 'tool', name: 'twice' }, high)).toBe(false);
    expect(isShown(lists({ tools: [owned('high')] }), { type: 'tool', name: 'twice' }, high)).toBe(true);
  });

  it('of a template is that of its text', () => {
    const listed = lists({
      resourceTemplates: [{ uriTemplate: 'file:///day/{id}' }, { uriTemplate: 'file:///night/{id}' }],
    });
    expect(isShown(listed, { type: 'uri', name: 'file:///day/{id}' }, high)).toBe(true);
    expect(isShown(listed, { type: 'uri', name: 'file:///night/{id}' }, high)).toBe(false);
  });
});

describe('the entry of the policy alone', () => {
  const tool = (name: string) => ({ type: 'tool', name }) as const;

  it('shows a tool with a value for each concern in effect', () => {
    const from = policyOf(POLICY.replace(/^.*tier.*\n/m, ''));
    expect(isShownByEntry(tool('open'), configured({ security: 'high' }, from))).toBe(true);
    expect(isShownByEntry(tool('open'), configured({ security: 'high', cost: 'small' }, from))).toBe(false);
    expect(isShownByEntry(tool('both'), configured({ security: 'high', cost: 'small' }, from))).toBe(true);
    expect(isShownByEntry(tool('both'), configured({ security: 'high', cost: 'large' }, from))).toBe(false);
  });

  it('does not decide where an operator concern has no value in it', () => {
    expect(isShownByEntry(tool('open'), high)).toBe(false);
  });

  it('does not decide about patterns, URIs, and what it hides', () => {
    const from = policyOf(POLICY.replace(/^.*tier.*\n/m, ''));
    const strict = configured({ security: 'high' }, from);
    expect(isShownByEntry(tool('known_1'), strict)).toBe(false);
    expect(isShownByEntry(tool('weak'), strict)).toBe(false);
    expect(isShownByEntry({ type: 'uri', name: 'file:///shown' }, strict)).toBe(false);
    expect(isShownByEntry({ type: 'prompt', name: 'open' }, strict)).toBe(false);
  });

  it.each([
    ['its name', '{ in: [{ var: primitive.name }, [open]] }', true],
    ['its kind', '{ "===": [{ var: primitive.kind }, prompts] }', true],
    ['claims', '{ "!!": { var: claims.blocked } }', true],
    ['its annotations', '{ "!!": { var: primitive.annotations.destructiveHint } }', false],
    ['its tags', '{ in: [a, { var: primitive.tags }] }', false],
  ])('decides only if rules read no more than %s', (_what, when, decides) => {
    const from = policyOf(
      `${POLICY.replace(/^.*tier.*\n/m, '')}rules:\n  - { id: r, hide: [tools], when: ${when} }\n`,
    );
    // The tool has another name than those that the rule hides, so the rule does not fire.
    expect(isShownByEntry(tool('both'), configured({ security: 'high' }, from))).toBe(decides);
  });

  it('does not care for rules about other kinds', () => {
    const rule = 'rules:\n  - { id: r, hide: [prompts], when: { "!!": { var: primitive.title } } }\n';
    const from = policyOf(`${POLICY.replace(/^.*tier.*\n/m, '')}${rule}`);
    expect(isShownByEntry(tool('both'), configured({ security: 'high' }, from))).toBe(true);
  });
});

describe('a URI', () => {
  const known = lists({
    resources: [{ uri: 'file:///shown' }, { uri: 'file:///secret' }],
    resourceTemplates: [{ uriTemplate: 'file:///day/{id}' }, { uriTemplate: 'file:///night/{id}' }],
  });

  it.each([
    ['that is listed and fits', 'file:///shown', true],
    ['that is listed and does not fit', 'file:///secret', false],
    ['in another form', 'FILE:///a/../secret', false],
    ['with an escape', 'file:///%73ecret', false],
    ['of a template that fits', 'file:///day/1', true],
    ['of a template that does not fit', 'file:///night/1', false],
    ['of nothing', 'file:///other', true],
    ['that is very long', `file:///${'a'.repeat(70_000)}`, false],
  ])('%s', (_what, uri, shown) => {
    expect(isUriShown(known, uri, high)).toBe(shown);
  });

  it('that the policy hides is hidden also if no list has it', () => {
    expect(isUriShown({}, 'file:///secret', high)).toBe(false);
    expect(isUriShown({}, 'file:///shown', high)).toBe(true);
  });

  it('of two templates is shown if one of them is', () => {
    const owned = (uriTemplate: string, security: string) => ({
      uriTemplate,
      _meta: { concerns: { security } },
    });
    const both = lists({ resourceTemplates: [owned('x://{a}', 'low'), owned('x://{+b}', 'high')] });
    expect(isUriShown(both, 'x://1', high)).toBe(true);
    expect(isUriShown(lists({ resourceTemplates: [owned('x://{a}', 'low')] }), 'x://1', high)).toBe(false);
  });

  it('that is listed in another form than the normal one is found in both', () => {
    const odd = lists({ resources: [{ uri: 'FILE:///secret' }] });
    expect(isUriShown(odd, 'FILE:///secret', high)).toBe(true);
    const hidden = lists({
      resources: [{ uri: 'FILE:///odd', _meta: { concerns: { security: 'low' } } }],
    });
    expect(isUriShown(hidden, 'FILE:///odd', high)).toBe(false);
    expect(isUriShown(hidden, 'file:///odd', high)).toBe(false);
  });
});

describe('the page of a tool', () => {
  const strict = { ...high, apps: true };
  const page = (uri: string) => ({ _meta: { ui: { resourceUri: uri } } });
  const shownTool = { name: 'chart', ...page('ui://chart') };
  const resource = { uri: 'ui://chart', _meta: { concerns: { security: 'low' } } };

  it.each<[string, Lists, string, boolean]>([
    ['is shown with the tool', lists({ tools: [shownTool], resources: [resource] }), 'ui://chart', true],
    ['is shown if no list has it', lists({ tools: [shownTool] }), 'ui://chart', true],
    [
      'is hidden with the tool',
      lists({ tools: [{ name: 'weak', ...page('ui://chart') }], resources: [resource] }),
      'ui://chart',
      false,
    ],
    ['is hidden if no tool has it', lists({ tools: [{ name: 'chart' }] }), 'ui://chart', false],
    ['is hidden without a list of tools', lists({ resources: [resource] }), 'ui://chart', false],
    [
      'is not a resource of another scheme',
      lists({ tools: [{ name: 'chart', ...page('file:///a') }] }),
      'file:///a',
      false,
    ],
    [
      'is not what the policy names',
      lists({ tools: [{ name: 'chart', ...page('ui://named') }] }),
      'ui://named',
      false,
    ],
    [
      'is not another form of its URI',
      lists({ tools: [{ name: 'chart', ...page('ui://a/../b') }] }),
      'ui://a/../b',
      false,
    ],
    [
      'is not that of a tool that only pages can call',
      lists({
        tools: [{ name: 'chart', _meta: { ui: { resourceUri: 'ui://chart', visibility: ['app'] } } }],
      }),
      'ui://chart',
      false,
    ],
  ])('%s', (_what, known, uri, shown) => {
    expect(isPageOfShownTool(known, uri, strict)).toBe(shown);
  });

  it('is a resource like any other for hosts without pages', () => {
    const known = lists({ tools: [shownTool], resources: [resource] });
    expect(isPageOfShownTool(known, 'ui://chart', { ...high, apps: false })).toBe(false);
    expect(isUriShown(known, 'ui://chart', { ...high, apps: false })).toBe(false);
    expect(isUriShown(known, 'ui://chart', strict)).toBe(true);
  });

  it('is hidden by a rule about it', () => {
    const rule =
      'rules:\n  - { id: r, hide: [resources], when: { "===": [{ var: primitive.uri }, "ui://chart"] } }\n';
    const from = policyOf(`${POLICY}${rule}`);
    const known = lists({ tools: [shownTool] }, from);
    expect(isPageOfShownTool(known, 'ui://chart', { ...configured({}, from), apps: true })).toBe(false);
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
  ])('in %s, for %s: %s', (kind, name, identity, matches) => {
    expect(targetMatcher(kind, name)(identity)).toBe(matches);
  });
});
