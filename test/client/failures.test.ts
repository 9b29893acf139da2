import { StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it } from 'vitest';
import { type ConcernsError, summaryOf } from '../../src/client/index.js';
import { serveLocally } from '../../src/http/local.js';
import { attachConcerns } from '../../src/protocol/attach.js';
import { LivePolicy } from '../../src/protocol/request/live-policy.js';
import { createMemoryStore } from '../../src/session/memory.js';
import type { SessionRead, SessionStore } from '../../src/session/store.js';
import { policyOf } from '../policy/author.js';
import {
  carriedBy,
  clientV1,
  clientV2,
  closeLater,
  connectHost,
  inMemory,
  names,
  policy,
  policyWith,
  SAFE,
  serverV1,
  TOOLS,
} from './hosts.js';

/** A store that can be made to fail, and to wait. */
function moodyStore(): { readonly store: SessionStore; mood: (concerns: unknown) => Promise<void> } {
  const memory = createMemoryStore();
  const moody = {
    mood: async (_concerns: unknown): Promise<void> => undefined,
    store: {
      ...memory,
      update: async (id, change) => {
        if (change.concerns !== undefined) await moody.mood(change.concerns);
        return memory.update(id, change);
      },
    } satisfies SessionStore,
  };
  return moody;
}

async function serve(store: SessionStore): Promise<URL> {
  const endpoint = await serveLocally({ server: serverV1, policy, store });
  closeLater(endpoint);
  return new URL(endpoint.url);
}

describe.each([
  ['v1', clientV1, (url: URL) => new HttpV1(url)],
  ['v2', () => clientV2('legacy'), (url: URL) => new HttpV2(url)],
])('an update that is not acknowledged, %s client', (_name, client, transport) => {
  it('is an error, and nothing of it is lost', async () => {
    const moody = moodyStore();
    const url = await serve(moody.store);
    const { concerns, sent } = await connectHost(client(), async () => transport(url));
    await concerns.set({ security: 'low' });
    moody.mood = () => Promise.reject(new Error('throttled'));

    const failed = await concerns.set({ security: 'high' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'ConcernsError', code: 'UPDATE_FAILED', cause: { code: -32603 } });
    expect((failed as ConcernsError).message).toMatch(/could not be stored.*resend\(\)/);
    expect(concerns.preferences).toEqual({ security: 'high' });
    // The session holds "low": what is wanted goes with the request.
    expect(names(await concerns.listTools())).toEqual(SAFE);
    expect(carriedBy(sent.at(-1))).toEqual({ security: 'high' });

    await expect(concerns.resend()).rejects.toMatchObject({ code: 'UPDATE_FAILED' });
    moody.mood = async () => undefined;
    expect(await concerns.resend()).toMatchObject({ by: 'update', concerns: { security: 'high' } });
    expect(names(await concerns.listTools())).toEqual(SAFE);
    expect(carriedBy(sent.at(-1))).toBeUndefined();
  });

  it('is kept where the connection breaks', async () => {
    const moody = moodyStore();
    const url = await serve(moody.store);
    const { concerns, reconnect } = await connectHost(client(), async () => transport(url));
    let release = (): void => undefined;
    const held = new Promise<void>((done) => {
      release = done;
    });
    moody.mood = () => held;
    const set = concerns.set({ security: 'high' }).catch((error: unknown) => error);
    await new Promise((done) => setTimeout(done, 50));
    await reconnect();
    expect(await set).toMatchObject({ code: 'UPDATE_FAILED' });
    release();
    expect(concerns.preferences).toEqual({ security: 'high' });
    expect(names(await concerns.listTools())).toEqual(SAFE);
  });
});

describe.each([
  ['all is shown as if nothing were set', policy, '', { security: 'high' }],
  ['all is hidden', policyWith('{ enforcement: enforce }'), '', { security: 'high' }],
  ['the address says something else', policy, '?concerns=security:low', { preset: 'safe', topic: null }],
])('a session that expired, where %s', (_what, given, search, wanted) => {
  const expiring = async () => {
    const memory = createMemoryStore();
    let session: SessionRead | undefined;
    const moody = {
      mood: async (): Promise<void> => undefined,
      expire: () => {
        session = { state: 'unknown' };
      },
    };
    const store: SessionStore = {
      ...memory,
      read: async (id) => session ?? memory.read(id),
      update: async (id, change) => {
        await moody.mood();
        session = undefined;
        return memory.update(id, change);
      },
    };
    const endpoint = closeLater(await serveLocally({ server: serverV1, policy: given, store }));
    const host = await connectHost(clientV1(), async () => new HttpV1(new URL(endpoint.url + search)));
    await host.concerns.set(wanted);
    const before = names(await host.concerns.listTools());
    moody.expire();
    host.sent.length = 0;
    return { ...host, before, moody };
  };

  it('is given back what it lost, with the first list', async () => {
    const { before, concerns, methods } = await expiring();
    expect(names(await concerns.listTools())).toEqual(before);
    expect(names(await concerns.listTools())).toEqual(before);
    expect(methods()).toEqual(['tools/list', 'updateConcerns', 'tools/list', 'tools/list']);
  });

  it('is helped by each request where it cannot be given that back', async () => {
    const { concerns, moody, sent } = await expiring();
    moody.mood = () => Promise.reject(new Error('throttled'));
    const { concerns: effective } = summaryOf(await concerns.listTools());
    expect(effective).toMatchObject({ security: 'high' });
    expect(carriedBy(sent.at(-1))).toEqual(wanted);
  });
});

it('takes a list that was asked for before a change for what it is', async () => {
  const { client, concerns, methods, sent } = await connectHost(clientV1(), inMemory(policy));
  await concerns.set({ topic: 'charts' });
  const transport = client.transport as InMemoryTransport;
  const { onmessage } = transport;
  let changed: Promise<unknown> | undefined;
  transport.onmessage = (message, extra) => {
    // The list is on its way to the client when the host changes its mind.
    if (changed === undefined && 'result' in message && 'tools' in message.result) {
      changed = concerns.set({ security: 'high' });
      void changed.then(() => onmessage?.(message, extra));
    } else onmessage?.(message, extra);
  };
  sent.length = 0;
  expect(names(await concerns.listTools())).toEqual(TOOLS);
  expect(methods()).toEqual(['tools/list', 'updateConcerns']);
});

it('asks once for a list whose server does not say what is in effect', async () => {
  const { concerns, methods, sent } = await connectHost(
    clientV1(),
    inMemory(policyWith('{ enforcement: shadow }')),
  );
  await concerns.set({ security: 'high' });
  expect(names(await concerns.listTools())).toEqual(TOOLS);
  sent.length = 0;
  await concerns.listTools();
  expect(methods()).toEqual(['tools/list']);
  expect(carriedBy(sent[0])).toBeUndefined();
});

it('asks once for a page that has a cursor', async () => {
  const shadow = policyWith('{ enforcement: shadow, page-size: 2 }');
  const { client, concerns, methods, sent } = await connectHost(clientV1(), inMemory(shadow));
  await concerns.set({ security: 'high' });
  const { nextCursor: cursor } = await client.listTools();
  sent.length = 0;
  expect(names(await concerns.listTools({ cursor }))).toEqual(TOOLS.slice(2, 4));
  expect(methods()).toEqual(['tools/list']);
});

it('asks once for a list while nothing but defaults is wanted', async () => {
  const { concerns, sent } = await connectHost(
    clientV1(),
    async () => new HttpV1(await serve(createMemoryStore())),
  );
  await concerns.set({ security: null });
  sent.length = 0;
  expect(names(await concerns.listTools())).toEqual(TOOLS);
  expect(sent).toHaveLength(1);
});

it('is refused by a server whose policy was replaced: what was set before stays', async () => {
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
  const refused = await concerns.set({ security: 'high' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'UPDATE_REFUSED',
    data: [{ code: 'unknown-value', concern: 'security', value: 'high', values: ['low', 'highest'] }],
    cause: { code: -32602 },
  });
  expect(concerns.preferences).toEqual({ security: 'low' });
  expect(concerns.withConcerns({ name: 'log' })).toEqual({ name: 'log' });
  expect(names(await concerns.listTools())).toEqual(['audit', 'log', 'draw', 'open']);
});

it('sends one update at a time: the last one wins', async () => {
  const moody = moodyStore();
  const url = await serve(moody.store);
  const { client, concerns } = await connectHost(clientV1(), async () => new HttpV1(url));
  const seen: unknown[] = [];
  moody.mood = async (asked) => {
    seen.push(asked);
    // Another process may be faster with the second one.
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

it('goes on after an update that failed', async () => {
  const moody = moodyStore();
  const url = await serve(moody.store);
  const { client, concerns } = await connectHost(clientV1(), async () => new HttpV1(url));
  let failures = 1;
  moody.mood = async () => {
    if (failures-- > 0) throw new Error('throttled');
  };
  const sets = await Promise.allSettled([
    concerns.set({ security: 'low' }),
    concerns.set({ security: 'high' }),
  ]);
  expect(sets.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  expect(names(await client.listTools())).toEqual(SAFE);
});

it('gives an update the options of the request', async () => {
  const { concerns } = await connectHost(
    clientV1(),
    async () => new HttpV1(await serve(createMemoryStore())),
  );
  const signal = AbortSignal.abort(new Error('no more'));
  await expect(concerns.set({ security: 'high' }, { signal })).rejects.toMatchObject({
    code: 'UPDATE_FAILED',
  });
  expect(names(await concerns.listTools())).toEqual(SAFE);
  await concerns.set({});
  expect(names(await concerns.listTools())).toEqual(TOOLS);
});
