import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import type { Primitive } from '../../../src/core/engine/mapping.js';
import type { Kind } from '../../../src/core/engine/policy.js';
import { explainTarget } from '../../../src/core/gate/enforce/explain-target.js';
import type { Lists } from '../../../src/core/gate/enforce/visibility.js';
import { NO_LISTS } from '../../../src/core/gate/request/whole-list.js';
import { policyOf, yaml } from '../../policy/author.js';
import { boundLists } from './bound-lists.js';

const policy = policyOf(yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
  primitives:
    tools: { weak: { security: low } }
    prompts: { weak: { security: high } }
    resources: { "r://entry": { security: low } }
`);
const high = resolveConfiguration(policy, [{ from: 'request', concerns: { security: 'high' } }]);
const own = (security: string) => ({ _meta: { concerns: { security } } });

function lists(given: { readonly [K in Kind]?: readonly Primitive[] }): Lists {
  return boundLists(policy, given);
}

const explain = (known: Lists, type: 'tool' | 'prompt' | 'uri', name: string, isHidden: boolean) =>
  explainTarget(known, { type, name }, high, isHidden);

const FITS = { effect: 'show', reason: { code: 'fits' } };
const mismatch = (source: unknown = '_meta.concerns') => ({
  effect: 'hide',
  reason: { code: 'concern-mismatch', concern: 'security', preferred: ['high'], actual: ['low'], source },
});
const inPolicy = expect.stringMatching(/policy\.yaml:\d+$/);

describe('the decision on a target in words', () => {
  it.each<[string, Lists, 'tool' | 'prompt' | 'uri', string, boolean, object | undefined]>([
    [
      'a listed tool that is hidden',
      lists({ tools: [{ name: 'a' }, { name: 'b', ...own('low') }] }),
      'tool',
      'b',
      true,
      { decision: mismatch(), isListed: true },
    ],
    [
      'a listed tool that is shown',
      lists({ tools: [{ name: 'a', ...own('low') }, { name: 'b' }] }),
      'tool',
      'b',
      false,
      { decision: FITS, isListed: true },
    ],
    [
      'a tool that only an entry names',
      NO_LISTS,
      'tool',
      'weak',
      true,
      { decision: mismatch(inPolicy), isListed: false },
    ],
    [
      'a prompt that only an entry names',
      NO_LISTS,
      'prompt',
      'weak',
      false,
      { decision: FITS, isListed: false },
    ],
    ['a tool that is hidden because nothing knows it', NO_LISTS, 'tool', 'x', true, undefined],
    [
      'a prompt, in a list of prompts',
      lists({ tools: [{ name: 'b' }], prompts: [{ name: 'b', ...own('low') }] }),
      'prompt',
      'b',
      true,
      { decision: mismatch(), isListed: true },
    ],
    [
      'a URI that only an entry names',
      NO_LISTS,
      'uri',
      'r://entry',
      true,
      { decision: mismatch(inPolicy), isListed: false },
    ],
    ['a URI that nothing knows', NO_LISTS, 'uri', 'r://x', false, { decision: FITS, isListed: false }],
    [
      'a listed resource',
      lists({ resources: [{ uri: 'r://a', ...own('low') }] }),
      'uri',
      'r://a',
      true,
      { decision: mismatch(), isListed: true },
    ],
    [
      'a listed resource in another form',
      lists({ resources: [{ uri: 'r://a', ...own('low') }] }),
      'uri',
      'R://a',
      true,
      { decision: mismatch(), isListed: false },
    ],
    [
      'a URI of a template',
      lists({ resourceTemplates: [{ uriTemplate: 't://{id}', ...own('low') }] }),
      'uri',
      't://7',
      true,
      { decision: mismatch(), isListed: false },
    ],
    [
      'one of two with the name',
      lists({ tools: [{ name: 'b' }, { name: 'b', ...own('low') }] }),
      'tool',
      'b',
      true,
      { decision: mismatch(), isListed: true },
    ],
    ['a list of other tools', lists({ tools: [{ name: 'a', ...own('low') }] }), 'tool', 'b', true, undefined],
  ])('is about %s', (_what, known, type, name, isHidden, expected) => {
    expect(explain(known, type, name, isHidden)).toEqual(expected);
  });

  it('does not say that an empty name is listed, if there is no list', () => {
    expect(explain(NO_LISTS, 'tool', '', false)).toEqual({ decision: FITS, isListed: false });
  });

  it('is missing for a name that is too long for a log', () => {
    expect(explain(NO_LISTS, 'tool', 'x'.repeat(1024), false)).toEqual({ decision: FITS, isListed: false });
    expect(explain(NO_LISTS, 'tool', 'x'.repeat(1025), false)).toBeUndefined();
  });
});
