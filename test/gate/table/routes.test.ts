import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NOTIFICATIONS, ROUTES, SERVER_REQUESTS } from '../../../src/core/gate/table/routes.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: { secret: { tier: pro } }, resources: { "r://secret": { tier: pro } } }
settings: { enforcement: SETTINGS }
`;
const policyWith = (settings: string) => policyOf(POLICY.replace('SETTINGS', settings));
const enforce = policyWith('enforce');
const LISTS = {
  'tools/list': [{ name: 'secret' }, { name: 'open' }],
  'resources/list': [{ uri: 'r://secret', name: 's' }],
  'resources/templates/list': [],
};
const UNKNOWN = [
  'skills/search',
  'resources/directory/list',
  'tools/resolve',
  'groups/create',
  'vendor/groups/list',
  'interceptors/list',
  'interceptor/invoke',
  'events/poll',
  'nothing/at-all',
  'constructor',
  '__proto__',
  'Tools/call',
  'tools/call ',
  '',
];
const methods = ({ toServer }: Harness): string[] =>
  toServer.flatMap((message) => ('method' in message ? [message.method] : []));

describe('a method that is in no table', () => {
  it.each(UNKNOWN)('is refused under enforce, and not sent: %j', (method) => {
    const harness = new Harness(enforce);
    harness.request('x', method, { name: 'secret', uri: 'r://secret' });
    expect(harness.toServer).toEqual([]);
    expect(harness.toClient).toEqual([
      { jsonrpc: '2.0', id: 'x', error: { code: -32601, message: 'Method not found' } },
    ]);
  });

  it('is reported by its name', () => {
    const harness = new Harness(enforce);
    harness.request(1, 'vendor/status');
    harness.request(2, 'a secret\n that a client wrote');
    expect(harness.reports).toEqual([
      { method: 'vendor/status', era: 'legacy', error: -32601, refused: 'vendor/status' },
      { method: 'other', era: 'legacy', error: -32601, refused: 'other' },
    ]);
  });

  it('takes no more of a log than a name needs', () => {
    const reports = ['enforce', 'shadow', 'advisory'].flatMap((mode) => {
      const harness = new Harness(policyWith(mode));
      harness.request(1, 'x'.repeat(1_000_000));
      harness.client({ jsonrpc: '2.0', method: 'y\u001b'.repeat(1_000_000) });
      return harness.reports;
    });
    expect(JSON.stringify(reports).length).toBeLessThan(1000);
    expect(reports.length).toBeGreaterThan(4);
  });

  it.each(UNKNOWN)('passes under shadow, with a report: %j', (method) => {
    const harness = new Harness(policyWith('shadow'));
    harness.request(1, method);
    expect(methods(harness)).toEqual([method]);
    const refused = /^[\w/-]+$/.test(method) ? method : 'other';
    expect(harness.reports).toEqual([{ method: refused, era: 'legacy', refused }]);
  });

  it('passes under advisory, without a report of a refusal', () => {
    const harness = new Harness(policyWith('advisory'));
    harness.request(1, 'vendor/status');
    expect(methods(harness)).toEqual(['vendor/status']);
    expect(harness.reports).toEqual([{ method: 'vendor/status', era: 'legacy' }]);
  });

  it('passes under enforce if settings.methods names it, and its answer is unchanged', async () => {
    const harness = new Harness(policyWith('enforce, methods: [status, "vendor/*"]'));
    for (const method of ['status', 'vendor/a', 'vendor/b/c', 'vendor', 'statuses']) {
      harness.request(method, method, {});
    }
    expect(methods(harness)).toEqual(['status', 'vendor/a', 'vendor/b/c']);
    const [first] = harness.toServer;
    await harness.server({
      jsonrpc: '2.0',
      id: first && 'id' in first ? first.id : 0,
      result: { own: 'secret' },
    });
    expect(harness.answers('status')).toEqual([{ jsonrpc: '2.0', id: 'status', result: { own: 'secret' } }]);
  });

  it('is checked all the same if it is in the table', () => {
    const harness = new Harness(policyWith('enforce, methods: ["*"]')).serve(LISTS);
    harness.request(1, 'tools/call', { name: 'secret' });
    const call = harness.toServer.find((message) => 'method' in message && message.method === 'tools/call');
    expect(call).toMatchObject({ params: { name: expect.stringMatching(/^unknown-/) } });
  });
});

describe('a notification that is in no table', () => {
  const notification = (method: string) => ({ jsonrpc: '2.0', method, params: { name: 'secret' } });

  it('is dropped under enforce in both directions, and reported', async () => {
    const harness = new Harness(enforce);
    harness.client(notification('notifications/vendor'));
    await harness.server(notification('notifications/groups/list_changed'));
    await harness.server(notification('notifications/tasks'));
    expect(harness.toServer).toEqual([]);
    expect(harness.toClient).toEqual([]);
    expect(harness.reports).toMatchObject([
      { refused: 'notifications/vendor' },
      { refused: 'notifications/groups/list_changed' },
      { refused: 'notifications/tasks' },
    ]);
  });

  it('passes if settings.methods names it', async () => {
    const harness = new Harness(policyWith('enforce, methods: ["notifications/vendor*"]'));
    harness.client(notification('notifications/vendor'));
    await harness.server(notification('notifications/vendor/changed'));
    expect(harness.toServer).toHaveLength(1);
    expect(harness.toClient).toHaveLength(1);
  });

  it('passes under shadow with a report, and under advisory without one', async () => {
    for (const [enforcement, reports] of [
      ['shadow', 2],
      ['advisory', 0],
    ] as const) {
      const harness = new Harness(policyWith(enforcement));
      harness.client(notification('notifications/vendor'));
      await harness.server(notification('notifications/vendor'));
      expect([harness.toServer.length, harness.toClient.length]).toEqual([1, 1]);
      expect(harness.reports).toHaveLength(reports);
    }
  });

  it('passes under enforce if it is in the table', async () => {
    for (const method of NOTIFICATIONS.client) {
      const harness = new Harness(enforce);
      harness.client({ jsonrpc: '2.0', method, params: {} });
      expect(harness.toServer, method).toHaveLength(method === 'notifications/cancelled' ? 0 : 1);
    }
    for (const method of NOTIFICATIONS.server) {
      const harness = new Harness(enforce);
      await harness.server({ jsonrpc: '2.0', method, params: {} });
      // Without a request, nothing tells which resources this client is shown.
      const isOfResources = ['resources/updated', 'subscriptions/acknowledged'].includes(method.slice(14));
      expect(harness.toClient, method).toHaveLength(isOfResources ? 0 : 1);
    }
  });
});

describe('a request of the server', () => {
  it('passes under enforce if a client knows the method', async () => {
    for (const method of SERVER_REQUESTS) {
      const harness = new Harness(enforce);
      await harness.server({ jsonrpc: '2.0', id: 5, method });
      expect(harness.toClient).toEqual([{ jsonrpc: '2.0', id: 5, method }]);
    }
  });

  it('is refused under enforce otherwise', async () => {
    const harness = new Harness(enforce);
    harness.request(1, 'ping');
    await harness.server({ jsonrpc: '2.0', id: 5, method: 'vendor/tell', params: { name: 'secret' } });
    expect(harness.toClient).toEqual([]);
    expect(harness.toServer.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: 5,
      error: { code: -32601, message: 'Method not found' },
    });
  });
});

describe('the era of a connection', () => {
  const modern = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', own: 1 } };
  const sentUris = ({ toServer }: Harness): unknown[] =>
    toServer.flatMap((message) =>
      'method' in message && message.params?.uri !== undefined ? [message.params.uri] : [],
    );

  it.each(['resources/subscribe', 'resources/unsubscribe', 'resources/read'])(
    'does not decide whether %s is checked',
    (method) => {
      for (const meta of [{}, modern]) {
        const harness = new Harness(enforce).serve(LISTS);
        harness.request(1, method, { uri: 'r://secret', ...meta });
        expect(sentUris(harness)).toEqual([expect.stringMatching(/unknown-/)]);
      }
    },
  );

  it('is legacy after initialize, whatever a request says', async () => {
    const harness = new Harness(enforce).serve(LISTS);
    harness.request(1, 'tools/list', modern);
    expect(harness.reports.at(-1)).toMatchObject({ era: 'modern' });
    harness.request(2, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} });
    await new Promise((resolve) => setImmediate(resolve));
    harness.request(3, 'tools/list', modern);
    expect(harness.reports.at(-1)).toMatchObject({ era: 'legacy' });
    harness.request(4, 'ping', modern);
    expect(harness.toServer.at(-1)).toMatchObject({ method: 'ping', params: { _meta: { own: 1 } } });
    expect(JSON.stringify(harness.toServer.at(-1))).not.toContain('protocolVersion');
  });

  it('stays open if the server refuses initialize', async () => {
    const harness = new Harness(enforce);
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      void harness.server({ jsonrpc: '2.0', id: message.id, error: { code: -32022, message: 'no' } });
    };
    harness.request(1, 'initialize', {});
    harness.request(2, 'ping', modern);
    expect(harness.reports.at(-1)).toMatchObject({ method: 'ping', era: 'modern' });
  });
});

it('drops updates of resources before the first request under enforce', async () => {
  const harness = new Harness(enforce);
  await harness.server({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'r://secret' },
  });
  expect(harness.toClient).toEqual([]);
});

it('documents every row of the tables', () => {
  const page = readFileSync('docs/reference/enforcement.md', 'utf8');
  const rows = [...ROUTES.keys(), ...NOTIFICATIONS.client, ...NOTIFICATIONS.server, ...SERVER_REQUESTS];
  expect(rows.filter((method) => !page.includes(`\`${method}\``))).toEqual([]);
});
