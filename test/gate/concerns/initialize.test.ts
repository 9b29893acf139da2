import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { describePolicy } from '../../../src/core/gate/concerns/declare.js';
import { handleRequest, handleResponse as settleAnswer } from '../../../src/core/gate/edge/gather.js';
import { APP_MIME_TYPE, APPS_EXTENSION } from '../../../src/core/gate/request/client-surfaces.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { SessionRecord, SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { failing, Talk } from './talk.js';

const SECURITY = 'concerns: { security: { values: [low, high] } }\n';
const OPEN = policyOf(SECURITY);
const PANEL = policyOf(`${SECURITY}settings: { panel: on }\n`);
const NAMES = `${SECURITY}primitives: { tools: { secret: { security: low } } }\nsettings: { enforcement: enforce }\n`;
const ENFORCE = policyOf(NAMES);
const READS = policyOf(
  `${SECURITY}rules: [{ id: r, hide: [tools], when: { "!!": [{ var: client.capabilities.sampling }] } }]\n`,
);
const PAGES = { extensions: { [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] } } };
const HIGH = { concerns: { security: 'high' } };
const WRONG = { concerns: { security: 'hihg' } };
const WARNING = {
  code: 'unknown-value',
  message: expect.stringContaining('Did you mean "high"?'),
};
const UNDECLARED = {
  code: 'undeclared-concern',
  message: '"weather" (session) is not a concern of this server. It was ignored.',
};

type Params = Record<string, unknown>;
const answer = (result: Params = {}) => ({ jsonrpc: '2.0', id: 1, result }) as const;
const inStore = (store: SessionStore): SessionPreferences => ({ place: 'store', store, id: 's' });

/** Lets the gate handle the answer of a server to `initialize`. */
async function settle(talk: Talk, params: Params, result: Params): Promise<Params> {
  const settled = await settleAnswer(talk.exchange('initialize', params), answer(result));
  return { ...(read(settled, 'result') as Params | undefined) };
}
const kept = async (store: SessionStore): Promise<unknown> => read(await store.read('s'), 'record');

describe('initialize', () => {
  it.each<[string, Policy, Params, SessionRecord]>([
    ['nothing', OPEN, {}, {}],
    ['preferences', OPEN, HIGH, { concerns: { security: 'high' } }],
    [
      'preferences in the extension',
      OPEN,
      { capabilities: { extensions: { [EXTENSION_ID]: HIGH } } },
      { concerns: { security: 'high' } },
    ],
    ['warnings', OPEN, { concerns: { weather: 1 } }, { warnings: [UNDECLARED] }],
    ['no pages without a panel', OPEN, { capabilities: PAGES }, {}],
    ['no forms without a panel', OPEN, { capabilities: { elicitation: {} } }, {}],
    [
      'the capabilities that rules read',
      READS,
      { capabilities: { sampling: { x: 1 }, roots: {} } },
      expect.objectContaining({ clientPaths: ['client.capabilities.sampling'] }),
    ],
    [
      'how a person can switch',
      PANEL,
      { capabilities: { ...PAGES, elicitation: {} } },
      { panel: { app: true, form: true } },
    ],
    [
      'how a person cannot switch',
      PANEL,
      HIGH,
      { concerns: { security: 'high' }, panel: { app: false, form: false } },
    ],
  ])('keeps before the server answers: %s', (_what, policy, params, record) => {
    const talk = new Talk(policy, {
      answer: () => 'never',
      preferences: { place: 'connection', record: { acted: true } },
    });
    handleRequest(talk.exchange('initialize', params));
    expect(talk.record).toEqual(record);
    expect(talk.connection.state.isLegacy).toBe(true);
    expect(talk.toServer).toEqual([{ jsonrpc: '2.0', id: expect.anything(), method: 'initialize', params }]);
  });

  it('keeps nothing elsewhere before the server answers', async () => {
    const store = createMemoryStore();
    handleRequest(
      new Talk(OPEN, { answer: () => 'never', preferences: inStore(store) }).exchange('initialize', HIGH),
    );
    expect(await store.read('s')).toEqual({ state: 'unknown' });
    const none = new Talk(OPEN, { preferences: { place: 'none' } });
    handleRequest(none.exchange('initialize', HIGH));
    expect(none.connection.state.preferences).toEqual({ place: 'none' });
  });
});

describe('the answer to initialize', () => {
  const CHANGES = { listChanged: true };
  const declared = (policy: Policy, capabilities: object, filtering: object, methods: string[]) => ({
    capabilities: {
      ...capabilities,
      extensions: { [EXTENSION_ID]: { ...describePolicy(policy), methods, filtering } },
      concerns: [{ name: 'security', values: ['low', 'high'] }],
    },
  });
  const BOTH = ['listConcerns', 'updateConcerns'];
  const filtering = { supported: ['namePatterns'] };
  const filters = { tools: ['namePatterns'] };

  it('declares concerns, and that lists change', async () => {
    const talk = new Talk(OPEN);
    const result = { capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'S' } };
    const tools = { ...CHANGES, filtering };
    expect(await settle(talk, {}, result)).toEqual({
      serverInfo: { name: 'S' },
      ...declared(OPEN, { tools, logging: {} }, filters, BOTH),
    });
    expect(talk.connection.state.announced).toEqual(['tools']);
    expect(talk.record).toEqual({ listChanged: ['tools'] });
    expect(talk.connection.state.lasts).toBe(true);
  });

  it('does not declare where nothing is kept what would not work', async () => {
    const talk = new Talk(OPEN, { preferences: { place: 'none' } });
    const capabilities = { tools: {}, prompts: { listChanged: true }, resources: { listChanged: 'yes' } };
    const { capabilities: changed } = await settle(talk, {}, { capabilities });
    expect(changed).toMatchObject({
      tools: { filtering },
      prompts: { listChanged: true },
      extensions: { [EXTENSION_ID]: { methods: ['listConcerns'] } },
    });
    expect(read(changed, 'tools')).not.toHaveProperty('listChanged');
    expect(talk.connection.state.announced).toEqual(['prompts']);
  });

  it('declares what the gate adds', async () => {
    const { capabilities } = await settle(new Talk(PANEL), {}, { capabilities: {} });
    expect(capabilities).toMatchObject({ tools: CHANGES, prompts: CHANGES });
  });

  it('does not replace what is kept in the connection', async () => {
    const record = { concerns: { security: 'low' }, acted: true };
    const talk = new Talk(OPEN, { preferences: { place: 'connection', record } });
    await settle(talk, HIGH, { capabilities: { tools: {} } });
    expect(talk.record).toEqual({ ...record, listChanged: ['tools'] });
  });

  it('is stored with what the client offers, for the requests in other processes', async () => {
    const store = createMemoryStore();
    const talk = new Talk(PANEL, { preferences: inStore(store) });
    const capabilities = { tasks: {}, prompts: {} };
    const params = { ...HIGH, capabilities: { elicitation: { form: {} }, sampling: { x: 1 } } };
    await settle(talk, params, { capabilities });
    expect(await kept(store)).toEqual({
      concerns: { security: 'high' },
      panel: { app: false, form: true },
      questions: { elicitation: { form: {} }, sampling: {} },
      listChanged: ['tools', 'prompts'],
    });
  });

  it('waits until it is stored', async () => {
    const store = createMemoryStore();
    let finish = (): void => undefined;
    const written = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const update: SessionStore['update'] = async (id, change) => {
      await written;
      return store.update(id, change);
    };
    const talk = new Talk(OPEN, { preferences: inStore({ ...store, update }) });
    let isAnswered = false;
    const settled = settle(talk, HIGH, {}).then(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    finish();
    await settled;
    expect(await kept(store)).toEqual({ concerns: { security: 'high' }, listChanged: [] });
  });

  it('is stored without questions if the server has no tasks', async () => {
    const store = createMemoryStore();
    const talk = new Talk(OPEN, { preferences: inStore(store) });
    await settle(talk, { capabilities: { sampling: {} } }, { capabilities: {} });
    expect(await kept(store)).toEqual({ listChanged: [] });
  });

  it.each<[string, unknown, unknown, object, object]>([
    [
      'titles',
      { title: 'Host', name: 'host', version: '1' },
      { title: 'Server', name: 'server', version: '2' },
      { name: 'Host', version: '1' },
      { name: 'Server', version: '2' },
    ],
    ['names', { name: 'host' }, { name: 'server' }, { name: 'host' }, { name: 'server' }],
    ['nothing', undefined, null, { name: 'unknown' }, { name: 'unknown' }],
    [
      'other types',
      { name: 7, version: 1 },
      { title: '', name: 'server', version: null },
      { name: 'unknown' },
      { name: 'unknown' },
    ],
  ])(
    'tells the page who the client and the server are: %s',
    async (_what, clientInfo, serverInfo, client, server) => {
      const talk = new Talk(OPEN, {
        answer: (method) =>
          method === 'initialize' ? { result: { capabilities: {}, serverInfo } } : undefined,
      });
      talk.initialize({ clientInfo });
      expect(talk.initialized).toEqual({ client, server });
      expect(talk.connection.state.server).toEqual(server);
    },
  );

  it.each([
    [HIGH, { concerns: { security: 'high' }, sources: { security: 'session' }, warnings: [] }],
    [WRONG, { concerns: {}, warnings: [WARNING] }],
  ])('is reported with what the client offers: %j', async (params, report) => {
    const talk = new Talk(policyOf(`${SECURITY}settings: { invalid: ignore }\n`));
    await settle(talk, params, {});
    expect(talk.reports).toEqual([{ method: 'initialize', era: 'legacy', ...report }]);
    expect(talk.contexts).toEqual([{ id: 1, policy: talk.live.current.digest }]);
  });

  it.each([
    [{ security: 'high' }, { concerns: { security: 'high' }, warnings: [] }],
    [[{ name: 'security' }], { concerns: {}, warnings: [{ code: 'malformed-concerns' }] }],
    [{}, { concerns: {}, warnings: [] }],
  ])('reads %j in capabilities.concerns of the client', async (concerns, report) => {
    const talk = new Talk(policyOf(`${SECURITY}settings: { invalid: ignore }\n`));
    await settle(talk, { capabilities: { concerns } }, {});
    expect(talk.reports).toMatchObject([report]);
  });

  it('is reported with preferences that cannot be kept, and sent with a warning', async () => {
    const talk = new Talk(OPEN, { preferences: { place: 'none' } });
    const message =
      'There is no session to keep concerns in. Hosts can send them in _meta, the Mcp-Concerns header or the URL.';
    const warnings = [{ code: 'no-session', message }];
    expect(await settle(talk, HIGH, {})).toMatchObject({ _meta: { [EXTENSION_ID]: { warnings } } });
    expect(talk.reports).toMatchObject([{ warnings }]);
    expect(await settle(talk, {}, {})).not.toHaveProperty('_meta');
    expect(talk.reports[1]).toMatchObject({ warnings: [] });
  });

  it('is reported with a store that fails, and sent with a warning', async () => {
    const store = failing(createMemoryStore(), 'update');
    const talk = new Talk(OPEN, { preferences: inStore(store) });
    const message = 'The session store could not be written (TypeError).';
    const warnings = [{ code: 'store-unavailable', message }];
    const _meta = { [EXTENSION_ID]: { warnings } };
    expect(await settle(talk, HIGH, {})).toEqual({ ...declared(OPEN, {}, {}, BOTH), _meta });
    expect(talk.reports).toMatchObject([{ warnings }]);
  });

  describe('that is an error', () => {
    const refused = { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } } as const;
    const client = { name: 'other' };

    it.each([true, false])('keeps the era that was before: %s', async (before) => {
      const talk = new Talk(OPEN, { answer: () => 'never' });
      if (before) talk.connection.handshake({ state: 'accepted', client, server: client, announced: [] });
      const exchange = talk.exchange('initialize', HIGH);
      handleRequest(exchange);
      expect(await settleAnswer(exchange, refused)).toEqual(refused);
      expect(talk.connection.state.isLegacy).toBe(before);
    });

    it('does not name what is hidden', async () => {
      const talk = new Talk(ENFORCE, { lists: { tools: [{ name: 'secret' }] } });
      const error = { code: -32600, message: 'Not without secret.' };
      const message = { ...refused, error };
      const settled = await settleAnswer(await talk.configured('initialize', HIGH), message);
      expect(read(settled, 'error', 'message')).toBe('Not without secret.');
    });
  });
});
