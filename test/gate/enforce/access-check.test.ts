import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { Connection } from '../../../src/core/gate/edge/connection.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { EXTENSION_ID, type Message, read } from '../../../src/core/wire/messages.js';
import { contextOf, LIST_KEYS, policyOf } from '../gate-harness.js';
import { ListServer, type Lists } from './list-server.js';

const policyIn = (mode: string, rest = ''): Policy =>
  policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  tools: { secret: { tier: pro }, open: { tier: free } }
  resources: { "r://a/secret": { tier: pro } }
  resourceTemplates: { "t://{+path}": { tier: pro } }
settings: { enforcement: ${mode}${rest} }
`);
const enforce = policyIn('enforce');
const LISTS: Lists = {
  'tools/list': [{ name: 'secret' }, { name: 'open' }, { name: 'listed' }],
  'prompts/list': [{ name: 'listed' }],
  'resources/list': [{ uri: 'r://a/secret' }],
  'resources/templates/list': [{ uriTemplate: 't://{+path}' }],
};
const serving = (policy = enforce, lists = LISTS): ListServer => new ListServer(policy).listing(lists);
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const matching = (before: string) => expect.stringMatching(new RegExp(`^${before}unknown-${UUID}$`));

/** The requests that the server received, without those of the gate for lists. */
const passed = ({ toServer }: ListServer): object[] =>
  toServer.flatMap((message) =>
    'method' in message && LIST_KEYS[message.method] === undefined
      ? [{ method: message.method, params: message.params }]
      : [],
  );
const asked = (server: ListServer): string[] =>
  server.asked.filter((method) => LIST_KEYS[method] !== undefined);
const error = (code: number, message: string, data?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code, message, ...(data === undefined ? {} : { data }) },
});
const NOT_CHECKED =
  'Access to this primitive could not be checked, because the server did not list its primitives. Try again.';

describe('a hidden name', () => {
  it.each<[string, Record<string, unknown>, object]>([
    [
      'tools/call',
      { name: 'secret', arguments: { name: 'secret' } },
      { name: matching(''), arguments: { name: 'secret' } },
    ],
    ['prompts/get', { name: 'nothing' }, { name: matching('') }],
    [
      'resources/read',
      { uri: 'r://a/secret', _meta: { a: 1 } },
      { uri: matching('r://a/'), _meta: { a: 1 } },
    ],
    ['resources/read', { uri: 'R://a/secret' }, { uri: matching('R://a/') }],
    ['resources/read', { uri: 'r:\n//a/secret' }, { uri: matching('r:\n//a/') }],
    // The siblings of these are hidden too, or they have none.
    ['resources/read', { uri: 't://a/b' }, { uri: matching('unknown:') }],
    ['resources/read', { uri: `r://${'x'.repeat(70_000)}/` }, { uri: matching('unknown:') }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'nothing' }, argument: {} },
      { ref: { type: 'ref/prompt', name: matching('') }, argument: {} },
    ],
  ])('is replaced by one that does not exist: %s %j', (method, params, replaced) => {
    const server = serving();
    server.request(1, method, params);
    expect(passed(server)).toEqual([{ method, params: replaced }]);
  });

  it.each([
    ['secret/part', 'unknown:'],
    ['mailto:secret', 'unknown:'],
    ['r://a?secret/x', 'r://'],
    ['r://a#secret/x', 'r://'],
    ['r://a/b/c', 'r://a/b/'],
    ['r://a/b/', 'unknown:'],
    ['r:a?x://b/c', 'unknown:'],
  ])('is replaced in the last segment of its path only: %s', (uri, before) => {
    const all = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { resources: { ${JSON.stringify(uri)}: { tier: pro } } }
settings: { enforcement: enforce }
`);
    const server = serving(all, {});
    server.request(1, 'resources/read', { uri });
    expect(passed(server)).toEqual([{ method: 'resources/read', params: { uri: matching(before) } }]);
  });

  it.each([
    ['tools/call', { name: 'secret' }, 'name'],
    ['resources/read', { uri: 'r://a/secret' }, 'uri'],
    ['resources/read', { uri: 't://a/secret' }, 'uri'],
  ])('is put back into the answer: %s %j', async (method, params, member) => {
    const server = serving();
    server.request(1, method, params);
    const message = server.toServer.find((each) => read(each, 'method') === method);
    const sent = read(message, 'params', member);
    const id = read(message, 'id');
    await server.server({ jsonrpc: '2.0', id, error: { code: -32602, message: `no ${String(sent)}` } });
    expect(server.answers(1)).toEqual([error(-32602, `no ${Object.values(params)[0]}`)]);
  });

  it('is another one each time', () => {
    const server = serving();
    for (const id of [1, 2]) server.request(id, 'tools/call', { name: 'secret' });
    const names = passed(server).map((request) => read(request, 'params', 'name'));
    expect(new Set(names).size).toBe(2);
  });

  it('is not found if every other name is hidden too', () => {
    const none = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { resourceTemplates: { "{+any}": { tier: pro } } }
settings: { enforcement: enforce }
`);
    const server = serving(none, { 'resources/templates/list': [{ uriTemplate: '{+any}' }] });
    server.request(1, 'resources/read', { uri: 'r://x' });
    expect(server.answers(1)).toEqual([error(-32602, 'Resource not found', { uri: 'r://x' })]);
    expect(passed(server)).toEqual([]);
  });
});

describe('a request', () => {
  const pass = (policy: Policy, method: string, params: object): string[] => {
    const server = serving(policy);
    server.request(1, method, params);
    expect(passed(server)).toEqual([{ method, params }]);
    return asked(server);
  };

  it('passes as it is if it is shown', () => {
    expect(pass(enforce, 'tools/call', { name: 'listed', arguments: {} })).toEqual(['tools/list']);
    expect(pass(enforce, 'prompts/get', { name: 'listed' })).toEqual(['prompts/list']);
    expect(pass(enforce, 'resources/read', { uri: 'r://a/open' })).toEqual([
      'resources/list',
      'resources/templates/list',
    ]);
  });

  it('passes without a list if nothing depends on one', () => {
    expect(pass(enforce, 'tools/call', { name: 'open' })).toEqual([]);
    expect(pass(enforce, 'skills/list', {})).toEqual([]);
    expect(pass(policyOf('settings: { enforcement: enforce }\n'), 'tools/call', { name: 'secret' })).toEqual(
      [],
    );
    expect(pass(policyIn('advisory'), 'tools/call', { name: 'secret' })).toEqual([]);
    expect(pass(policyIn('advisory'), 'tools/call', { name: 'secret', task: {} })).toEqual([]);
  });

  it.each(['secret', 'listed', 'nothing'])('is refused if the lists cannot be read: %s', (name) => {
    const server = serving(enforce, { 'tools/list': -32000 });
    server.request(1, 'tools/call', { name });
    expect(server.answers(1)).toEqual([error(-32603, NOT_CHECKED)]);
    expect(passed(server)).toEqual([]);
    expect(server.reports).toEqual([{ method: 'tools/call', era: 'legacy', error: -32603 }]);
  });

  it('waits for the lists, and passes or is replaced then', async () => {
    const server = serving();
    server.isSlow = true;
    server.request(1, 'tools/call', { name: 'listed' });
    server.request(2, 'tools/call', { name: 'secret' });
    expect(passed(server)).toEqual([]);
    await expect.poll(() => passed(server)).toHaveLength(2);
    expect(passed(server)).toEqual([
      { method: 'tools/call', params: { name: 'listed' } },
      { method: 'tools/call', params: { name: matching('') } },
    ]);
  });

  it('can be cancelled while it waits, and then never reaches the server', async () => {
    const server = serving();
    server.isSlow = true;
    server.request(1, 'tools/call', { name: 'listed' });
    server.request(2, 'tools/call', { name: 'listed' });
    server.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await expect.poll(() => passed(server)).toHaveLength(1);
    expect(server.answers(1)).toEqual([]);
    expect(
      server.toServer.filter((message) => read(message, 'method') === 'notifications/cancelled'),
    ).toEqual([]);
  });

  it('can be cancelled at the server after it passed at once', () => {
    const server = serving();
    server.request(1, 'tools/call', { name: 'listed' });
    const id = read(server.toServer.at(-1), 'id');
    server.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(server.toServer.at(-1)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: id },
    });
  });

  it('waits for the session', async () => {
    const store = createMemoryStore();
    await store.update('s', { listChanged: [] });
    const server = new ListServer(enforce, { place: 'store', store, id: 's' }).listing(LISTS);
    server.request(1, 'tools/call', { name: 'listed' });
    expect(passed(server)).toEqual([]);
    await expect.poll(() => passed(server)).toHaveLength(1);
  });
});

describe('the report of a request', () => {
  interface Reported {
    readonly report: GateReport;
    readonly context: ReturnType<typeof contextOf>;
  }

  function reportsOf(
    policy: Policy,
    method: string,
    params: Record<string, unknown>,
    lists = LISTS,
  ): Reported[] {
    const reported: Reported[] = [];
    const server = serving(policy, lists);
    const gate = new Connection(
      {
        gate: { policy },
        preferences: { place: 'connection', record: {} },
        report: (report, context) => reported.push({ report, context: contextOf(context) }),
      },
      {
        toServer: (message: Message) => {
          const key = read(message, 'method');
          const items = typeof key === 'string' ? lists[key] : undefined;
          const id = read(message, 'id');
          if (items === undefined || typeof id !== 'string' || typeof key !== 'string') return;
          const result = { [key.split('/')[0] ?? '']: items };
          void gate.fromServer({ jsonrpc: '2.0', id, result }, async () => undefined);
        },
        toClient: async () => undefined,
      },
    );
    gate.fromClient({ jsonrpc: '2.0', id: 7, method, params }, { extra: undefined });
    expect(server.reports).toEqual([]);
    return reported;
  }
  const told = {
    method: 'tools/call',
    era: 'legacy',
    concerns: { tier: 'free' },
    sources: { tier: 'default' },
  };
  const mismatch = {
    effect: 'hide',
    reason: {
      code: 'concern-mismatch',
      concern: 'tier',
      preferred: ['free'],
      actual: ['pro'],
      source: expect.stringContaining('policy.yaml:'),
    },
  };
  const fits = { effect: 'show', reason: { code: 'fits' } };

  it.each(['enforce', 'shadow'])('says why it is shown or hidden under %s', (mode) => {
    const policy = policyIn(mode);
    const context = { id: 7, policy: policy.digest };
    expect(reportsOf(policy, 'tools/call', { name: 'listed' })).toEqual([
      { report: { ...told, decision: fits, warnings: [] }, context: { ...context, listedName: 'listed' } },
    ]);
    expect(reportsOf(policy, 'tools/call', { name: 'secret' })).toEqual([
      {
        report: { ...told, refused: 'tools/call', decision: mismatch, warnings: [] },
        context: { ...context, listedName: 'secret' },
      },
    ]);
    // Nothing hides it but that it does not exist, and its name may be a secret of the client.
    expect(reportsOf(policy, 'tools/call', { name: 'nothing' })).toEqual([
      { report: { ...told, refused: 'tools/call', warnings: [] }, context },
    ]);
    expect(Object.keys(reportsOf(policy, 'tools/call', { name: 'nothing' })[0]?.report ?? {})).not.toContain(
      'decision',
    );
    expect(reportsOf(policy, 'tools/call', { name: 'open' })).toEqual([
      { report: { ...told, decision: fits, warnings: [] }, context },
    ]);
  });

  it('says only the method if nothing is checked', () => {
    const advisory = policyIn('advisory');
    const plain = { method: 'skills/list', era: 'legacy' };
    const context = { id: 7, policy: enforce.digest };
    expect(reportsOf(enforce, 'skills/list', {})).toEqual([{ report: plain, context }]);
    // Only a call that creates a task does not pass by the gate.
    const call = { method: 'tools/call', era: 'legacy' };
    expect(reportsOf(advisory, 'tools/call', { name: 'secret', task: {} })).toEqual([
      { report: call, context: { id: 7, policy: advisory.digest } },
    ]);
  });
});

describe('shadow', () => {
  const shadow = policyIn('shadow', ', invalid: error');
  const sent = (method: string, params: object, lists = LISTS): ListServer => {
    const server = serving(shadow, lists);
    server.request(1, method, params);
    expect(passed(server)).toEqual([{ method, params }]);
    expect(server.toClient).toEqual([]);
    return server;
  };

  it('passes what enforce would refuse, and says so', () => {
    const refused = [{ method: 'tools/call', era: 'legacy', refused: 'tools/call' }];
    expect(sent('tools/call', { name: ['secret'] }).reports).toEqual(refused);
    expect(sent('tools/call', { name: ['secret'], task: {} }).reports).toEqual(refused);
    expect(sent('tools/call', { name: 'listed' }, { 'tools/list': -32603 }).reports).toEqual(refused);
  });

  it('says so of a request with an invalid value', () => {
    const open = policyOf(
      'concerns: { security: { values: [low, high] } }\nsettings: { enforcement: shadow, invalid: error }\n',
    );
    const server = serving(open);
    const params = { name: 'listed', _meta: { [EXTENSION_ID]: { concerns: { security: 'none' } } } };
    server.request(1, 'tools/call', params);
    expect(passed(server)).toEqual([{ method: 'tools/call', params }]);
    expect(server.reports).toEqual([{ method: 'tools/call', era: 'legacy', refused: 'tools/call' }]);
    expect(asked(server)).toEqual([]);
  });

  it('passes what is shown after its lists were read', () => {
    expect(asked(sent('tools/call', { name: 'listed' }))).toEqual(['tools/list']);
    expect(sent('skills/list', {}).reports).toEqual([{ method: 'skills/list', era: 'legacy' }]);
  });
});
