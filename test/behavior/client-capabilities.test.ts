import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { policyOf } from '../gate/gate-harness.js';
import { serverV2 } from './servers.js';

/** A tool that answers with a task is useless for a client that does not support tasks. */
const policy = policyOf(`
rules:
  - id: tasks-only
    hide: [tools]
    when:
      and:
        - { "===": [ { var: primitive.name }, storeRecord ] }
        - { missing: [ client.capabilities.extensions.io.modelcontextprotocol/tasks ] }
`);
const handle = createHandler({ server: serverV2, policy, store: createMemoryStore() });
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

async function modern(
  method: string,
  capabilities: object,
  params: object = {},
  more: object = {},
): Promise<Response> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
  const headers = { ...HEADERS, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...more };
  return handle(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
}
const namesOf = async (response: Response): Promise<string[]> =>
  ((await response.json()) as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
const withTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

describe('a rule about client capabilities', () => {
  it('hides a tool from a modern client that did not declare the tasks extension', async () => {
    expect(await namesOf(await modern('tools/list', {}))).not.toContain('storeRecord');
    expect(await namesOf(await modern('tools/list', withTasks))).toContain('storeRecord');
  });

  it('uses the capabilities that a legacy client declared when it connected', async () => {
    for (const [capabilities, shown] of [
      [{}, false],
      [withTasks, true],
    ] as const) {
      const post = (body: object, headers = {}) =>
        handle(
          new Request('http://localhost/mcp', {
            method: 'POST',
            headers: { ...HEADERS, ...headers },
            body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
          }),
        );
      const params = {
        protocolVersion: '2025-11-25',
        capabilities,
        clientInfo: { name: 'raw', version: '1' },
      };
      const opened = await post({ method: 'initialize', params });
      const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const names = await namesOf(await post({ method: 'tools/list', params: {} }, session));
      expect(names.includes('storeRecord')).toBe(shown);
    }
  });
});

it.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
  '%s of the modern era gets the answer of a server without tasks',
  async (method) => {
    const params = { taskId: 't1', requestState: 'opaque' };
    const gated = await modern(method, withTasks, params, { 'mcp-name': 't1' });
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const seen: unknown[] = [];
    const bare = createMcpHandler(() => {
      const server = serverV2();
      seen.push(server);
      return server;
    });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': withTasks,
    };
    const headers = {
      ...HEADERS,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': 't1',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
    const expected = await bare.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
    expect(seen).toHaveLength(1);
    // The status differs: the gate reads who made the task first, and SDK v2 turns this error into 404 only at once.
    expect(await gated.text()).toBe(await expected.text());
    expect(expected.status).toBe(404);
  },
);
