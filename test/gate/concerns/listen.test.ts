import { describe, expect, it } from 'vitest';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, type Message } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { MODERN, type Reply, TaskGate } from '../tasks/task-gate.js';

const policy = (enforcement: string, hidden = 'secret') =>
  policyOf(`
concerns: { level: { values: [low, high] } }
primitives:
  tools: { ${hidden}: { level: high } }
  resources: { "r://secret": { level: high }, "r://named": { level: low } }
settings: { enforcement: ${enforcement} }
`);
const LISTS: Record<string, Reply> = {
  'tools/list': { result: { tools: [{ name: 'secret' }, { name: 'open' }] } },
  'resources/list': { result: { resources: [{ uri: 'r://secret' }, { uri: 'r://open' }] } },
  'resources/templates/list': { result: { resourceTemplates: [{ uriTemplate: 'r://t/{id}' }] } },
};
const LOW = { ...MODERN, [EXTENSION_ID]: { concerns: { level: 'low' } } };
const CHANGED = 'notifications/tools/list_changed';
const listen = (notifications: unknown, _meta: object = LOW) => ({ notifications, _meta });
const watching = (...resourceSubscriptions: unknown[]) => listen({ resourceSubscriptions });
const gate = (given: ConstructorParameters<typeof TaskGate>[0] = policy('enforce'), lists = LISTS) =>
  new TaskGate(given, lists, { preferences: { place: 'none' } });
const told = ({ toClient }: TaskGate) =>
  toClient.map((message: Message) =>
    'method' in message ? (message.params?.uri ?? message.method) : message,
  );
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream', () => {
  it('is about the resources that the client may know, under enforce', async () => {
    const own = gate();
    const uris = ['r://open', 'r://secret', 'r://nothing', 'r://t/7', 'r://named', 7];
    await own.ask('subscriptions/listen', watching(...uris));
    expect(own.received('subscriptions/listen')).toEqual([watching('r://open', 'r://t/7', 'r://named')]);
  });

  it.each(['advisory', 'shadow'])('is about all of them under %s', async (enforcement) => {
    const own = gate(policy(enforcement));
    await own.ask('subscriptions/listen', watching('r://secret'));
    expect(own.received('subscriptions/listen')).toEqual([watching('r://secret')]);
  });

  it.each([
    ['no filter', listen(undefined)],
    ['resources that are not a list', listen({ resourceSubscriptions: 'r://secret' })],
  ])('is left to the server if it has %s', async (_what, params) => {
    const own = gate();
    await own.ask('subscriptions/listen', params);
    expect(own.received('subscriptions/listen')).toEqual([params]);
  });

  it('is refused if it is about too many resources', async () => {
    const own = gate();
    const answers = await own.ask('subscriptions/listen', watching(...Array(1001).fill('r://open')));
    expect(answers).toMatchObject([{ error: { code: -32602 } }]);
    expect(own.received('subscriptions/listen')).toEqual([]);
  });

  it('is refused if the lists cannot be read', async () => {
    const own = gate(policy('enforce'), {
      ...LISTS,
      'resources/list': { error: { code: -32603, message: 'no' } },
    });
    const answers = await own.ask('subscriptions/listen', watching('r://open'));
    expect(answers).toMatchObject([{ error: { code: -32603 } }]);
  });
});

describe('an open stream', () => {
  const updated = (uri: string) => ({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri },
  });
  const all = listen({ toolsListChanged: true, resourceSubscriptions: ['r://open'] });

  it('tells of updates by the policy of the moment', async () => {
    const live = new LivePolicy(policy('enforce'));
    const own = gate(live);
    await own.ask('subscriptions/listen', all);
    await own.server(updated('r://open'));
    live.replace(
      policyOf('rules: [{ id: none, hide: [resources], when: true }]\nsettings: { enforcement: enforce }'),
    );
    await own.server(updated('r://open'));
    live.replace(policy('enforce'));
    await own.server(updated('r://open'));
    await own.server(updated('r://secret'));
    expect(told(own).filter((each) => each !== CHANGED)).toEqual(['r://open', 'r://open']);
  });

  it('tells of each policy that changes what it shows, and of no other', async () => {
    const live = new LivePolicy(policy('enforce'));
    const own = gate(live);
    await own.ask('subscriptions/listen', all);
    for (const hidden of ['other', 'another', 'open', 'secret', 'secret']) {
      live.replace(policy('enforce', hidden));
      await turn();
    }
    // The secret tool appears, the open tool disappears, and then all is as before.
    expect(told(own)).toEqual(Array(3).fill(CHANGED));
  });

  it('does not tell of lists that it did not ask for', async () => {
    const live = new LivePolicy(policy('enforce'));
    const own = gate(live);
    await own.ask('subscriptions/listen', listen({ resourcesListChanged: true }));
    live.replace(policy('enforce', 'other'));
    await turn();
    expect(told(own)).toEqual([]);
  });

  it('tells of preferences of its caller that were changed elsewhere, once', async () => {
    const store = createMemoryStore();
    const principal = { place: 'store', store, id: 'p' } as const;
    const own = new TaskGate(policy('enforce'), LISTS, { preferences: { place: 'none' }, principal });
    await own.ask('subscriptions/listen', listen({ toolsListChanged: true }, MODERN));
    await store.update('p', { concerns: { level: 'low' } });
    own.gate.announceChanges();
    own.gate.announceChanges();
    await turn();
    await turn();
    expect(told(own)).toEqual([CHANGED]);
  });
});
