import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Primitive } from '../../../src/core/engine/mapping.js';
import { KINDS, type Kind } from '../../../src/core/engine/policy.js';
import { bindCatalog } from '../../../src/core/engine/select.js';
import { hiddenNameFinder, isHiddenIdentity } from '../../../src/core/gate/enforce/hidden-names.js';
import type { Lists } from '../../../src/core/gate/enforce/visibility.js';
import { NO_LISTS } from '../../../src/core/gate/request/whole-list.js';
import { policyOf, yaml } from '../../policy/author.js';
import { boundLists } from './bound-lists.js';

const POLICY = yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
  primitives:
    tools: { weak: { security: low }, strong: { security: high }, chart: { security: high } }
    prompts: { ask: { security: low } }
    resources: { "r://a/x y": { security: low } }
    resourceTemplates: { "t://{id}": { security: low }, "u://{id}": { security: high } }
  patterns:
    tools: { "old_*": { security: low } }
`;
const policy = policyOf(POLICY);
const high = resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }]);
const low = resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'low' } }]);
const own = (security: string) => ({ _meta: { concerns: { security } } });

function lists(given: { readonly [K in Kind]?: readonly Primitive[] }): Lists {
  return boundLists(policy, given);
}

const namesIn = (known: Lists, text: string, configuration = high): string[] =>
  hiddenNameFinder(known, configuration)
    .find(text)
    .map(({ name }) => name);

describe('the finder of hidden names', () => {
  it('finds what only the entries of the policy name', () => {
    expect(namesIn(NO_LISTS, 'weak strong ask "t://{id}" "u://{id}" other old_1')).toEqual([
      'weak',
      'ask',
      't://{id}',
    ]);
  });

  it('finds what lists contain and the policy hides, of every kind', () => {
    const known = lists({
      tools: [{ name: 'old_1' }, { name: 'strong' }, { name: 'mine', ...own('low') }],
      prompts: [{ name: 'say', ...own('low') }],
      resources: [{ uri: 'r://hidden', ...own('low') }, { uri: 'r://shown' }],
      resourceTemplates: [{ uriTemplate: 'v://{id}', ...own('low') }],
    });
    expect(namesIn(known, 'old_1 strong mine say "r://hidden" "r://shown" "v://{id}" weak')).toEqual([
      'old_1',
      'mine',
      'say',
      'r://hidden',
      'v://{id}',
      'weak',
    ]);
  });

  it('finds the URI of a resource in each of its forms, and other names only as they are', () => {
    const known = lists({
      resources: [{ uri: 'R://Hidden/%61', ...own('low') }],
      resourceTemplates: [{ uriTemplate: 'W://{id}', ...own('low') }],
      tools: [{ name: 'V://%61', ...own('low') }],
    });
    expect(namesIn(known, 'R://Hidden/%61, r://Hidden/a, r://hidden/a, W://{id}; w://{id}')).toEqual([
      'R://Hidden/%61',
      'r://Hidden/a',
      'W://{id}',
    ]);
    expect(namesIn(known, 'V://%61, v://%61, V://a')).toEqual(['V://%61']);
    expect(namesIn(NO_LISTS, 'r://a/x y, r://a/x%20y')).toEqual(['r://a/x y', 'r://a/x%20y']);
  });

  it('does not find an entry whose primitive a list shows', () => {
    const known = lists({ prompts: [{ name: 'ask' }, { name: 'tell' }] });
    expect(namesIn(known, 'ask tell')).toEqual(['ask']);
    expect(namesIn(lists({ tools: [{ name: 'strong' }] }), 'strong')).toEqual([]);
  });

  it('does not find an entry whose primitive a rule shows by what the list says', () => {
    const rule = 'rules:\n  - { id: r, show: [tools], when: { "===": [{ var: primitive.title }, Yes] } }\n';
    const from = policyOf(`${POLICY}${rule}`);
    const configuration = resolveConfiguration(from, [{ from: 'request', concerns: { security: 'high' } }]);
    const tools = bindCatalog(from, 'tools', [{ name: 'weak', title: 'Yes' }]);
    expect(namesIn({ ...NO_LISTS, tools }, 'weak ask', configuration)).toEqual(['ask']);
    expect(isHiddenIdentity({ ...NO_LISTS, tools }, 'weak', configuration)).toBe(false);
    expect(namesIn(NO_LISTS, 'weak ask', configuration)).toEqual(['weak', 'ask']);
  });

  it('is one for each configuration and each set of lists', () => {
    const tools = lists({
      tools: [
        { name: 'a', ...own('low') },
        { name: 'b', ...own('high') },
      ],
    });
    const both = { ...tools, ...lists({ prompts: [{ name: 'c', ...own('low') }] }) };
    expect(namesIn(tools, 'a b c')).toEqual(['a']);
    expect(namesIn(both, 'a b c')).toEqual(['a', 'c']);
    expect(namesIn(tools, 'a b c')).toEqual(['a']);
    expect(namesIn(tools, 'a b c', low)).toEqual(['b']);
    expect(namesIn(lists({ tools: [{ name: 'b', ...own('low') }] }), 'a b c')).toEqual(['b']);
    expect(namesIn(NO_LISTS, 'a b c')).toEqual([]);
  });

  it('is kept while lists and configuration stay the same', () => {
    const known = lists({ prompts: [{ name: 'a' }] });
    const finder = hiddenNameFinder(known, high);
    expect(hiddenNameFinder({ ...known }, high)).toBe(finder);
    expect(hiddenNameFinder(known, low)).not.toBe(finder);
    expect(hiddenNameFinder(known, high)).toBe(finder);
    expect(hiddenNameFinder(lists({ prompts: [{ name: 'a' }] }), high)).not.toBe(finder);
    expect(hiddenNameFinder(NO_LISTS, high)).toBe(hiddenNameFinder(NO_LISTS, high));
  });

  it('is kept for each of several sets of lists', () => {
    const item = { name: 'a', uri: 'r://a', uriTemplate: 'r://{a}' };
    const sets = [NO_LISTS, ...KINDS.map((kind) => lists({ [kind]: [item] }))];
    const built = sets.map((known) => hiddenNameFinder(known, high));
    expect(new Set(built).size).toBe(5);
    for (const [index, known] of sets.entries()) expect(hiddenNameFinder(known, high)).toBe(built[index]);
  });

  it('is kept for the latest of many configurations', () => {
    const many = policyOf('version: 1\nconcerns: { budget: { values: { min: 0, max: 500 } } }\n');
    const finder = (budget: number) =>
      hiddenNameFinder(NO_LISTS, resolveConfiguration(many, [{ from: 'request', concerns: { budget } }]));
    const [first, second] = [finder(0), finder(1)];
    expect(finder(0)).toBe(first);
    for (let budget = 2; budget < 100; budget++) finder(budget);
    const last = finder(100);
    expect(finder(1)).not.toBe(second);
    expect(finder(100)).toBe(last);
  });

  it('finds nothing if nothing is hidden', () => {
    const open = resolveConfiguration(policy, []);
    expect(namesIn(lists({ tools: [{ name: 'weak' }] }), 'weak ask', open)).toEqual([]);
  });
});

describe('a hidden identity', () => {
  const known = lists({
    tools: [{ name: 'old_1' }, { name: 'strong' }],
    resources: [{ uri: 'r://hidden', ...own('low') }],
  });

  it.each([
    ['a listed tool that is hidden', 'old_1', true],
    ['a listed tool that is shown', 'strong', false],
    ['a tool that only an entry names', 'weak', true],
    ['a prompt that only an entry names', 'ask', true],
    ['an entry that fits', 'chart', false],
    ['a resource', 'r://hidden', true],
    ['a resource that only an entry names', 'r://a/x y', true],
    ['a template that only an entry names', 't://{id}', true],
    ['a template that is shown', 'u://{id}', false],
    ['a tool that only a pattern would hide', 'old_2', false],
    ['nothing', 'other', false],
  ])('is %s: %s', (_what, text, expected) => {
    expect(isHiddenIdentity(known, text, high)).toBe(expected);
  });

  it('is one that the list of any kind hides', () => {
    const both = lists({ tools: [{ name: 'x' }], prompts: [{ name: 'x', ...own('low') }] });
    expect(isHiddenIdentity(both, 'x', high)).toBe(true);
    expect(isHiddenIdentity(lists({ tools: [{ name: 'x' }] }), 'x', high)).toBe(false);
  });
});
