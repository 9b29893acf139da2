import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { Policy } from '../../src/core/engine/policy.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { createHandler, type HandlerOptionsV2 } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';
import { policyFromText } from '../policy-text.js';

const TEXT = `version: 1
concerns: { security: { values: [low, high], match: exact } }
primitives: { tools: { encrypt: { security: high }, log: { security: low } } }
`;
const POLICY = policyFromText(TEXT);
const policyWith = (more: string): Policy => policyFromText(`${TEXT}${more}\n`);
const OPERATOR = policyFromText(
  TEXT.replace('} }', '}, tier: { values: [a], set-by: operator, claim: tier } }'),
);
const HINTS = { ttlMs: 300_000, cacheScope: 'public' } as const;
const NEVER = { ttlMs: 0, cacheScope: 'private' } as const;

/** A server whose second page may be kept for a shorter time. */
function paged(): Server {
  const server = new Server({ name: 'paged', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => {
    const inputSchema = { type: 'object' } as const;
    return params?.cursor === undefined
      ? { tools: [{ name: 'encrypt', inputSchema }], nextCursor: '2', ...HINTS }
      : { tools: [{ name: 'log', inputSchema }], ttlMs: 5_000, cacheScope: 'private' };
  });
  return server;
}

function plain(): Server {
  const server = new Server({ name: 'plain', version: '1.0.0' }, { capabilities: { tools: {} } });
  const tools = ['encrypt', 'log'].map((name) => ({ name, inputSchema: { type: 'object' } as const }));
  server.setRequestHandler('tools/list', () => ({ tools, ...HINTS }));
  return server;
}

interface Host {
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly extensions?: Record<string, object>;
  readonly params?: object;
  readonly sub?: string;
}

/** Lists the tools with a client of SDK v2 that speaks 2026-07-28. */
async function listed(options: Partial<HandlerOptionsV2>, host: Host = {}) {
  const { query = '', headers = {}, extensions, params = {}, sub } = host;
  const handle = createHandler({ server: plain, policy: POLICY, ...options });
  const extra = { iss: 'https://login.example', sub };
  const authInfo = sub === undefined ? {} : { authInfo: { token: 't', clientId: 'c', scopes: [], extra } };
  const fetch = (url: string | URL, init?: RequestInit) => handle(new Request(url, init), authInfo);
  const client = new Client(
    { name: 'host', version: '1' },
    {
      capabilities: extensions === undefined ? {} : { extensions: extensions as never },
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(`http://x.test/mcp${query}`), {
    fetch,
    requestInit: { headers },
  });
  await client.connect(transport);
  return client.request({ method: 'tools/list', params } as never) as Promise<Record<string, unknown>>;
}

it.each<[string, Partial<HandlerOptionsV2>, Host, object, number]>([
  ['of the URL alone pass', {}, {}, HINTS, 2],
  ['of a view in the URL pass', {}, { query: '?concerns=security:high' }, HINTS, 1],
  [
    'of an enforced policy pass',
    { policy: policyWith('settings: { enforcement: enforce, unmapped: show }') },
    {},
    HINTS,
    2,
  ],
  [
    'are the strictest of all pages',
    { server: paged },
    { query: '?concerns=security:low' },
    { ttlMs: 5_000, cacheScope: 'private' },
    1,
  ],
  [
    'are private if an operator decides by claims',
    { policy: OPERATOR },
    {},
    { ttlMs: 300_000, cacheScope: 'private' },
    2,
  ],
  [
    'are short if the policy can be replaced',
    { policy: new LivePolicy(policyFromText(TEXT)) },
    {},
    { ttlMs: 60_000, cacheScope: 'public' },
    2,
  ],
  [
    'are short if an enforced policy can be replaced',
    { policy: new LivePolicy(policyWith('settings: { enforcement: enforce, unmapped: show }')) },
    {},
    { ttlMs: 60_000, cacheScope: 'public' },
    2,
  ],
  ['do not pass with a header', {}, { headers: { 'mcp-concerns': 'security=high' } }, NEVER, 1],
  [
    'do not pass with preferences in _meta',
    {},
    { params: { _meta: { [EXTENSION_ID]: { concerns: { security: 'low' } } } } },
    NEVER,
    1,
  ],
  ['do not pass with a filter of the client', {}, { params: { filter: { namePatterns: ['l*'] } } }, NEVER, 1],
  ['do not pass to a client with the extension', {}, { extensions: { [EXTENSION_ID]: {} } }, NEVER, 2],
  [
    'do not pass to a caller whose choice is kept',
    { preferences: 'principal', store: createMemoryStore() },
    { sub: 'ada' },
    NEVER,
    2,
  ],
  [
    'do not pass under a rule on the client',
    {
      policy: policyWith(
        'rules: [{ id: r, hide: [tools], when: { missing: [client.capabilities.sampling] } }]',
      ),
    },
    {},
    NEVER,
    0,
  ],
])('hints on caching %s', async (_what, options, host, hints, count) => {
  const { tools, ttlMs, cacheScope } = await listed(options, host);
  expect(tools).toHaveLength(count);
  expect({ ttlMs, cacheScope }).toEqual(hints);
});
