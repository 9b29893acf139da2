import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/gate/edge/exchange.js';
import { gather } from '../../../src/core/gate/edge/gather.js';
import { filterEntries } from '../../../src/core/gate/enforce/entries.js';
import { CLIENT_CAPABILITIES_META, PROTOCOL_VERSION_META } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { ListServer, type Lists } from './list-server.js';

const policy = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives:
  resources: { "r://secret": { tier: pro }, "r://open": { tier: free } }
settings: { enforcement: enforce }
`);
const LISTS: Lists = {
  'resources/list': [{ uri: 'r://listed', _meta: { concerns: { tier: 'pro' } } }, { uri: 'r://open' }],
  'resources/templates/list': [{ uriTemplate: 't://{id}', _meta: { concerns: { tier: 'pro' } } }],
};
const modern = {
  [PROTOCOL_VERSION_META]: '2026-07-28',
  [CLIENT_CAPABILITIES_META]: {
    extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
  },
};

const serving = (lists = LISTS): ListServer => new ListServer(policy).listing(lists);
const filter = (exchange: Exchange, result: Record<string, unknown>) =>
  gather(exchange, filterEntries(exchange, { jsonrpc: '2.0', id: 'client', result }));
const filtered = (method: string, result: Record<string, unknown>, server = serving()) =>
  filter(server.exchange(method, { uri: 'r://open' }), result);
const answer = (result: unknown) => ({ jsonrpc: '2.0', id: 'client', result });

const open = { uri: 'r://open', name: 'o' };
const hidden = [{ uri: 'r://secret' }, { uri: 'r://listed' }, { uri: 'R://secret' }, { uri: 't://7' }];
const nameless = [{ name: 'o' }, { uri: 7 }, null, 'r://open'];

describe('the entries of an answer', () => {
  it('are without hidden URIs and without those that have none', () => {
    expect(filtered('resources/directory/read', { resources: [open, ...hidden, ...nameless], a: 1 })).toEqual(
      answer({ resources: [open], a: 1 }),
    );
  });

  it('are filtered in each entry, too', () => {
    const skills = [
      { ...open, resources: [...hidden, open] },
      { uri: 'r://other', resources: [] },
      { uri: 'r://third' },
      { uri: 'r://secret', resources: [open] },
    ];
    expect(filtered('skills/list', { skills, nextCursor: 'c' })).toEqual(
      answer({
        skills: [{ ...open, resources: [open] }, { uri: 'r://other', resources: [] }, { uri: 'r://third' }],
        nextCursor: 'c',
      }),
    );
  });

  it('are filtered inside one entry', () => {
    expect(filtered('skills/get', { skill: { name: 's', resources: [...hidden, open] } })).toEqual(
      answer({ skill: { name: 's', resources: [open] } }),
    );
  });

  it.each<[string, Record<string, unknown>]>([
    ['resources/directory/read', {}],
    ['resources/directory/read', { resources: [] }],
    ['resources/directory/read', { resources: { uri: 'r://secret' } }],
    ['resources/directory/read', { resources: null }],
    ['skills/list', { skills: { resources: [{ uri: 'r://secret' }] } }],
    ['skills/list', { skills: [{ uri: 'r://open', resources: 'r://secret' }] }],
    ['skills/get', { resources: [{ uri: 'r://secret' }] }],
    ['skills/get', { skill: [{ uri: 'r://secret' }] }],
    ['skills/get', { skill: null }],
  ])('stay as they are in another form: %s %j', (method, result) => {
    expect(filtered(method, result)).toEqual(answer(result));
  });

  it('leave the answer of the server as it was', () => {
    const result = { resources: [open, ...hidden] };
    const before = structuredClone(result);
    filtered('resources/directory/read', result);
    expect(result).toEqual(before);
  });

  it.each(['tools/call', 'resources/read', 'vendor/method'])('are none in the answer to %s', (method) => {
    const server = serving();
    const message = { jsonrpc: '2.0', id: 'client', result: { resources: hidden, skills: hidden } } as const;
    expect(gather(server.exchange(method), filterEntries(server.exchange(method), message))).toBe(message);
    expect(server.asked).toEqual([]);
  });
});

describe('the lists that decide about entries', () => {
  it('are those of resources and templates', () => {
    const server = serving();
    filtered('skills/list', { skills: [open] }, server);
    expect(server.asked).toEqual(['resources/list', 'resources/templates/list']);
  });

  it('may be missing', () => {
    expect(
      filtered('skills/list', { skills: [open, { uri: 'r://listed' }, { uri: 'r://secret' }] }, serving({})),
    ).toEqual(answer({ skills: [open, { uri: 'r://listed' }] }));
  });

  it.each(['resources/list', 'resources/templates/list'])('must not fail: %s', (failing) => {
    const server = serving({ ...LISTS, [failing]: -32603 });
    expect(filtered('skills/list', { skills: [open] }, server)).toEqual({
      jsonrpc: '2.0',
      id: 'client',
      error: {
        code: -32603,
        message:
          'The answer could not be filtered, because the server did not list its resources. Try again.',
      },
    });
  });

  it('are searched if they are too long', () => {
    const pages = Array.from({ length: 120 }, (_, index) => [{ uri: `n://${index}` }]);
    const late = { uri: 'r://late', _meta: { concerns: { tier: 'pro' } } };
    const server = serving({ 'resources/list': [...pages, [late]] });
    expect(
      filtered('skills/list', { skills: [open, { uri: 'r://late' }, { uri: 'n://3' }] }, server),
    ).toEqual(answer({ skills: [open, { uri: 'n://3' }] }));
  });

  it('may come later', async () => {
    const server = serving();
    server.isSlow = true;
    const later = filtered('skills/list', { skills: [open, ...hidden] }, server);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual(answer({ skills: [open] }));
  });
});

describe('entries for a modern client', () => {
  it('must not be cached for other preferences', () => {
    const exchange = serving().exchange('skills/list', { _meta: modern });
    expect(filter(exchange, { skills: [open, ...hidden], ttlMs: 9, cacheScope: 'public' })).toEqual(
      answer({ skills: [open], ttlMs: 0, cacheScope: 'private' }),
    );
  });
});
