import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { isUpdateShown } from '../../../src/core/gate/concerns/list-changed.js';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { announceChanges, onListChanged } from '../../../src/core/gate/edge/server-messages.js';
import type { View } from '../../../src/core/gate/request/facts.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { Capability } from '../../../src/core/wire/messages.js';
import { decided } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { failing, Talk } from './talk.js';

const POLICY = `
concerns: { security: { values: [low, high] } }
primitives:
  tools: { a: { security: low }, b: { security: high } }
  prompts: { p: { security: high } }
  resources: { "x://low": { security: low }, "x://high": { security: high } }
settings: { enforcement: enforce }
`;
const policy = policyOf(POLICY);
const HIGH = { concerns: { security: 'high' } };
const lists = {
  tools: [{ name: 'a' }, { name: 'b' }],
  prompts: [{ name: 'p' }],
  resources: [{ uri: 'x://low' }, { uri: 'x://high' }],
};

const connected = (preferences: SessionPreferences = { place: 'connection', record: HIGH }) =>
  new Talk(policy, { lists, preferences });
const UNREADABLE = { place: 'store', store: failing(createMemoryStore(), 'read'), id: 's' } as const;

/** Lets the gate hold these lists of the server. */
function hold(exchange: Exchange, ...kinds: ('tools' | 'prompts' | 'resources')[]): void {
  const { policy: bound, connection, ask } = exchange;
  for (const kind of kinds) connection.catalog.get(kind, bound, ask, () => undefined);
}
const changed = (capability: string) =>
  ({ jsonrpc: '2.0', method: `notifications/${capability}/list_changed` }) as const;
/** Lets the server announce changes of these lists. */
const announce = (talk: Talk, announced: readonly Capability[]): void =>
  talk.connection.handshake({ state: 'accepted', client: { name: 'c' }, server: { name: 's' }, announced });
const asked = (talk: Talk) => talk.toServer.map((message) => 'method' in message && message.method);

describe('a list that changed', () => {
  const TOOLS = changed('tools');

  it('is announced at once if nothing was listed yet', () => {
    const talk = connected();
    expect(onListChanged(talk.exchange('tools/list'), TOOLS, 'tools')).toBe(TOOLS);
    expect(talk.toServer).toEqual([]);
  });

  it.each<[string, object[], boolean]>([
    ['stays as it was', [{ name: 'a' }, { name: 'b' }], false],
    ['changes where the client does not see it', [{ name: 'a', title: 'A' }, { name: 'b' }], false],
    ['loses what the client does not see', [{ name: 'b' }], false],
    ['gets what the client sees', [{ name: 'a' }, { name: 'b' }, { name: 'c' }], true],
    ['changes a definition that the client sees', [{ name: 'a' }, { name: 'b', title: 'B' }], true],
    ['loses what the client sees', [{ name: 'a' }], true],
  ])('is announced only if its visible part changed: it %s', async (_what, tools, isAnnounced) => {
    const talk = connected();
    const exchange = talk.exchange('tools/list');
    hold(exchange, 'tools', 'resources');
    talk.lists = { ...lists, tools };
    expect(await onListChanged(exchange, TOOLS, 'tools')).toBe(isAnnounced ? TOOLS : undefined);
    expect(asked(talk)).toEqual(['tools/list', 'resources/list', 'tools/list']);
  });

  it('is not announced if only a list of another capability changed', async () => {
    const talk = connected();
    const exchange = talk.exchange('tools/list');
    hold(exchange, 'tools', 'prompts');
    talk.lists = { ...lists, tools: [] };
    expect(await onListChanged(exchange, changed('prompts'), 'prompts')).toBeUndefined();
  });

  it('is not announced if only another list was shown', async () => {
    const talk = connected();
    const exchange = talk.exchange('tools/list');
    hold(exchange, 'prompts');
    expect(await onListChanged(exchange, TOOLS, 'tools')).toBeUndefined();
    expect(asked(talk)).toEqual(['prompts/list']);
  });

  it('is announced if it cannot be read again', async () => {
    const talk = connected();
    const exchange = talk.exchange('tools/list');
    hold(exchange, 'tools');
    talk.lists = { tools: 500 };
    expect(await onListChanged(exchange, TOOLS, 'tools')).toBe(TOOLS);
  });

  it('is announced if the session cannot be read', async () => {
    const exchange = connected(UNREADABLE).exchange('tools/list');
    hold(exchange, 'tools');
    expect(await onListChanged(exchange, TOOLS, 'tools')).toBe(TOOLS);
  });
});

describe('a resource that was updated', () => {
  const onResourceUpdated = (
    exchange: Exchange,
    update: ReturnType<typeof message>,
    views: readonly View[],
  ) =>
    decided(exchange, isUpdateShown(exchange.policy, update.params.uri, views)) === true ? update : undefined;
  const message = (uri: unknown) =>
    ({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }) as const;
  const view = async (talk: Talk, concerns: object): Promise<View> => {
    const { configuration, request } = await talk.configured(
      'resources/read',
      {},
      {
        http: { url: `http://x.test/mcp?concerns=${Object.entries(concerns).join().replace(',', ':')}` },
      },
    );
    return { configuration, request, substitute: undefined };
  };
  const open = () => new Talk(policy, { lists });

  it.each([
    ['shown', 'x://high', true],
    ['hidden', 'x://low', false],
    ['not listed', 'x://other', true],
  ])('is announced only if it is shown: it is %s', async (_what, uri, isAnnounced) => {
    const talk = open();
    const views = [await view(talk, { security: 'high' })];
    const update = message(uri);
    expect(onResourceUpdated(talk.exchange('ping'), update, views)).toBe(isAnnounced ? update : undefined);
  });

  it('is announced only if every request in flight shows it', async () => {
    const talk = open();
    const [low, high] = [await view(talk, { security: 'low' }), await view(talk, { security: 'high' })];
    const update = message('x://high');
    const exchange = talk.exchange('ping');
    expect(onResourceUpdated(exchange, update, [high, high])).toBe(update);
    expect(onResourceUpdated(exchange, update, [high, low])).toBeUndefined();
    expect(onResourceUpdated(exchange, update, [])).toBe(update);
  });

  it.each([undefined, null, 7, ['x://high']])('is not announced without a URI: %j', async (uri) => {
    const talk = open();
    const views = [await view(talk, { security: 'high' })];
    expect(onResourceUpdated(talk.exchange('ping'), message(uri), views)).toBeUndefined();
    expect(talk.toServer).toEqual([]);
  });

  it('is not announced if a list cannot be read', async () => {
    const talk = new Talk(policy, { lists: { resources: 500 } });
    const views = [await view(talk, { security: 'high' })];
    expect(onResourceUpdated(talk.exchange('ping'), message('x://high'), views)).toBeUndefined();
  });

  it('is not announced to a request under another policy', async () => {
    const talk = open();
    const views = [await view(talk, { security: 'high' })];
    talk.live.replace(policyOf(POLICY.replace('a: { security: low }', 'a: { security: high }')));
    expect(onResourceUpdated(talk.exchange('ping'), message('x://high'), views)).toBeUndefined();
  });
});

describe('a policy that is replaced', () => {
  const replaced = (from: string, to: string): Policy => policyOf(POLICY.replace(from, to));
  const SHOWS_A = replaced('a: { security: low }', 'a: { security: high }');
  const HIDES_P = replaced('p: { security: high }', 'p: { security: low }');

  /** Replaces the policy, and returns what the client is told. */
  async function replace(talk: Talk, next: Policy, ...kinds: ('tools' | 'prompts' | 'resources')[]) {
    const before = talk.exchange('tools/list');
    hold(before, ...kinds);
    talk.live.replace(next);
    await announceChanges(talk.connection, before);
    return talk.toClient;
  }
  const told = (...capabilities: string[]) =>
    capabilities.map((each) => ({ message: changed(each), relatedTo: undefined }));

  it.each([
    ['tools', SHOWS_A, ['tools']],
    ['prompts', HIDES_P, ['prompts']],
    [
      'none',
      replaced('primitives:', 'primitives:\n  resourceTemplates: { "y://{z}": { security: low } }'),
      [],
    ],
  ])('announces the lists that look different: %s', async (_what, next, capabilities) => {
    const talk = connected();
    announce(talk, ['tools', 'prompts', 'resources']);
    expect(await replace(talk, next, 'tools', 'prompts', 'resources')).toEqual(told(...capabilities));
    expect(talk.reports).toEqual([]);
  });

  it('announces several lists, in their order', async () => {
    const talk = connected();
    announce(talk, ['resources', 'prompts', 'tools']);
    const next = policyOf(POLICY.replaceAll('security: high }', 'security: low }'));
    expect(await replace(talk, next, 'resources', 'tools', 'prompts')).toEqual(
      told('tools', 'prompts', 'resources'),
    );
  });

  it('does not announce a list that the server does not announce, or that nobody listed', async () => {
    const silent = connected();
    announce(silent, ['prompts']);
    expect(await replace(silent, SHOWS_A, 'tools')).toEqual([]);
    const unlisted = connected();
    announce(unlisted, ['tools']);
    expect(await replace(unlisted, SHOWS_A, 'prompts')).toEqual([]);
  });

  it('is reported if the session cannot be read', async () => {
    const talk = connected(UNREADABLE);
    announce(talk, ['tools']);
    expect(await replace(talk, SHOWS_A, 'tools')).toEqual([]);
    const message = 'The session store could not be read (TypeError).';
    expect(talk.reports).toEqual([
      { method: 'reload', era: 'legacy', warnings: [{ code: 'store-unavailable', message }] },
    ]);
  });
});
