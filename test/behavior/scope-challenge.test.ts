import {
  createMcpHandler,
  type McpRequestContext,
  McpServer,
  requireScopes,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { policyOf } from '../gate/gate-harness.js';

const POLICY = `
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: { hidden: { tier: pro } } }
settings: { enforcement: ENFORCEMENT }
`;
const policyWith = (enforcement: string) => policyOf(POLICY.replace('ENFORCEMENT', enforcement));
const authInfo = (scopes: string[]) => ({
  token: 't',
  clientId: 'c',
  scopes,
  resource: new URL('https://example.com/mcp'),
});

const ran: string[] = [];
const contexts: McpRequestContext[] = [];
function createServer(context: McpRequestContext): McpServer {
  contexts.push(context);
  const server = new McpServer({ name: 'scoped', version: '1.0.0' });
  const add = (name: string, scopeChallenge: object) =>
    server.registerTool(name, { inputSchema: z.object({}), ...scopeChallenge }, async () => {
      ran.push(name);
      return { content: [{ type: 'text', text: 'ran' }] };
    });
  add('scoped', { scopeChallenge: requireScopes('files:write', 'files:read') });
  add('hidden', { scopeChallenge: requireScopes('files:write') });
  add('later', { scopeChallenge: async () => ({ scopes: ['files:write'] }) });
  add('broken', {
    scopeChallenge: () => {
      throw new Error('no');
    },
  });
  add('open', {});
  return server;
}

const call = (name: string, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});
const legacy = (body: unknown) =>
  new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      'x-own': 'yes',
    },
    body: JSON.stringify(body),
  });
const told = async (response: Response) => ({
  status: response.status,
  challenge: response.headers.get('www-authenticate'),
  body: await response.text(),
});

describe.each(['advisory', 'enforce'])('under %s, in the legacy era,', (enforcement) => {
  const gated = createHandler({ server: createServer, policy: policyWith(enforcement) });
  const bare = createMcpHandler(createServer);

  it.each([[[]], [['files:read']]])(
    'a call with only the scopes %j is challenged as by the SDK, and does not run',
    async (scopes) => {
      ran.length = 0;
      const given = { authInfo: authInfo(scopes) };
      const expected = await told(await bare.fetch(legacy(call('scoped')), given));
      expect(expected).toMatchObject({
        status: 403,
        challenge: expect.stringContaining('files:write files:read'),
      });
      expect(await told(await gated(legacy(call('scoped')), given))).toEqual(expected);
      expect(ran).toEqual([]);
    },
  );

  it('a call with all scopes runs', async () => {
    ran.length = 0;
    const given = { authInfo: authInfo(['files:read', 'files:write']) };
    expect((await told(await gated(legacy(call('scoped')), given))).body).toContain('"ran"');
    expect((await told(await gated(legacy(call('open'))))).body).toContain('"ran"');
    expect(ran).toEqual(['scoped', 'open']);
  });

  it.each(['later', 'broken'])('a challenge that is late or fails blocks the call: %s', async (name) => {
    ran.length = 0;
    const { body } = await told(await gated(legacy(call(name)), { authInfo: authInfo([]) }));
    expect(body).toContain('"error"');
    expect(ran).toEqual([]);
  });

  it('in a batch each call is checked separately', async () => {
    ran.length = 0;
    const batch = legacy([call('scoped', 1), call('open', 2)]);
    const { body } = await told(await gated(batch, { authInfo: authInfo([]) }));
    expect(body).toContain('Insufficient scope');
    expect(ran).toEqual(['open']);
  });

  it('the server factory receives the request and its authorization', async () => {
    contexts.length = 0;
    await told(await gated(legacy(call('open')), { authInfo: authInfo(['a']) }));
    expect(contexts).toMatchObject([{ era: 'legacy', authInfo: { scopes: ['a'] } }]);
    expect(contexts[0]?.requestInfo?.headers.get('x-own')).toBe('yes');
  });
});

it('does not challenge a call of a hidden tool', async () => {
  const gated = createHandler({ server: createServer, policy: policyWith('enforce') });
  const given = { authInfo: authInfo([]) };
  const hidden = await told(await gated(legacy(call('hidden')), given));
  const unknown = await told(await gated(legacy(call('nothing')), given));
  expect(unknown.status).toBe(200);
  expect(hidden).toEqual({ ...unknown, body: unknown.body.replaceAll('nothing', 'hidden') });
});
