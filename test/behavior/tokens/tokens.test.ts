import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandler, requireLogin } from '../../../src/core/http/index.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import type { HttpEvent } from '../../../src/core/lambda/event.js';
import { createFunction } from '../../../src/core/lambda/function.js';
import { run } from '../../cli/run.js';
import { httpEvent, restEvent, rpc, toolsOf } from '../../lambda/events.js';
import { policyFromText } from '../../policy-text.js';
import tokens from './tokens.json' with { type: 'json' };

interface TokenRow {
  readonly name: string;
  readonly source: string;
  /** What the concern `access` reads. Each of four tools has one of its values. */
  readonly concern: string;
  readonly token: Readonly<Record<string, unknown>>;
  /** What the verifier returns beside the claims. */
  readonly scopes?: readonly string[];
  /** The tool of the default is among them only if the caller does not have the claim. */
  readonly shown: readonly string[];
}

const ROWS: readonly TokenRow[] = tokens;
const TOOLS = ['basicNote', 'readNote', 'writeNote', 'adminNote'];

const policyText = (concern: string) => `version: 1
concerns:
  access: { values: [basic, read, write, admin], default: basic, multiple: true, set-by: operator, ${concern} }
primitives:
  tools: { basicNote: { access: basic }, readNote: { access: read }, writeNote: { access: write }, adminNote: { access: admin } }
`;
const policyOf = (concern: string) => policyFromText(policyText(concern));

const definitions = TOOLS.map((name) => ({ name, inputSchema: { type: 'object' as const } }));
function createServer(): Server {
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: definitions }));
  return server;
}

/** The tools that an endpoint with a verifier lists for a token. */
async function listOverHttp(
  { concern, token, scopes = [] }: TokenRow,
  headers: object = {},
): Promise<string[]> {
  const verifier = {
    verifyAccessToken: async (given: string) => {
      if (given !== 'good') throw new Error('The token is of another issuer.');
      return { token: given, clientId: 'client', scopes: [...scopes], extra: { ...token } };
    },
  };
  const handle = requireLogin(createHandler({ server: createServer, policy: policyOf(concern) }), {
    servers: ['https://login.acme.example'],
    verifier,
  });
  const response = await handle(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        authorization: 'Bearer good',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(rpc('tools/list')),
    }),
  );
  if (response.status !== 200) return [`HTTP ${response.status}`];
  return toolsOf({ body: await response.text() });
}

/** A claim as an HTTP API writes it: https://github.com/floci-io/floci/pull/2011 has captures of lists, but none of objects. */
const asText = (value: unknown, object: (value: object) => string): string => {
  if (Array.isArray(value)) return `[${value.map((each) => asText(each, object)).join(' ')}]`;
  return typeof value === 'object' && value !== null ? object(value) : String(value);
};
const asGo = (value: object): string =>
  `map[${Object.entries(value)
    .sort()
    .map(([name, each]) => `${name}:${asText(each, asGo)}`)
    .join(' ')}]`;
const bearer = (token: object) =>
  `Bearer e30.${Buffer.from(JSON.stringify(token)).toString('base64url')}.c2ln`;
/** The claim that a concern reads, or the first one on its path. */
const claimOf = (concern: string): string => /claim: \[?"?([\w:/.]+)/.exec(concern)?.[1] ?? '';
const mapped = (token: object, write: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(token).map(([name, value]) => [name, write(value)]));

beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => undefined);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
});
const folder = mkdtempSync(join(tmpdir(), 'tokens-'));
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

async function listOnLambda(concern: string, event: object): Promise<string[]> {
  const handle = createFunction({
    server: createServer,
    policy: policyOf(concern),
    env: { MCP_CONCERNS_SESSIONS: 'none', MCP_CONCERNS_TOKEN: 'authorization' },
  }) as BufferedHandler;
  return toolsOf(await handle(event as HttpEvent));
}

const httpEventOf = (authorizer: object, token?: object) => {
  const headers = token === undefined ? {} : { authorization: bearer(token) };
  const event = httpEvent('POST', rpc('tools/list'), { headers });
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
};
const restEventOf = (authorizer: object, token: object = {}) => {
  const event = restEvent('POST', rpc('tools/list'), {
    multiValueHeaders: { Authorization: [bearer(token)] },
  });
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
};

describe.each(ROWS)('a caller with $name', (row) => {
  const { token, scopes, concern, shown } = row;
  // Only a verifier of an endpoint returns scopes beside the claims. Authorizers of AWS put them into a claim.
  const claims = scopes === undefined ? token : { ...token, scope: scopes.join(' ') };

  it('sees its tools at an endpoint with a verifier', async () => {
    expect(await listOverHttp(row)).toEqual(shown);
  });

  it.each([
    ['JSON', JSON.stringify],
    ['Go', asGo],
  ])(
    'sees its tools on Lambda behind a JWT authorizer that writes objects as %s, whatever scopes the route accepts',
    async (_form, object) => {
      const written = mapped(claims, (value) => asText(value, object));
      const jwt = { claims: written, scopes: ['notes:admin', 'notes-api/admin', 'Notes.Admin'] };
      expect(await listOnLambda(concern, httpEventOf({ jwt }, claims))).toEqual(shown);
      // Without the token, or with another one, lists and objects cannot always be read.
      for (const token of [undefined, { ...claims, [claimOf(concern)]: ['admin', 'basic'] }]) {
        const known = await listOnLambda(concern, httpEventOf({ jwt }, token));
        expect(shown).toEqual(expect.arrayContaining(known));
      }
    },
  );

  it('sees its tools on Lambda behind a custom authorizer of an HTTP API', async () => {
    expect(await listOnLambda(concern, httpEventOf({ lambda: claims }))).toEqual(shown);
  });

  it('sees its tools on Lambda behind a custom authorizer of a REST API, which passes text', async () => {
    const context = mapped(claims, (value) =>
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    );
    expect(await listOnLambda(concern, restEventOf({ principalId: 'ann', ...context }))).toEqual(shown);
  });

  it('sees its tools in the list of the command line', async () => {
    const paths = ['policy.yaml', 'token.json', 'catalog.json'].map((name) => join(folder, name));
    const [policy = '', claimsFile = '', catalog = ''] = paths;
    writeFileSync(policy, policyText(concern));
    writeFileSync(claimsFile, JSON.stringify(claims));
    writeFileSync(catalog, JSON.stringify({ tools: definitions }));
    const { stdout } = await run(
      'list',
      policy,
      '--catalog',
      catalog,
      '--claims',
      claimsFile,
      '--format',
      'names',
    );
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(shown);
  });

  it('does not see more with forged headers, and nothing with a token of another issuer', async () => {
    const forged = Object.fromEntries(
      ['scope', 'x-scopes', 'x-amzn-oidc-data', 'x-mcp-claims'].map((name) => [name, 'notes:admin admin']),
    );
    expect(await listOverHttp(row, forged)).toEqual(shown);
    expect(await listOverHttp(row, { authorization: 'Bearer other' })).toEqual(['HTTP 401']);
  });
});

it('shows a user the tools of all its groups behind the Amazon Cognito authorizer of a REST API', async () => {
  const row = ROWS.find(({ name }) => name === 'Amazon Cognito, a user');
  const claims = { ...mapped(row?.token ?? {}, String), exp: 'Fri Jan 01 00:00:00 UTC 2100' };
  expect(claims).toHaveProperty('cognito:groups', 'readers,editors');
  expect(await listOnLambda(row?.concern ?? '', restEventOf({ claims }, row?.token))).toEqual(row?.shown);
});

it('shows a caller that nobody verified what the default shows, also if the claim is its scopes', async () => {
  for (const claim of ['scope', 'roles', '[realm_access, roles]']) {
    const concern = `claim: ${claim}`;
    expect(await listOnLambda(concern, httpEvent('POST', rpc('tools/list')))).toEqual(['basicNote']);
  }
});

describe('a caller with the identity of IAM', () => {
  const userArn = 'arn:aws:sts::123456789012:assumed-role/notes-editor/ann';
  const role = { accountId: '123456789012', userArn, principalOrgId: 'o-1' };
  const user = { accountId: '123456789012', userArn: 'arn:aws:iam::123456789012:user/ann' };

  it.each<[string, string, object, string[]]>([
    ['its role', 'claim: "aws:role", claim-values: { write: [notes-editor] }', role, ['writeNote']],
    ['its ARN', `claim: sub, claim-values: { write: ["${userArn}"] }`, role, ['writeNote']],
    ['its account', 'claim: "aws:account", claim-values: { read: ["123456789012"] }', role, ['readNote']],
    ['its organization', 'claim: "aws:organization", claim-values: { admin: [o-1] }', role, ['adminNote']],
    ['its ARN as a user', `claim: sub, claim-values: { admin: ["${user.userArn}"] }`, user, ['adminNote']],
    ['no role, if it is a user', 'claim: "aws:role", claim-values: { write: [ann] }', user, ['basicNote']],
    ['another role', 'claim: "aws:role", claim-values: { write: [notes-reader] }', role, []],
    ['a path, which IAM does not have', 'claim: [realm_access, roles]', role, ['basicNote']],
    ['a path through its ARN', 'claim: [sub, length], claim-values: { admin: ["55"] }', role, []],
    ['its scopes, of which it has none', 'claim: scope', role, []],
  ])('sees the tools of %s behind an HTTP API and a REST API', async (_what, concern, identity, shown) => {
    expect(await listOnLambda(concern, httpEventOf({ iam: identity }))).toEqual(shown);
    const event = restEvent('POST', rpc('tools/list'));
    const signed = { ...event, requestContext: { ...event.requestContext, identity } };
    expect(await listOnLambda(concern, signed)).toEqual(shown);
  });
});
