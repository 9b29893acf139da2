import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/engine/configuration.js';
import type { Policy } from '../../../src/engine/policy.js';
import { isPageOfShownTool, isUriShown, type Lists } from '../../../src/gate/enforce/visibility.js';
import { policyOf, yaml } from '../../policy/author.js';
import { boundLists } from './bound-lists.js';

const POLICY = yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
  primitives:
    tools: { weak: { security: low }, chart: { security: high } }
    resources: { "ui://named": { security: low } }
`;
const policy = policyOf(POLICY);
const configured = (concerns: object, from: Policy = policy) =>
  resolveConfiguration(from, [{ from: 'request', concerns }]);
const high = configured({ security: 'high' });
const own = (security: string) => ({ _meta: { concerns: { security } } });
const lists = (given: Parameters<typeof boundLists>[1], from: Policy = policy) => boundLists(from, given);

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
    expect(isPageOfShownTool(known, 'ui://chart', high)).toBe(false);
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

  it('belongs to a tool anywhere in the list', () => {
    const weak = { name: 'weak', _meta: { ui: { resourceUri: 'ui://weak' } } };
    const resources = ['ui://weak', 'ui://chart'].map((uri) => ({ uri, ...own('low') }));
    const known = lists({ tools: [{ name: 'other' }, weak, shownTool], resources });
    expect(isPageOfShownTool(known, 'ui://chart', strict)).toBe(true);
    expect(isPageOfShownTool(known, 'ui://weak', strict)).toBe(false);
  });

  it('is decided apart from other resources', () => {
    const rule =
      'rules:\n  - { id: r, hide: [resources], when: { "===": [{ var: primitive.title }, "No"] } }\n';
    const from = policyOf(`${POLICY}${rule}`);
    const apps = { ...configured({ security: 'high' }, from), apps: true };
    const shown = lists({ tools: [shownTool], resources: [{ uri: 'ui://a', title: 'No' }] }, from);
    expect(isPageOfShownTool(shown, 'ui://chart', apps)).toBe(true);
    const hidden = lists({ tools: [shownTool], resources: [{ uri: 'ui://chart', title: 'No' }] }, from);
    expect(isPageOfShownTool(hidden, 'ui://chart', apps)).toBe(false);
  });
});
