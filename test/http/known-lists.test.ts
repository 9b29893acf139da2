import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import type { FetchHandler } from '../../src/http/fetch-handler.js';
import { staticLists } from '../../src/http/known-lists/static-lists.js';
import { takeLists } from '../../src/http/known-lists/stub-server.js';
import { createHandler, serve } from '../../src/http/sdk-v1.js';
import { loadPolicy } from '../../src/policy/compile/load.js';
import { EXTENSION_ID } from '../../src/protocol/messages/wire.js';
import type { GateReport } from '../../src/protocol/request/report.js';
import { createMemoryStore } from '../../src/session/memory.js';

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const wanting = (concerns: unknown) => ({ ...list, params: { _meta: { [EXTENSION_ID]: { concerns } } } });

interface Ask {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly query?: string;
}

/** What hosts send that is plainly for a list, and what is nearly so. */
const ASKS: Record<string, Ask> = {
  'a list': { body: list },
  'a list of prompts': { body: { ...list, method: 'prompts/list', id: 'x' } },
  'a list of resources': { body: { ...list, method: 'resources/list' } },
  'a list of templates': { body: { ...list, method: 'resources/templates/list', params: {} } },
  'concerns in the URL': { body: list, query: '?concerns=security:high,cost:minimal' },
  'concerns in a header': { body: list, headers: { 'mcp-concerns': 'security=high' } },
  'concerns in the request': { body: wanting({ security: 'low', cost: 'minimal' }) },
  'a value that is none': { body: wanting({ security: 'hihg' }) },
  'nothing that fits': { body: wanting({ security: [] }) },
  'a filter': { body: { ...list, params: { filter: { namePatterns: ['*Data'] } } } },
  'a filter that is none': { body: { ...list, params: { filter: { namePatterns: [1] } } } },
  'a cursor that is none': { body: { ...list, params: { cursor: 'x' } } },
  'a cursor of another type': { body: { ...list, params: { cursor: 1 } } },
  'a version': { body: list, headers: { 'mcp-protocol-version': '2025-06-18' } },
  'a version that is none': { body: list, headers: { 'mcp-protocol-version': '1' } },
  'a session that is not known': { body: list, headers: { 'mcp-session-id': 'a'.repeat(32) } },
  'no accept': { body: list, headers: { accept: 'application/json' } },
  'another content': { body: list, headers: { 'content-type': 'text/plain' } },
  'content with a charset': { body: list, headers: { 'content-type': 'Application/JSON; charset=utf-8' } },
  'no list': { body: { ...list, method: 'tools/none' } },
  'a batch': { body: [list, { ...list, id: 2 }] },
  'a notification': { body: { jsonrpc: '2.0', method: 'tools/list' } },
  'no JSON-RPC': { body: { ...list, jsonrpc: 2 } },
  'more members': { body: { ...list, more: 1 } },
  'metadata of another type': { body: { ...list, params: { _meta: 1 } } },
  'params of another type': { body: { ...list, params: 'x' } },
  'no JSON': { body: undefined },
};

const requestOf = ({ body, headers, query = '' }: Ask): Request =>
  new Request(`http://localhost/mcp${query}`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: body === undefined ? '{' : JSON.stringify(body),
  });

async function answered(handle: FetchHandler, ask: Ask) {
  const reports: GateReport[] = [];
  const response = await handle(requestOf(ask), { report: (each) => void reports.push(each) });
  const { status, headers } = response;
  const told = { type: headers.get('content-type'), session: headers.get('mcp-session-id') };
  return { status, ...told, text: await response.text(), reports };
}

describe.each(['advisory', 'enforce', 'shadow'])('lists that are known, under %s', (enforcement) => {
  let direct: FetchHandler;
  let bySdk: FetchHandler;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'catalog-'));
    const text = readFileSync('policies/vault.yaml', 'utf8');
    const file = join(folder, 'policy.yaml');
    writeFileSync(file, text.replace('enforcement: advisory', `enforcement: ${enforcement}`));
    const policy = loadPolicy(file);
    expect(policy.settings.enforcement).toBe(enforcement);
    const store = createMemoryStore();
    const server = () => createVaultServer();
    const catalog = await takeLists(server());
    direct = createHandler({ server, policy, store, catalog });
    bySdk = serve({ server, policy, store }, staticLists(server, policy, catalog, 'legacy'));
  });

  it.each(Object.keys(ASKS))('are answered as the SDK answers: %s', async (name) => {
    const ask = ASKS[name] ?? { body: list };
    expect(await answered(direct, ask)).toEqual(await answered(bySdk, ask));
  });

  it('follow the session, until it is ended', async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    const opened = await direct(
      requestOf({
        body: { ...list, method: 'initialize', params: { ...params, concerns: { security: 'high' } } },
      }),
    );
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const listed = await answered(direct, { body: list, headers });
    expect(listed).toEqual(await answered(bySdk, { body: list, headers }));
    expect(listed).toMatchObject({ session: headers['mcp-session-id'] });
    expect(listed.text).not.toBe((await answered(direct, { body: list })).text);
    await direct(new Request('http://localhost/mcp', { method: 'DELETE', headers }));
    expect(await answered(direct, { body: list, headers })).toMatchObject({ status: 404 });
  });
});
