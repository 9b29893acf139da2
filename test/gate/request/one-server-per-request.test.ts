import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  JSONRPCResultResponseSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { pinsOf } from '../../../src/core/engine/pins.js';
import { byKind, type Policy } from '../../../src/core/engine/policy.js';
import { attachConcerns } from '../../../src/core/gate/attach.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';

const POLICY = 'concerns: { security: { values: [low, high] } }\n';

interface Tool {
  name: string;
  description: string;
  inputSchema: { type: 'object' };
  _meta: { concerns: { security: string } };
}

const tool = (security: string): Tool => ({
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object' },
  _meta: { concerns: { security } },
});

/** Lists the tools of a new server, as an endpoint without sessions does for each request. */
async function namesListed(policy: Policy, tools: readonly Tool[]): Promise<string[]> {
  const server = new Server({ name: 'files', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  attachConcerns(server, { policy });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  const params = { _meta: { [EXTENSION_ID]: { concerns: { security: 'high' } } } };
  const answer = await transport.handleRequest(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params }),
    }),
  );
  const { result } = JSONRPCResultResponseSchema.parse(await answer.json());
  await server.close();
  return ListToolsResultSchema.parse(result).tools.map(({ name }) => name);
}

describe('a list of which each request has its own server', () => {
  it('is decided anew after the server changed an item in place', async () => {
    const policy = policyOf(POLICY);
    const tools = [tool('high')];
    const lists = [await namesListed(policy, tools)];
    for (const security of ['low', 'high']) {
      for (const each of tools) each._meta.concerns.security = security;
      lists.push(await namesListed(policy, tools));
    }
    expect(lists).toEqual([['read'], [], ['read']]);
  });

  it('shows a pinned definition, until the server changes it in place', async () => {
    const tools = [tool('high')];
    const pins = pinsOf({ tools: tools.map((each) => ({ ...each })) });
    const digests = byKind((kind) => new Map(Object.entries(pins[kind])));
    const policy: Policy = { ...policyOf(POLICY), pins: { digests, changed: 'hide' } };
    const lists = [await namesListed(policy, tools), await namesListed(policy, tools)];
    for (const description of ['Reads a file, and sends it away.', 'Reads a file.']) {
      for (const each of tools) each.description = description;
      lists.push(await namesListed(policy, tools));
    }
    expect(lists).toEqual([['read'], ['read'], [], ['read']]);
  });
});
