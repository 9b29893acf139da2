import { describe, expect, it } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import { createFunction } from '../../../src/core/lambda/function.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import type { RequestLog } from '../../../src/core/telemetry/request-log.js';
import { policyOf, yaml } from '../../policy/author.js';
import { errorOf, httpEvent, initialize, restEvent, rpc, toolsOf } from '../events.js';

const policy = policyOf(yaml`
  version: 1
  concerns:
    security: { values: [low, high] }
    role: { values: [analyst, admin], set-by: operator, claim: "aws:role" }
    tier: { values: [free, pro], match: at-most, set-by: operator, claim: tier, default: free }
  primitives:
    tools:
      hashData: { security: low }
      encryptData: { security: high }
      decryptData: { role: analyst }
      backupVault: { tier: pro }
`);

const logged: RequestLog[] = [];
const make = (): BufferedHandler =>
  createFunction({
    response: 'buffered',
    server: () => createVaultServer(),
    policy,
    store: createMemoryStore(),
    origins: ['https://host.example'],
    log: (entry) => logged.push(entry),
  });

const signedBy = (role: string) => ({
  identity: { accountId: '1', userArn: `arn:aws:sts::1:assumed-role/${role}/session` },
});

describe('a function behind a REST API', () => {
  it('opens a session, lists by it, and reads concerns from the decoded query', async () => {
    const handler = make();
    const opened = await handler(restEvent('POST', initialize({ concerns: { security: 'high' } })));
    const id = opened.headers['mcp-session-id'] ?? '';
    expect(id).toMatch(/^[0-9a-f]{32}\.[\w-]+$/);
    const listed = toolsOf(
      await handler(restEvent('POST', rpc('tools/list'), { multiValueHeaders: { 'Mcp-Session-Id': [id] } })),
    );
    expect(listed).toContain('encryptData');
    expect(listed).not.toContain('hashData');
    const query = { multiValueQueryStringParameters: { concerns: ['security:low'] } };
    const fromUrl = toolsOf(await handler(restEvent('POST', rpc('tools/list'), query)));
    expect(fromUrl).toContain('hashData');
    expect(fromUrl).not.toContain('encryptData');
  });

  it('shows what the role that signed the request may see, and keeps sessions of callers apart', async () => {
    const handler = make();
    const list = (role: string, id?: string) =>
      handler(
        restEvent('POST', rpc('tools/list'), {
          requestContext: signedBy(role),
          ...(id === undefined ? {} : { multiValueHeaders: { 'mcp-session-id': [id] } }),
        }),
      );
    expect(toolsOf(await list('analyst'))).toContain('decryptData');
    expect(toolsOf(await list('admin'))).not.toContain('decryptData');
    const opened = await handler(
      restEvent('POST', initialize({ concerns: { security: 'high' } }), {
        requestContext: signedBy('analyst'),
      }),
    );
    const id = opened.headers['mcp-session-id'] ?? '';
    expect(toolsOf(await list('analyst', id))).not.toContain('hashData');
    expect(await list('admin', id)).toMatchObject({ statusCode: 404 });
  });

  it('reads claims from the context of a Lambda authorizer', async () => {
    const handler = make();
    const list = (authorizer: Record<string, unknown>) =>
      handler(restEvent('POST', rpc('tools/list'), { requestContext: { authorizer } }));
    expect(toolsOf(await list({ principalId: 'ada', tier: 'pro' }))).toContain('backupVault');
    expect(toolsOf(await list({ principalId: 'bob' }))).not.toContain('backupVault');
  });

  it('does not believe a client that sends the members of an authorizer', async () => {
    const multiValueHeaders = { tier: ['pro'], principalid: ['ada'], 'x-amzn-tier': ['pro'] };
    const query = { multiValueQueryStringParameters: { tier: ['pro'], principalId: ['ada'] } };
    const listed = await make()(restEvent('POST', rpc('tools/list'), { multiValueHeaders, ...query }));
    expect(toolsOf(listed)).not.toContain('backupVault');
  });
});

describe('an HTTP method that is not supported', () => {
  it.each(['TRACE', 'CONNECT', 'TRACK', 'trace', 'PO ST', '', 'GET\r\nX: y', 'ÄÖ', 'PUT', 'PATCH'])(
    'is answered with 405: %j',
    async (method) => {
      logged.length = 0;
      for (const event of [httpEvent(method, '{}'), restEvent(method, {})]) {
        const result = await make()(event);
        expect(result).toMatchObject({
          statusCode: 405,
          headers: { allow: expect.stringContaining('POST') },
        });
        expect(errorOf(result)).toMatchObject({ message: expect.stringContaining('not supported here') });
      }
      expect(logged).toMatchObject([{ status: 405 }, { status: 405 }]);
    },
  );

  it('is refused to pages of other origins like any other', async () => {
    const headers = { origin: 'https://other.example' };
    expect(await make()(httpEvent('TRACE', undefined, { headers }))).toMatchObject({ statusCode: 403 });
  });
});
