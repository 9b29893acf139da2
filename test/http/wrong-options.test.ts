import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { HandlerError } from '../../src/core/http/callers/principal.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { policyFromText } from '../policy-text.js';

const policy = policyFromText('version: 1\nconcerns: { level: { values: [low, high] } }\n');
const log = () => undefined;
const server = () => new McpServer({ name: 'vault', version: '1.0.0' });

describe.each([
  ['SDK v1', createHandler],
  ['SDK v2', createHandlerV2],
])('the handler of %s', (_sdk, create) => {
  it.each<[string, object, string]>([
    [
      'the path of a policy',
      { server, policy: 'policy.yaml' },
      'must be a policy, but is the text "policy.yaml"',
    ],
    ['parsed YAML', { server, policy: { version: 1 } }, 'must be a policy, but is other data'],
    ['no policy', { server }, 'The option "policy" is missing.'],
    [
      'a server instead of a function',
      { server: server(), policy },
      'must be a function that makes a new server',
    ],
    ['preferences per caller without a store', { server, policy, preferences: 'principal' }, 'needs a store'],
  ])('is not made for %s', (_what, options, problem) => {
    const make = () => Reflect.apply(create, undefined, [options]);
    expect(make).toThrow(HandlerError);
    expect(make).toThrow(problem);
  });
});

describe.each([
  ['without a catalog', undefined],
  ['with lists that its server does not change', 'static'],
  ['with a saved catalog', { tools: [{ name: 'read', inputSchema: { type: 'object' } }] }],
])('a function %s', (_which, catalog) => {
  const other = { MCP_CONCERNS_POLICY: 'ssm:/vault/policy' };

  it.each<[string, object, string]>([
    ['the path of a policy', { server, policy: 'policy.yaml' }, 'is the text "policy.yaml"'],
    [
      'a path, though another policy replaces it',
      { server, policy: 'policy.yaml', env: other },
      'is the text',
    ],
    ['parsed YAML', { server, policy: { version: 1 } }, 'must be a policy, but is other data'],
    ['a server instead of a function', { server: server(), policy }, 'must be a function that makes a new'],
  ])('is not made for %s', (_what, options, problem) => {
    const make = () =>
      Reflect.apply(createFunction, undefined, [{ env: {}, log, warn: log, catalog, ...options }]);
    expect(make).toThrow(HandlerError);
    expect(make).toThrow(problem);
  });
});

const ENFORCED = `version: 1
concerns: { level: { values: [low, high] } }
primitives: { tools: { read: { level: high }, wipe: { level: low } } }
settings: { enforcement: enforce }
`;

/** Sends a request with preferences to a handler. */
async function answered(
  handle: FetchHandler,
  method: string,
  params: object,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const headers = {
    ...more,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-concerns': 'level=high',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return (await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }))).text();
}

it('the handler of SDK v1 enforces the policy of a server of SDK v2', async () => {
  const make = () => {
    const made = new McpServerV2({ name: 'vault', version: '1.0.0' });
    for (const name of ['read', 'wipe'])
      made.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `ran ${name}` }] }));
    return made;
  };
  const handle = createHandler({ server: make, policy: policyFromText(ENFORCED) });
  const list = await answered(handle, 'tools/list', {});
  expect(list).toContain('"read"');
  expect(list).not.toContain('"wipe"');
  expect(await answered(handle, 'tools/call', { name: 'read', arguments: {} })).toContain('ran read');
  expect(await answered(handle, 'tools/call', { name: 'wipe', arguments: {} })).not.toContain('ran wipe');
});

describe('a request of 2026-07-28 to the handler of SDK v2', () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  const discover = (handle: FetchHandler): Promise<string> =>
    answered(
      handle,
      'server/discover',
      { _meta },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'server/discover',
      },
    );

  it('tells the log a sentence that names the other SDK if the server is of SDK v1', async () => {
    const handle = Reflect.apply(createHandlerV2, undefined, [{ server, policy }]) as FetchHandler;
    const causes: unknown[] = [];
    expect(await discover((request) => handle(request, { failed: (cause) => causes.push(cause) }))).toContain(
      '"error":{"code":-32603,"message":"The server failed on this request. Its log has the reason."}',
    );
    expect(causes).toEqual([
      expect.objectContaining({
        message: expect.stringContaining(
          'The server is not one of SDK v2 (@modelcontextprotocol/server). For SDK v1, use createHandler of mcp-concerns/http',
        ),
      }),
    ]);
  });
});
