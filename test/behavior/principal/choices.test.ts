import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { createHandler as createHandlerV1 } from '../../../src/core/http/sdk-v1.js';
import { createHandler } from '../../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { type LocalDynamo, startDynamo } from '../../session/dynamo.js';
import { serverV1 } from '../servers.js';
import {
  callerOf,
  connect,
  environments,
  type HostOptions,
  policyWith,
  serverOf,
  shownUnder,
} from './world.js';

const ada = callerOf('https://login.example', 'ada');
const HIGH = shownUnder({ security: 'high' });
const LOW = shownUnder({ security: 'low' });
const ALL = shownUnder({});
const APP = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const ERAS = ['legacy', 'modern'] as const;

function endpoint(settings = 'panel: on', store: SessionStore = createMemoryStore(), more: object = {}) {
  const handle = createHandler({
    server: serverOf,
    policy: policyWith(settings),
    store,
    preferences: 'principal',
    ...more,
  });
  return (era: (typeof ERAS)[number], options: HostOptions = { authInfo: ada }) =>
    connect(era, () => handle, options);
}

/** A store whose calls fail while `broken` is set, and that counts them. It says that it refused them if `refused` is set. */
function watchedStore() {
  const inner = createMemoryStore();
  const state = { broken: '', refused: false, ids: [] as string[], changes: [] as object[] };
  const tried = (operation: string, id: string): void => {
    state.ids.push(id);
    const isSession = !id.startsWith('principal#');
    if (state.broken === operation || (state.broken === `${operation} a session` && isSession)) {
      throw Object.assign(new Error('down'), state.refused && { refused: true });
    }
  };
  const store: SessionStore = {
    read: async (id) => {
      tried('read', id);
      return inner.read(id);
    },
    update: async (id, change) => {
      tried('update', id);
      state.changes.push(change);
      return inner.update(id, change);
    },
    end: (id) => inner.end(id),
  };
  return { store, state };
}

describe('what a caller chose', () => {
  it.each(ERAS)('applies to its later hosts in both eras (%s)', async (era) => {
    const open = endpoint();
    const first = await open(era);
    const answer = await first.update({ security: 'high' });
    expect(answer).toMatchObject({ concerns: { security: 'high' }, visible: { tools: 4 } });
    // Nothing is left for the host to send.
    expect(read(answer, '_meta', EXTENSION_ID, 'concerns')).toBeUndefined();
    for (const other of ERAS) expect((await (await open(other)).list()).names).toEqual(HIGH);
    await first.update({});
    for (const other of ERAS) expect((await (await open(other)).list()).names).toEqual(ALL);
  });

  it.each([
    ['a caller of another issuer', callerOf('https://other.example', 'ada')],
    ['another subject', callerOf('https://login.example', 'bob')],
    ['a caller without an issuer', callerOf(undefined, 'ada')],
    ['a caller without a subject', callerOf('https://login.example', undefined)],
    ['a caller that nobody verified', undefined],
  ])('does not reach %s', async (_who, authInfo) => {
    const open = endpoint();
    await (await open('modern')).update({ security: 'high' });
    for (const era of ERAS) {
      const other = await open(era, { authInfo });
      expect((await other.list()).names).toEqual(ALL);
    }
  });

  it.each(ERAS)(
    'is weaker than the request, and stronger than the connection, the header and the URL (%s)',
    async (era) => {
      const open = endpoint();
      const [first, later] = [
        await open('modern'),
        await open(era, {
          authInfo: ada,
          initial: { topic: 'a', security: 'low' },
          query: '?concerns=topic:b,security:low',
        }),
      ];
      expect((await later.list()).concerns).toEqual({ topic: 'a', security: 'low' });
      await first.update({ security: 'high' });
      expect((await later.list()).concerns).toEqual({ topic: 'a', security: 'high' });
      await first.update({ security: 'high', topic: null });
      expect((await later.list()).concerns).toEqual({ security: 'high' });
      const own = { _meta: { [EXTENSION_ID]: { concerns: { security: 'low', topic: 'd' } } } };
      expect((await later.list(own)).concerns).toEqual({ security: 'low', topic: 'd' });
    },
  );

  it('is weaker than what the person chose in the session', async () => {
    const open = endpoint();
    const [session, other] = [await open('legacy'), await open('modern')];
    await session.update({ security: 'low' });
    expect((await other.list()).names).toEqual(LOW);
    await other.update({ security: 'high' });
    expect((await session.list()).names).toEqual(LOW);
    expect((await (await open('legacy')).list()).names).toEqual(HIGH);
  });

  it('is reported with the source principal', async () => {
    const reports: GateReport[] = [];
    const given = { report: (report: GateReport) => void reports.push(report) };
    const open = endpoint();
    const host = await open('modern', { authInfo: ada, given });
    await host.request('prompts/get', { name: 'concerns-safe' });
    await host.list();
    expect(reports.at(-1)).toMatchObject({
      concerns: { security: 'high' },
      sources: { security: 'principal' },
    });
  });

  it('is kept under a digest, and only what the policy declares', async () => {
    const { store, state } = watchedStore();
    const host = await endpoint('panel: on', store)('modern');
    const answer = await host.update({ security: 'high', color: 'red' });
    expect(answer.warnings).toMatchObject([{ code: 'undeclared-concern' }]);
    expect(state.changes).toEqual([{ concerns: { security: 'high' } }]);
    expect(state.ids.at(-1)).toMatch(/^principal#[0-9a-f]{64}$/);
  });

  it('expires with the store', async () => {
    const open = endpoint('panel: on', createMemoryStore({ expiresAfterSeconds: 0 }));
    const host = await open('modern');
    await host.update({ security: 'high' });
    expect((await host.list()).names).toEqual(ALL);
  });
});

describe('without the option', () => {
  it('nothing is kept or read for a caller', async () => {
    const { store, state } = watchedStore();
    const open = endpoint('panel: on', store, { preferences: undefined });
    const [legacy, modern] = [await open('legacy'), await open('modern')];
    await legacy.update({ security: 'high' });
    await expect(modern.update({ security: 'high' })).rejects.toThrow('-32601');
    expect((await modern.list()).names).toEqual(ALL);
    expect(state.ids.filter((id) => id.startsWith('principal#'))).toEqual([]);
    expect(state.changes.some((change) => 'acted' in change)).toBe(false);
  });

  it('is an error if there is no store to keep them in', () => {
    const options = { policy: policyWith(), preferences: 'principal' } as const;
    expect(() => createHandler({ ...options, server: serverOf })).toThrow(/needs a store/);
    for (const catalog of [undefined, 'static'] as const) {
      expect(() => createHandlerV1({ ...options, server: serverV1, catalog })).toThrow(
        expect.objectContaining({ code: 'HANDLER_INVALID' }),
      );
    }
  });
});

describe('a modern host', () => {
  it('switches with prompts, like a host with a session', async () => {
    const open = endpoint();
    const host = await open('modern');
    const { prompts } = await host.request('prompts/list');
    expect(JSON.stringify(prompts)).toContain('concerns-safe');
    const { messages } = await host.request('prompts/get', { name: 'concerns-safe' });
    expect(JSON.stringify(messages)).toContain('4 of 8 tools are shown');
    expect((await host.list()).names).toEqual(HIGH);
    await host.request('prompts/get', { name: 'concerns', arguments: { topic: 'a' } });
    expect((await host.list()).names).toEqual(['high-a']);
  });

  it('shows less in the page, and not more', async () => {
    const open = endpoint();
    const host = await open('modern', { authInfo: ada, capabilities: APP });
    const call = (name: string, args: object) => host.request('tools/call', { name, arguments: args });
    const opened = await call('concerns_read', {});
    expect(opened.structuredContent).not.toHaveProperty('readOnly');
    expect(opened).not.toHaveProperty('_meta');
    const changed = await call('concerns_update', { concerns: { preset: 'safe' } });
    expect(read(changed, 'structuredContent', 'concerns')).toMatchObject([
      { name: 'security', inEffect: ['high'], origin: 'principal' },
      { name: 'topic', inEffect: [] },
    ]);
    expect((await host.list()).names).toEqual(HIGH);
    expect((await call('concerns_update', { concerns: { security: null } })).isError).toBe(true);
    expect((await host.list()).names).toEqual(HIGH);
  });

  it('has no tool and no page, if the caller cannot be told from others', async () => {
    const host = await endpoint()('modern', { authInfo: callerOf(undefined, 'ada'), capabilities: APP });
    const listed = JSON.stringify(read(await host.request('tools/list', {}), 'tools'));
    expect(listed).toContain('"name":"low-a"');
    expect(listed).not.toContain('"name":"concerns"');
    const prompt = await host.request('prompts/get', { name: 'concerns-safe' });
    expect(JSON.stringify(prompt)).toContain('add ?concerns=safe to the URL');
  });

  it('says in the log that it cannot be told from others', async () => {
    const reports: GateReport[] = [];
    const given = { report: (report: GateReport) => void reports.push(report) };
    await (await endpoint()('modern', { authInfo: callerOf(undefined, 'ada'), given })).list();
    expect(reports.at(-1)?.warnings).toMatchObject([{ code: 'no-principal' }]);
  });
});

describe('if the store fails', () => {
  it('lists show nothing that a choice could hide under advisory, and fail under enforce', async () => {
    for (const [settings, works] of [
      ['panel: on', true],
      ['panel: on, enforcement: enforce', false],
    ] as const) {
      const { store, state } = watchedStore();
      const host = await endpoint(settings, store)('modern');
      await host.update({ security: 'high' });
      state.broken = 'read';
      const listed = await host.list().then(
        ({ names }) => names,
        ({ message }: Error) => message,
      );
      if (works) expect(listed).toEqual([]);
      else expect(listed).toContain('could not be read');
    }
  });

  it('an update says what was stored', async () => {
    const { store, state } = watchedStore();
    const host = await endpoint('panel: on', store)('legacy');
    for (const [broken, message] of [
      ['update', 'could not be stored, so nothing changed'],
      ['update a session', 'stored for the caller, but not for this'],
    ] as const) {
      // Without the mark, the call may still arrive.
      Object.assign(state, { broken, refused: false });
      await expect(host.update({ security: 'high' })).rejects.toThrow('may or may not have been stored');
      state.refused = true;
      await expect(host.update({ security: 'high' })).rejects.toThrow(message);
    }
    state.broken = '';
    expect((await host.list()).names).toEqual(HIGH);
  });
});

describe('under enforce', () => {
  it('instructions do not name what the caller chose to hide', async () => {
    const { store, state } = watchedStore();
    const open = endpoint('enforcement: enforce', store, { catalog: 'static' });
    const host = await open('modern');
    expect(host.instructions).toBe('Use low-a or high-b.');
    await host.update({ security: 'high' });
    for (const era of ERAS) {
      // Instructions are withheld as long as the lists of the server are not known.
      expect((await (await open(era)).list()).names).toEqual(HIGH);
      const { instructions } = await open(era);
      expect(instructions).toContain('high-b');
      expect(instructions).not.toContain('low-a');
    }
    // What could not be read may hide anything.
    state.broken = 'read';
    expect((await open('legacy')).instructions).not.toMatch(/low-a|high-b/);
    state.broken = '';
    const call = (await open('modern')).request('tools/call', { name: 'low-a', arguments: {} });
    await expect(call.then((result) => JSON.stringify(result))).rejects.toThrow(/not found/);
  });
});

describe('in DynamoDB', () => {
  let dynamo: LocalDynamo;
  beforeAll(async () => {
    dynamo = await startDynamo();
  });
  afterAll(() => dynamo.close());

  it('is read consistently, once for each list, and never for what needs no preferences', async () => {
    const { handlers, sent } = await environments(dynamo, 2);
    const [one, other] = handlers;
    if (one === undefined || other === undefined) throw new Error('Two handlers are needed.');
    await (await connect('modern', () => one, { authInfo: ada })).update({ security: 'high' });
    const host = await connect('modern', () => other, { authInfo: ada });
    expect(sent[1]).toEqual([]);
    expect((await host.list()).names).toEqual(HIGH);
    expect(sent[1]).toMatchObject([{ command: 'GetItemCommand', input: { ConsistentRead: true } }]);
  });
});
