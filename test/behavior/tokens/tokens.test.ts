import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHandler, requireLogin } from '../../../src/http/index.js';
import type { BufferedHandler } from '../../../src/lambda/buffered.js';
import type { HttpEvent } from '../../../src/lambda/event.js';
import { createFunction } from '../../../src/lambda/function.js';
import { run } from '../../cli/run.js';
import { httpEvent, restEvent, rpc, toolsOf } from '../../lambda/events.js';
import { policyFromText } from '../../policy-text.js';
import tokens from './tokens.json' with { type: 'json' };

interface TokenRow {
  readonly name: string;
  readonly source: string;
  /** The concern `access`, of which each of three tools has one value. */
  readonly concern: string;
  readonly token: Readonly<Record<string, unknown>>;
  /** What the verifier returns beside the claims. */
  readonly scopes?: readonly string[];
  readonly shown: readonly string[];
}

const ROWS: readonly TokenRow[] = tokens;
const TOOLS = ['readNote', 'writeNote', 'adminNote'];

const policyText = (concern: string) => `version: 1
concerns:
  # mcp-concerns-ignore operator-without-default: callers without the claim must see nothing
  access: { ${concern} }
primitives:
  tools: { readNote: { access: read }, writeNote: { access: write }, adminNote: { access: admin } }
`;
const policyOf = (concern: string) =>
  policyFromText(
    concern.includes('default:') ? policyText(concern).replace(/^ {2}#.*\n/m, '') : policyText(concern),
  );

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

/** The claims as an HTTP API writes them: https://github.com/floci-io/floci/pull/2011 has captures. */
const asText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.join(' ')}]`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};
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
    env: { MCP_CONCERNS_SESSIONS: 'none' },
  }) as BufferedHandler;
  return toolsOf(await handle(event as HttpEvent));
}

const httpEventOf = (authorizer: object) => {
  const event = httpEvent('POST', rpc('tools/list'));
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
};
const restEventOf = (authorizer: object) => {
  const event = restEvent('POST', rpc('tools/list'));
  return { ...event, requestContext: { ...event.requestContext, authorizer } };
};

describe.each(ROWS)('a caller with $name', (row) => {
  const { token, scopes, concern, shown } = row;
  // Only a verifier of an endpoint returns scopes beside the claims. Authorizers of AWS put them into a claim.
  const claims = scopes === undefined ? token : { ...token, scope: scopes.join(' ') };

  it('sees its tools at an endpoint with a verifier', async () => {
    expect(await listOverHttp(row)).toEqual(shown);
  });

  it('sees its tools on Lambda behind a JWT authorizer, whatever scopes the route accepts', async () => {
    const jwt = { claims: mapped(claims, asText), scopes: ['notes:admin', 'notes-api/admin', 'Notes.Admin'] };
    expect(await listOnLambda(concern, httpEventOf({ jwt }))).toEqual(shown);
  });

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
  expect(await listOnLambda(row?.concern ?? '', restEventOf({ claims }))).toEqual(row?.shown);
});

describe('a caller with the identity of IAM', () => {
  const S = 'values: [read, write, admin], multiple: true, set-by: operator';
  const userArn = 'arn:aws:sts::123456789012:assumed-role/notes-editor/ann';
  const identity = { accountId: '123456789012', userArn, principalOrgId: 'o-1' };

  it.each([
    ['its role', `${S}, claim: "aws:role", claim-values: { write: [notes-editor] }`],
    ['its ARN', `${S}, claim: sub, claim-values: { write: ["${userArn}"] }`],
  ])('sees the tools of %s behind an HTTP API and a REST API', async (_what, concern) => {
    expect(await listOnLambda(concern, httpEventOf({ iam: identity }))).toEqual(['writeNote']);
    const event = restEvent('POST', rpc('tools/list'));
    const signed = { ...event, requestContext: { ...event.requestContext, identity } };
    expect(await listOnLambda(concern, signed)).toEqual(['writeNote']);
  });
});
