import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { isShown, isUriShown } from '../../../src/core/gate/enforce/visibility.js';
import { NO_LISTS } from '../../../src/core/gate/request/whole-list.js';
import { policyOf, yaml } from '../../policy/author.js';
import { boundLists } from './bound-lists.js';

const POLICY = yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
    cost: { values: [small, large] }
  primitives:
    tools:
      open: { security: high }
      both: { security: high, cost: small }
      weak: { security: low }
    prompts:
      ask: { security: low }
    resources:
      "file:///shown": { security: high }
      "file:///secret": { security: low }
    resourceTemplates:
      "file:///day/{id}": { security: high }
      "file:///night/{id}": { security: low }
  patterns:
    tools:
      "known_*": { security: high }
      "weak_*": { security: low }
`;

const policy = policyOf(POLICY);
const high = resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }]);
const lists = (given: Parameters<typeof boundLists>[1]) => boundLists(policy, given);

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
    expect(isUriShown(NO_LISTS, 'file:///secret', high)).toBe(false);
    expect(isUriShown(NO_LISTS, 'file:///shown', high)).toBe(true);
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
