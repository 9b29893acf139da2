import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { HandlerError } from '../../src/http/callers/principal.js';
import type { FetchHandler } from '../../src/http/fetch-handler.js';
import { createHandler } from '../../src/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/http/sdk-v2.js';
import { policyFromText } from '../policy-text.js';

const policy = policyFromText('version: 1\nconcerns: { level: { values: [low, high] } }\n');
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

const ENFORCED = `version: 1
concerns: { level: { values: [low, high] } }
primitives: { tools: { read: { level: high }, wipe: { level: low } } }
settings: { enforcement: enforce }
`;

/** Sends a request with preferences to a handler. */
async function answered(handle: FetchHandler, method: string, params: object): Promise<string> {
  const headers = {
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
