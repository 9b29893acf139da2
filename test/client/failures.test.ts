import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import { type PreferencesError, summaryOf } from '../../src/client/index.js';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { serveLocally } from '../../src/core/http/local.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionRead, SessionStore } from '../../src/core/session/store.js';
import { policyOf } from '../policy/author.js';
import {
  clientV1,
  clientV2,
  closeLater,
  connectHost,
  inMemory,
  names,
  policy,
  policyWith,
  preferencesIn,
  SAFE,
  serverV1,
  TOOLS,
} from './hosts.js';

/** A memory store whose updates can be made to fail or to wait, by replacing `beforeUpdate`. */
function controlledStore(): {
  readonly store: SessionStore;
  beforeUpdate: (concerns: unknown) => Promise<void>;
} {
  const memory = createMemoryStore();
  const controlled = {
    beforeUpdate: async (_concerns: unknown): Promise<void> => undefined,
    store: {
      ...memory,
      update: async (id, change) => {
        if (change.concerns !== undefined) await controlled.beforeUpdate(change.concerns);
        return memory.update(id, change);
      },
    } satisfies SessionStore,
  };
  return controlled;
}

async function serve(store: SessionStore): Promise<URL> {
  const endpoint = await serveLocally({ server: serverV1, policy, store });
  closeLater(endpoint);
  return new URL(endpoint.url);
}

describe.each([
  ['v1', clientV1, (url: URL) => new HttpV1(url)],
  ['v2', () => clientV2('legacy'), (url: URL) => new HttpV2(url)],
])('an update that the server does not acknowledge, %s client', (_name, client, transport) => {
  it('is an error, and the preferences are kept', async () => {
    const controlled = controlledStore();
    const url = await serve(controlled.store);
    const { concerns, sent } = await connectHost(client(), async () => transport(url));
    await concerns.set({ security: 'low' });
    controlled.beforeUpdate = () => Promise.reject(new Error('throttled'));

    const failed = await concerns.set({ security: 'high' }).catch((cause: unknown) => cause);
    expect(failed).toMatchObject({
      name: 'PreferencesError',
      code: 'UPDATE_FAILED',
      cause: { code: -32603 },
    });
    expect((failed as PreferencesError).message).toMatch(/may or may not have been stored.*resend\(\)/);
    expect(concerns.preferences).toEqual({ security: 'high' });
    // The session has "low", so the request contains the preferences.
    expect(names(await concerns.listTools())).toEqual(SAFE);
    expect(preferencesIn(sent.at(-1))).toEqual({ security: 'high' });

    await expect(concerns.resend()).rejects.toMatchObject({ code: 'UPDATE_FAILED' });
    controlled.beforeUpdate = async () => undefined;
    expect(await concerns.resend()).toMatchObject({ via: 'update', concerns: { security: 'high' } });
    expect(names(await concerns.listTools())).toEqual(SAFE);
    expect(preferencesIn(sent.at(-1))).toBeUndefined();
  });

  it('keeps the preferences if the connection breaks', async () => {
    const controlled = controlledStore();
    const url = await serve(controlled.store);
    const { concerns, reconnect } = await connectHost(client(), async () => transport(url));
    let release = (): void => undefined;
    const blocked = new Promise<void>((done) => {
      release = done;
    });
    controlled.beforeUpdate = () => blocked;
    const set = concerns.set({ security: 'high' }).catch((cause: unknown) => cause);
    await new Promise((done) => setTimeout(done, 50));
    await reconnect();
    expect(await set).toMatchObject({ code: 'UPDATE_FAILED' });
    release();
    expect(concerns.preferences).toEqual({ security: 'high' });
    expect(names(await concerns.listTools())).toEqual(SAFE);
  });
});

describe.each([
  ['all primitives are shown', policy, '', { security: 'high' }],
  ['all primitives are hidden', policyWith('{ enforcement: enforce }'), '', { security: 'high' }],
  ['the URL contains other preferences', policy, '?concerns=security:low', { preset: 'safe', topic: null }],
])('an expired session for which %s', (_case, given, search, preferences) => {
  const connectExpiring = async () => {
    const memory = createMemoryStore();
    let session: SessionRead | undefined;
    const controlled = {
      beforeUpdate: async (): Promise<void> => undefined,
      expire: () => {
        session = { state: 'unknown' };
      },
    };
    const store: SessionStore = {
      ...memory,
      read: async (id) => session ?? memory.read(id),
      update: async (id, change) => {
        await controlled.beforeUpdate();
        session = undefined;
        return memory.update(id, change);
      },
    };
    const start = async () => closeLater(await serveLocally({ server: serverV1, policy: given, store })).url;
    let url = await start();
    // An endpoint that started later remembers no session.
    const toLatest: typeof fetch = (_url, init) => fetch(url + search, init);
    const host = await connectHost(
      clientV1(),
      async () => new HttpV1(new URL(url + search), { fetch: toLatest }),
    );
    await host.concerns.set(preferences);
    const before = names(await host.concerns.listTools());
    controlled.expire();
    url = await start();
    host.sent.length = 0;
    return { ...host, before, controlled };
  };

  it('receives its preferences again after the first list', async () => {
    const { before, concerns, methods } = await connectExpiring();
    expect(names(await concerns.listTools())).toEqual(before);
    expect(names(await concerns.listTools())).toEqual(before);
    expect(methods()).toEqual(['tools/list', 'updateConcerns', 'tools/list', 'tools/list']);
  });

  it('leads to requests with preferences if it cannot receive them again', async () => {
    const { concerns, controlled, sent } = await connectExpiring();
    controlled.beforeUpdate = () => Promise.reject(new Error('throttled'));
    const { concerns: effective } = summaryOf(await concerns.listTools());
    expect(effective).toMatchObject({ security: 'high' });
    expect(preferencesIn(sent.at(-1))).toEqual(preferences);
  });
});

it('does not take a list from before an update as a sign of an expired session', async () => {
  const { client, concerns, methods, sent } = await connectHost(clientV1(), inMemory(policy));
  await concerns.set({ topic: 'charts' });
  const transport = client.transport as InMemoryTransport;
  const { onmessage } = transport;
  let changed: Promise<unknown> | undefined;
  transport.onmessage = (message, extra) => {
    // The preferences change after the server sent the list and before the client receives it.
    if (changed === undefined && 'result' in message && 'tools' in message.result) {
      changed = concerns.set({ security: 'high' });
      void changed.then(() => onmessage?.(message, extra));
    } else onmessage?.(message, extra);
  };
  sent.length = 0;
  expect(names(await concerns.listTools())).toEqual(TOOLS);
  expect(methods()).toEqual(['tools/list', 'updateConcerns']);
});

it('fetches a list once if the server does not report the values in effect', async () => {
  const { concerns, methods, sent } = await connectHost(
    clientV1(),
    inMemory(policyWith('{ enforcement: shadow }')),
  );
  await concerns.set({ security: 'high' });
  expect(names(await concerns.listTools())).toEqual(TOOLS);
  sent.length = 0;
  await concerns.listTools();
  expect(methods()).toEqual(['tools/list']);
  expect(preferencesIn(sent[0])).toBeUndefined();
});

it('fetches a page with a cursor once', async () => {
  const shadow = policyWith('{ enforcement: shadow, page-size: 2 }');
  const { client, concerns, methods, sent } = await connectHost(clientV1(), inMemory(shadow));
  await concerns.set({ security: 'high' });
  const { nextCursor: cursor } = await client.listTools();
  sent.length = 0;
  expect(names(await concerns.listTools({ cursor }))).toEqual(TOOLS.slice(2, 4));
  expect(methods()).toEqual(['tools/list']);
});

it('fetches a list once if all preferences are null', async () => {
  const { concerns, sent } = await connectHost(
    clientV1(),
    async () => new HttpV1(await serve(createMemoryStore())),
  );
  await concerns.set({ security: null });
  sent.length = 0;
  expect(names(await concerns.listTools())).toEqual(TOOLS);
  expect(sent).toHaveLength(1);
});

it('keeps the previous preferences if the server refuses values because its policy was replaced', async () => {
  const live = new LivePolicy(policy);
  const { concerns } = await connectHost(clientV1(), async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = serverV1();
    attachConcerns(server, { policy: live });
    await server.connect(far);
    return near;
  });
  await concerns.set({ security: 'low' });
  live.replace(
    policyOf(`
version: 1
concerns: { security: { values: [low, highest] } }
primitives: { tools: { log: { security: low }, encrypt: { security: highest } } }
`),
  );
  const error = await concerns.set({ security: 'high' }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'UPDATE_REFUSED',
    data: [{ code: 'unknown-value', concern: 'security', value: 'high', values: ['low', 'highest'] }],
    cause: { code: -32602 },
  });
  expect(concerns.preferences).toEqual({ security: 'low' });
  expect(concerns.withConcerns({ name: 'log' })).toEqual({ name: 'log' });
  expect(names(await concerns.listTools())).toEqual(['audit', 'log', 'draw', 'open']);
});

it('sends one update at a time, so that the last one takes effect', async () => {
  const controlled = controlledStore();
  const url = await serve(controlled.store);
  const { client, concerns } = await connectHost(clientV1(), async () => new HttpV1(url));
  const seen: unknown[] = [];
  controlled.beforeUpdate = async (preferences) => {
    seen.push(preferences);
    // Without the order, the second update would be stored first.
    if (seen.length === 1) await new Promise((done) => setTimeout(done, 100));
  };
  const [first, second] = await Promise.all([
    concerns.set({ security: 'low' }),
    concerns.set({ security: 'high' }),
  ]);
  expect(first).toMatchObject({ concerns: { security: 'low' } });
  expect(second).toMatchObject({ concerns: { security: 'high' } });
  expect(seen).toEqual([{ security: 'low' }, { security: 'high' }]);
  expect(names(await client.listTools())).toEqual(SAFE);
});

it('sends the next update after one has failed', async () => {
  const controlled = controlledStore();
  const url = await serve(controlled.store);
  const { client, concerns } = await connectHost(clientV1(), async () => new HttpV1(url));
  let failures = 1;
  controlled.beforeUpdate = async () => {
    if (failures-- > 0) throw new Error('throttled');
  };
  const sets = await Promise.allSettled([
    concerns.set({ security: 'low' }),
    concerns.set({ security: 'high' }),
  ]);
  expect(sets.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(names(await client.listTools())).toEqual(SAFE);
});

it('sends an update with the request options', async () => {
  const { concerns } = await connectHost(
    clientV1(),
    async () => new HttpV1(await serve(createMemoryStore())),
  );
  const signal = AbortSignal.abort(new Error('aborted'));
  await expect(concerns.set({ security: 'high' }, { signal })).rejects.toMatchObject({
    code: 'UPDATE_FAILED',
  });
  expect(names(await concerns.listTools())).toEqual(SAFE);
  await concerns.set({});
  expect(names(await concerns.listTools())).toEqual(TOOLS);
});
