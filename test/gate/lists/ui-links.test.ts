import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../src/core/engine/policy.js';
import { gather } from '../../../src/core/gate/edge/gather.js';
import { withoutHiddenUi } from '../../../src/core/gate/lists/tools-for-client.js';
import { exchangeOf } from '../exchange-of.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  resources: { "ui://hidden": { tier: pro }, "ui://other": { tier: pro } }
`;
const policy = policyOf(`${POLICY}settings: { enforcement: enforce }\n`);
const advisory = policyOf(POLICY);

const HIDDEN = 'ui://hidden';
const SHOWN = 'ui://shown';
const nested = (resourceUri: unknown) => ({ name: 'a', _meta: { ui: { resourceUri, more: 1 }, trace: 'x' } });
const flat = (uri: unknown) => ({ name: 'a', _meta: { 'ui/resourceUri': uri, trace: 'x' } });

function now(
  harness: Harness,
  kind: Kind,
  items: readonly object[],
  then: (items: readonly object[]) => void,
) {
  const exchange = exchangeOf(harness, 'tools/list');
  const found = gather(exchange, withoutHiddenUi(exchange, kind, items));
  if (!(found instanceof Promise)) then(found);
}

/** Returns the items without links to hidden resources, and what the server was asked. */
function linked(
  items: readonly object[],
  { kind = 'tools', given = policy }: { kind?: Kind; given?: typeof policy } = {},
) {
  const harness = new Harness(given).serve({ 'resources/list': [], 'resources/templates/list': [] });
  const found: (readonly object[])[] = [];
  void now(harness, kind, items, (each) => found.push(each));
  const asked = harness.toServer.map((message) => ('method' in message ? message.method : undefined));
  return { found, asked };
}

describe('a link to a hidden resource', () => {
  it.each<[string, object, object]>([
    [
      'in the form of the specification',
      nested(HIDDEN),
      { name: 'a', _meta: { ui: { more: 1 }, trace: 'x' } },
    ],
    ['in the form of drafts', flat(HIDDEN), { name: 'a', _meta: { trace: 'x' } }],
    [
      'in both forms',
      { _meta: { ui: { resourceUri: HIDDEN }, 'ui/resourceUri': HIDDEN } },
      { _meta: { ui: {} } },
    ],
    [
      'in one of both forms',
      { _meta: { ui: { resourceUri: SHOWN }, 'ui/resourceUri': HIDDEN } },
      { _meta: { ui: { resourceUri: SHOWN } } },
    ],
  ])('is removed %s', (_what, tool, without) => {
    expect(linked([tool]).found).toEqual([[without]]);
  });

  it('is removed from each tool that has one, and other tools stay the same objects', () => {
    const plain = { name: 'plain' };
    const shown = nested(SHOWN);
    const { found } = linked([plain, nested(HIDDEN), shown, flat('ui://other')]);
    expect(found).toEqual([
      [
        plain,
        { name: 'a', _meta: { ui: { more: 1 }, trace: 'x' } },
        shown,
        { name: 'a', _meta: { trace: 'x' } },
      ],
    ]);
    expect(found[0]?.[0]).toBe(plain);
    expect(found[0]?.[2]).toBe(shown);
  });

  it('is removed if a list of resources cannot be read', () => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('id' in message)) return;
      void harness.server({ jsonrpc: '2.0', id: message.id, error: { code: -32603, message: 'no' } });
    };
    const found: (readonly object[])[] = [];
    now(harness, 'tools', [flat(SHOWN)], (each) => found.push(each));
    expect(found).toEqual([[{ name: 'a', _meta: { trace: 'x' } }]]);
  });
});

describe('the same list', () => {
  it('is given if every link leads to a shown resource', () => {
    const items = [nested(SHOWN), flat(SHOWN)];
    const { found, asked } = linked(items);
    expect(found[0]).toBe(items);
    expect(asked).toEqual(expect.arrayContaining(['resources/list', 'resources/templates/list']));
  });

  it('is given if a list of resources is too long to be held, and has no such link', () => {
    const harness = new Harness(policy);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const at = Number(message.params?.cursor ?? 0);
      const result = at < 150 ? { resources: [], nextCursor: `${at + 1}` } : { resources: [] };
      void harness.server({ jsonrpc: '2.0', id: message.id, result });
    };
    const items = [nested(SHOWN)];
    const found: (readonly object[])[] = [];
    now(harness, 'tools', items, (each) => found.push(each));
    expect(found[0]).toBe(items);
  });

  it.each<[string, readonly object[], Parameters<typeof linked>[1]]>([
    ['nothing is enforced', [nested(HIDDEN)], { given: advisory }],
    ['it is a list of prompts', [nested(HIDDEN)], { kind: 'prompts' }],
    [
      'no tool has a link',
      [{ name: 'a' }, { name: 'b', _meta: { trace: 'x' } }, nested(7), flat([HIDDEN])],
      {},
    ],
    ['it is empty', [], {}],
  ])('is given without a question to the server if %s', (_what, items, options) => {
    const { found, asked } = linked(items, options);
    expect(found).toHaveLength(1);
    expect(found[0]).toBe(items);
    expect(asked).toEqual([]);
  });
});
