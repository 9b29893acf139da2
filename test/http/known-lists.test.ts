import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import type { GateReport } from '../../src/core/gate/request/report.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createKnownLists } from '../../src/core/http/known-lists/known-lists.js';
import { takeLists } from '../../src/core/http/known-lists/stub-server.js';
import { createHandler, serve } from '../../src/core/http/sdk-v1.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { EXTENSION_ID } from '../../src/core/wire/messages.js';

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const preferring = (concerns: unknown) => ({ ...list, params: { _meta: { [EXTENSION_ID]: { concerns } } } });

interface Sent {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly query?: string;
}

/** Requests that are plainly for a list, and requests that are nearly so. */
const REQUESTS: Record<string, Sent> = {
  'a list': { body: list },
  'a list of prompts': { body: { ...list, method: 'prompts/list', id: 'x' } },
  'a list of resources': { body: { ...list, method: 'resources/list' } },
  'a list of templates': { body: { ...list, method: 'resources/templates/list', params: {} } },
  'concerns in the URL': { body: list, query: '?concerns=security:high,cost:minimal' },
  'concerns in a header': { body: list, headers: { 'mcp-concerns': 'security=high' } },
  'concerns in the request': { body: preferring({ security: 'low', cost: 'minimal' }) },
  'an undeclared value': { body: preferring({ security: 'hihg' }) },
  'an empty list of values': { body: preferring({ security: [] }) },
  'a filter': { body: { ...list, params: { filter: { namePatterns: ['*Data'] } } } },
  'a filter that is not valid': { body: { ...list, params: { filter: { namePatterns: [1] } } } },
  'an unknown cursor': { body: { ...list, params: { cursor: 'x' } } },
  'a cursor of another type': { body: { ...list, params: { cursor: 1 } } },
  'a version': { body: list, headers: { 'mcp-protocol-version': '2025-06-18' } },
  'an unknown version': { body: list, headers: { 'mcp-protocol-version': '1' } },
  'an unknown session': { body: list, headers: { 'mcp-session-id': 'a'.repeat(32) } },
  'no event stream in Accept': { body: list, headers: { accept: 'application/json' } },
  'another content type': { body: list, headers: { 'content-type': 'text/plain' } },
  'a content type with a charset': {
    body: list,
    headers: { 'content-type': 'Application/JSON; charset=utf-8' },
  },
  'another method': { body: { ...list, method: 'tools/none' } },
  'a batch': { body: [list, { ...list, id: 2 }] },
  'a notification': { body: { jsonrpc: '2.0', method: 'tools/list' } },
  'not JSON-RPC': { body: { ...list, jsonrpc: 2 } },
  'more members': { body: { ...list, more: 1 } },
  'metadata of another type': { body: { ...list, params: { _meta: 1 } } },
  'params of another type': { body: { ...list, params: 'x' } },
  'not JSON': { body: undefined },
};

const requestOf = ({ body, headers, query = '' }: Sent): Request =>
  new Request(`http://localhost/mcp${query}`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: body === undefined ? '{' : JSON.stringify(body),
  });

async function answered(handle: FetchHandler, sent: Sent) {
  const reports: GateReport[] = [];
  const response = await handle(requestOf(sent), { report: (each) => void reports.push(each) });
  const { status, headers } = response;
  const listed = { type: headers.get('content-type'), session: headers.get('mcp-session-id') };
  return { status, ...listed, text: await response.text(), reports };
}

describe.each(['advisory', 'enforce', 'shadow'])('known lists, with enforcement %s', (enforcement) => {
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
    bySdk = serve({ server, policy, store }, createKnownLists(server, policy, catalog, 'legacy'));
  });

  it.each(Object.keys(REQUESTS))('get the same answer as from the SDK: %s', async (name) => {
    const sent = REQUESTS[name] ?? { body: list };
    expect(await answered(direct, sent)).toEqual(await answered(bySdk, sent));
  });

  it('follow the preferences of the session until it is ended', async () => {
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
