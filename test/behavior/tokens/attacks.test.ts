import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { createHandler, requireLogin } from '../../../src/core/http/index.js';
import { LINEAR, timeRatio } from '../../growth.js';
import { rpc, toolsOf } from '../../lambda/events.js';
import { policyFromText } from '../../policy-text.js';

const policy = policyFromText(`version: 1
concerns:
  access: { values: [read, write, admin], multiple: true, set-by: operator, claim: scope }
  role: { values: [reader, owner], multiple: true, set-by: operator, claim: [realm_access, roles] }
primitives:
  tools: { readNote: { access: read }, adminNote: { access: admin }, ownNote: { role: owner }, purge: {} }
rules:
  - id: purge
    hide: [tools]
    when: { and: [{ "===": [{ var: primitive.name }, purge] }, { "!": { in: [purge, { var: caller.scopes }] } }] }
settings: { enforcement: enforce }
`);

const TOOLS = ['readNote', 'adminNote', 'ownNote', 'purge'];
const ran: string[] = [];

function createServer(): Server {
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } });
  const tools = TOOLS.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
    if (!TOOLS.includes(name)) throw new Error('Unknown tool');
    ran.push(name);
    return { content: [] };
  });
  return server;
}

/** An endpoint whose verifier accepts every token: a token is its claims. */
const handle = requireLogin(createHandler({ server: createServer, policy }), {
  servers: ['https://login.acme.example'],
  verifier: {
    verifyAccessToken: async (token) => {
      const { iss, scopes = [], ...claims } = JSON.parse(Buffer.from(token, 'base64url').toString());
      if (iss !== 'https://login.acme.example') throw new Error('The token is of another issuer.');
      return { token, clientId: 'c', scopes, extra: { iss, ...claims } };
    },
  },
});

interface Attack {
  /** The claims as JSON, because `__proto__` in an object literal does not make a member. */
  readonly claims: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly params?: object;
}

const ISSUER = '"iss": "https://login.acme.example", "sub": "ann"';

async function send({ claims, headers, query = '', params }: Attack, body = rpc('tools/list', params)) {
  const response = await handle(
    new Request(`http://localhost/mcp${query}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${Buffer.from(claims).toString('base64url')}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, body: await response.text() };
}

const READER = `{ ${ISSUER}, "scope": "openid read" }`;
const scopeOf = (words: number) => Array.from({ length: words }, (_, index) => `admin${index}`).join(' ');
const rolesOf = (words: number) =>
  `{ ${ISSUER}, "scope": "read", "realm_access": { "roles": ${JSON.stringify(scopeOf(words).split(' '))} } }`;

describe('a caller with the scope read sees one tool, and can call no other,', () => {
  it.each<[string, Attack]>([
    ['with forged headers', { claims: READER, headers: { scope: 'admin', 'mcp-claims': 'scope=admin' } }],
    [
      'with preferences in a header',
      { claims: READER, headers: { 'mcp-concerns': 'access=admin, role=owner' } },
    ],
    ['with preferences in the URL', { claims: READER, query: '?concerns=access:admin|write,role:owner' }],
    [
      'with claims in _meta',
      { claims: READER, params: { _meta: { claims: { scope: 'admin' }, concerns: { access: ['admin'] } } } },
    ],
    [
      'with a claim __proto__',
      {
        claims: `{ ${ISSUER}, "scope": "read", "__proto__": { "scope": "admin", "realm_access": { "roles": ["owner"] } } }`,
      },
    ],
    [
      'with __proto__ on the path',
      { claims: `{ ${ISSUER}, "scope": "read", "realm_access": { "__proto__": { "roles": ["owner"] } } }` },
    ],
    [
      'with lists in lists',
      {
        claims: `{ ${ISSUER}, "scope": ["read", ["admin"], { "admin": 1 }], "realm_access": { "roles": [["owner"]] } }`,
      },
    ],
    [
      'with names of other cases',
      {
        claims: `{ ${ISSUER}, "scope": "read Admin ADMIN admin:x", "Scope": "admin", "realm_access.roles": ["owner"] }`,
      },
    ],
    ['with a role of 100,000 others', { claims: rolesOf(100_000) }],
  ])('%s', async (_what, attack) => {
    expect(toolsOf(await send(attack))).toEqual(['readNote']);
    ran.length = 0;
    for (const name of TOOLS)
      await send(attack, rpc('tools/call', { name, arguments: {}, ...attack.params }));
    expect(ran).toEqual(['readNote']);
  });
});

it('refuses a token of another issuer, whatever its claims are', async () => {
  const claims =
    '{ "iss": "https://other.example", "sub": "ann", "scope": "admin", "__proto__": { "iss": "https://login.acme.example" } }';
  expect((await send({ claims })).status).toBe(401);
});

it('shows and runs nothing that takes a scope for a caller with a scope of 100,000 words, and says why', async () => {
  const attack = { claims: `{ ${ISSUER}, "scope": "${scopeOf(100_000)} read purge" }` };
  const { status, body } = await send(attack);
  expect([status, toolsOf({ body })]).toEqual([200, []]);
  expect(body).toContain('too-many-scopes');
  ran.length = 0;
  for (const name of TOOLS) await send(attack, rpc('tools/call', { name, arguments: {} }));
  expect(ran).toEqual([]);
});

it('answers a caller with eight times as many roles in at most proportional time', async () => {
  const [long, short] = [rolesOf(100_000), rolesOf(12_500)];
  expect(
    await timeRatio(
      () => send({ claims: long }),
      () => send({ claims: short }),
    ),
  ).toBeLessThan(LINEAR);
});
