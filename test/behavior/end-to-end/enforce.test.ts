import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { attachConcerns } from '../../../src/core/gate/attach.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { inMeta } from '../../clients.js';

/** Every text of a hidden primitive contains this mark. */
const MARK = 'h1dd3n';

const POLICY = `
version: 1
concerns:
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
  level: { values: [low, high] }
primitives:
  tools: { open-tool: { level: low }, ${MARK}-tool: { tier: pro } }
  prompts: { open-prompt: {}, ${MARK}-prompt: { tier: pro } }
  resources: { "open://a": {}, "${MARK}://a": { tier: pro } }
  resourceTemplates: { "open://t/{id}": {}, "${MARK}://t/{id}": { tier: pro } }
settings: { enforcement: ENFORCEMENT }
`;

function policyWith(enforcement: string) {
  const file = join(mkdtempSync(join(tmpdir(), 'enforce-')), 'policy.yaml');
  writeFileSync(file, POLICY.replace('ENFORCEMENT', enforcement));
  return loadPolicy(file);
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'taint', version: '1.0.0' });
  for (const name of ['open', MARK]) {
    server.registerTool(
      `${name}-tool`,
      {
        title: `${name} title`,
        description: `${name} description`,
        inputSchema: { [`${name}Argument`]: z.string().optional() },
      },
      async () => ({
        content: [
          { type: 'text', text: 'ran' },
          { type: 'resource_link', uri: `${MARK}://a`, name: `${MARK}-link` },
          { type: 'resource_link', uri: 'open://a', name: 'open-link' },
        ],
      }),
    );
    server.registerPrompt(`${name}-prompt`, { description: `${name} description` }, async () => ({
      messages: [{ role: 'user', content: { type: 'text', text: 'asked' } }],
    }));
    server.registerResource(
      `${name}-resource`,
      `${name}://a`,
      { description: `${name} description` },
      async (uri) => ({
        contents: [{ uri: uri.href, text: 'read' }],
      }),
    );
    const template = new ResourceTemplate(`${name}://t/{id}`, {
      list: undefined,
      complete: { id: () => ['1', `${MARK}-tool`] },
    });
    server.registerResource(
      `${name}-template`,
      template,
      { description: `${name} description` },
      async (uri) => ({
        contents: [{ uri: uri.href, text: 'read' }],
      }),
    );
  }
  return server;
}

interface Wire {
  readonly client: Client;
  /** All messages that were sent to the client, as text. */
  readonly sent: string[];
  readonly server: McpServer;
}

async function connect(enforcement: string | undefined, tier?: string): Promise<Wire> {
  const server = createServer();
  if (enforcement !== undefined) attachConcerns(server, { policy: policyWith(enforcement) });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const sent: string[] = [];
  const send = serverSide.send.bind(serverSide);
  serverSide.send = (message, options) => {
    sent.push(JSON.stringify(message));
    return send(message, options);
  };
  const clientSend = clientSide.send.bind(clientSide);
  const authInfo = { token: 't', clientId: 'c', scopes: [], extra: tier === undefined ? {} : { tier } };
  clientSide.send = (message, options) => clientSend(message, { ...options, authInfo } as never);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
  return { client, sent, server };
}

type Outcome = { result?: unknown; error?: { code: number; message: string } };

async function ask({ client }: Wire, method: string, params: Record<string, unknown>): Promise<Outcome> {
  try {
    return { result: await client.request({ method, params } as never, ResultSchema) };
  } catch (error) {
    const { code, message } = error as { code: number; message: string };
    return { error: { code, message } };
  }
}

/** Requests that name a primitive: method, params, a hidden name, and a name that does not exist. */
const namingRequests: [string, (name: string) => Record<string, unknown>, string, string][] = [
  ['tools/call', (name) => ({ name, arguments: {} }), `${MARK}-tool`, 'no-tool'],
  ['prompts/get', (name) => ({ name }), `${MARK}-prompt`, 'no-prompt'],
  ['resources/read', (uri) => ({ uri }), `${MARK}://a`, 'none://a'],
  ['resources/read', (uri) => ({ uri }), `${MARK}://t/7`, 'none://t/7'],
  [
    'completion/complete',
    (uri) => ({ ref: { type: 'ref/resource', uri }, argument: { name: 'id', value: '' } }),
    `${MARK}://t/{id}`,
    'none://t/{id}',
  ],
  [
    'completion/complete',
    (name) => ({ ref: { type: 'ref/prompt', name }, argument: { name: 'x', value: '' } }),
    `${MARK}-prompt`,
    'no-prompt',
  ],
];

describe('enforce', () => {
  it.each(namingRequests)(
    '%s gives the same answer for a hidden name as for a name that does not exist (%#)',
    async (method, params, hidden, unknown) => {
      const wire = await connect('enforce');
      const bare = await connect(undefined);
      const expected = await ask(bare, method, params(unknown));
      const got = await ask(wire, method, params(hidden));
      expect(JSON.stringify(got)).toBe(JSON.stringify(expected).replaceAll(unknown, hidden));
      await Promise.all([wire.client.close(), bare.client.close()]);
    },
  );

  it.each(namingRequests)(
    '%s passes for a caller that sees the primitive (%#)',
    async (method, params, hidden) => {
      const wire = await connect('enforce', 'pro');
      const bare = await connect(undefined);
      expect(await ask(wire, method, params(hidden))).toEqual(await ask(bare, method, params(hidden)));
      await Promise.all([wire.client.close(), bare.client.close()]);
    },
  );

  it('reveals no hidden primitive in any answer', async () => {
    const wire = await connect('enforce');
    const { client, sent } = wire;
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      for (const params of [
        {},
        inMeta({ level: 'low' }),
        inMeta({ tier: 'pro' }),
        inMeta({ nothing: 1 }),
        { cursor: 'x' },
      ]) {
        await ask(wire, method, params as Record<string, unknown>);
      }
      await ask(wire, method, { filter: { namePatterns: ['*'] } });
    }
    for (const [method, params] of namingRequests) {
      for (const name of [
        'open-tool',
        'open-prompt',
        'open://a',
        'open://t/1',
        'open://t/{id}',
        'nothing',
        '',
        '*',
      ]) {
        await ask(wire, method, params(name));
      }
    }
    await ask(wire, 'updateConcerns', { concerns: { level: 'high', tier: 'pro' } });
    await ask(wire, 'listConcerns', {});
    await ask(wire, 'tools/call', {});
    await ask(wire, 'nothing/at-all', {});
    wire.server.sendToolListChanged();
    wire.server.server.sendResourceUpdated({ uri: `${MARK}://a` });
    await ask(wire, 'ping', {});
    expect(sent.length).toBeGreaterThan(40);
    expect(sent.filter((message) => message.includes(MARK))).toEqual([]);
    expect(sent.some((message) => message.includes('open://a'))).toBe(true);
    await client.close();
  });

  it('shows a primitive again after the host changed its preferences', async () => {
    const wire = await connect('enforce');
    await ask(wire, 'updateConcerns', { concerns: { level: 'high' } });
    const hidden = await ask(wire, 'tools/call', { name: 'open-tool', arguments: {} });
    expect(JSON.stringify(hidden)).toContain('not found');
    await ask(wire, 'updateConcerns', { concerns: {} });
    const shown = await ask(wire, 'tools/call', { name: 'open-tool', arguments: {} });
    expect(JSON.stringify(shown)).toContain('ran');
    await wire.client.close();
  });

  it('applies the preferences in the _meta of a call', async () => {
    const wire = await connect('enforce');
    const call = { name: 'open-tool', arguments: {}, ...inMeta({ level: 'high' }) };
    expect(JSON.stringify(await ask(wire, 'tools/call', call))).toContain('not found');
    await wire.client.close();
  });
});

describe('advisory', () => {
  it('hides primitives in lists, but blocks no calls', async () => {
    const wire = await connect('advisory');
    const { result } = await ask(wire, 'tools/list', {});
    expect(JSON.stringify(result)).not.toContain(MARK);
    for (const [method, params, hidden] of namingRequests) {
      const bare = await connect(undefined);
      expect(await ask(wire, method, params(hidden))).toEqual(await ask(bare, method, params(hidden)));
      await bare.client.close();
    }
    await wire.client.close();
  });
});

describe('shadow', () => {
  it('filters nothing, but reports what it would hide', async () => {
    const reports: { shown?: number; total?: number }[] = [];
    const server = createServer();
    attachConcerns(server, { policy: policyWith('shadow'), report: (report) => reports.push(report) });
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'test', version: '1.0.0' });
    await Promise.all([server.connect(serverSide), client.connect(clientSide)]);
    expect((await client.listTools()).tools).toHaveLength(2);
    expect(reports.at(-1)).toMatchObject({ shown: 1, total: 2 });
    await client.close();
  });
});
