import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/v2.js';
import { createTasks, defineTask, withTasks } from '../../src/tasks/index.js';
import { policyOf } from '../policy/author.js';
import { CAPABILITIES, INFO } from './wire-clients.js';

const inputSchema = { type: 'object' } as const;
const tasks = createTasks({
  definitions: [
    defineTask({ name: 'long', inputSchema, run: async () => 'done' }),
    defineTask({ name: 'either', inputSchema, support: 'optional', run: async () => 'done' }),
  ],
});
const server = () => withTasks(new McpServer({ name: 'v2', version: '1.0.0' }), tasks);

const metaOf = (capabilities: object) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

const policyWith = (settings: string) =>
  policyOf(`version: 1
concerns: { level: { values: [low, high] } }
settings: { ${settings} }
primitives: { tools: { other: { level: low } } }
`);

type Options = Partial<Parameters<typeof createHandler>[0]>;

const open = (options: Options) =>
  createHandler({ server, policy: policyWith('enforcement: advisory'), ...options });

/** The names of the tools that a client is shown, and the text of the answer. */
async function list(
  handle: ReturnType<typeof open>,
  capabilities: object,
  era: 'legacy' | 'modern' = 'modern',
) {
  const params = era === 'modern' ? { _meta: metaOf(capabilities) } : {};
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(era === 'modern' ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' } : {}),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params });
  const response = await handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
  const text = await response.text();
  const answer: ReturnType<typeof JSON.parse> = JSON.parse(
    text.startsWith('{') ? text : (text.trimEnd().split('\ndata: ').at(-1) ?? ''),
  );
  return { names: answer.result.tools.map(({ name }: { name: string }) => name), text };
}

const SAVED = {
  server: { name: 'v2', version: '1.0.0' },
  tools: [
    { name: 'long', inputSchema, execution: { taskSupport: 'required' } },
    { name: 'either', inputSchema, execution: { taskSupport: 'optional' } },
  ],
};

describe('tools that can only be called as tasks', () => {
  it.each<[string, Options]>([
    ['a policy that hides nothing', {}],
    ['pages', { policy: policyWith('page-size: 100') }],
    ['enforcement', { policy: policyWith('enforcement: enforce, unmapped: show, transparency: true') }],
    ['a catalog that was listed before', { catalog: 'static' }],
    ['a saved catalog', { catalog: SAVED }],
  ])('are shown only to modern clients that declare the Tasks extension, with %s', async (_with, options) => {
    const handle = open(options);
    // Twice: the first request may fill what later ones share.
    for (let request = 0; request < 2; request++) expect((await list(handle, {})).names).toEqual(['either']);
    const able = await list(handle, CAPABILITIES);
    expect(able.names).toEqual(['long', 'either']);
    // Protocol 2026-07-28 does not have this member.
    expect(able.text).not.toContain('execution');
    const legacy = await list(handle, {}, 'legacy');
    expect(legacy.names).toEqual(['long', 'either']);
    expect(legacy.text).toContain('"execution":{"taskSupport":"required"}');
  });

  it('are shown to all clients under settings.tasks: show', async () => {
    const policy = policyWith('tasks: show');
    const { names, text } = await list(open({ policy }), {});
    expect(names).toEqual(['long', 'either']);
    expect(text).not.toContain('execution');
  });

  it('are left out by withTasks itself, without a policy', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const answers: object[] = [];
    near.onmessage = (message) => void answers.push(message);
    await near.start();
    const made = server();
    await made.connect(far);
    for (const [id, capabilities] of [{}, CAPABILITIES].entries()) {
      const params = { _meta: metaOf(capabilities) };
      await near.send({ jsonrpc: '2.0', id, method: 'tools/list', params });
    }
    await expect.poll(() => answers.length).toBe(2);
    expect(answers).toMatchObject([
      { result: { tools: [{ name: 'either' }] } },
      { result: { tools: [{ name: 'long' }, { name: 'either' }] } },
    ]);
    expect(JSON.stringify(answers)).not.toContain('execution');
    await made.close();
  });
});
