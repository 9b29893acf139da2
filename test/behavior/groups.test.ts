import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/core/http/sdk-v2.js';
import { remoteTransport, shareUpstream } from '../../src/proxy/index.js';
import { policyOf } from '../gate/gate-harness.js';

const TOOLBOX = 'com.google.cloud/toolbox.v1';
const tool = (name: string, description = name) => ({
  name,
  description,
  inputSchema: { type: 'object' },
});
const GROUPS: Readonly<Record<string, { readonly tools: object[]; readonly prompts: object[] }>> = {
  admin: { tools: [tool('drop-table')], prompts: [{ name: 'clean-up' }] },
  analyst: {
    tools: [tool('query', 'Reads. See drop-table.'), tool('drop-table')],
    prompts: [{ name: 'summarize' }],
  },
  empty: { tools: [], prompts: [] },
};
const everything = {
  tools: [tool('query'), tool('drop-table')],
  prompts: [{ name: 'clean-up' }, { name: 'summarize' }],
};
const described = (name: string) => ({ name, description: `What ${name} needs, such as drop-table.` });

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

const complete = { resultType: 'complete' };
/** What a server writes beside its entries. */
const noted = { _meta: { 'com.example/note': 'Start with drop-table.' } };

/** What a server with groups answers, as the groups of MCP Toolbox for Databases do. */
function answerOf(method: string, name: string | undefined, capabilities: object) {
  if (method === 'server/discover') {
    const capabilities = { tools: {}, prompts: {}, extensions: { [TOOLBOX]: {} } };
    return { result: { ...complete, supportedVersions: ['2026-07-28'], capabilities } };
  }
  const cached = { ttlMs: 300_000, cacheScope: 'public' };
  if (method === 'tools/list') return { result: { ...complete, ...cached, tools: everything.tools } };
  if (method === 'prompts/list') return { result: { ...complete, ...cached, prompts: everything.prompts } };
  if (!('extensions' in capabilities)) return { error: { code: -32021, message: 'missing capability' } };
  if (method.endsWith('groups/list'))
    return { result: { ...complete, ...noted, ...cached, groups: Object.keys(GROUPS).map(described) } };
  if (!method.endsWith('groups/get')) return { error: { code: -32601, message: `invalid method ${method}` } };
  const found = name ? GROUPS[name] : everything;
  if (found === undefined)
    return { error: { code: -32602, message: `group with name "${name}" does not exist` } };
  return { result: { ...complete, ...noted, ...cached, name: name ?? '', ...found } };
}

/** Makes a server with groups behind a policy, and a function that asks it as a host of 2026-07-28. */
async function endpoint(settings: string) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const name = params?.name;
    // The server compares the header with the body.
    const isRight = method !== 'groups/get' || (request.headers['mcp-name'] ?? '') === (name ?? '');
    const capabilities = params?._meta?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
    const answer = isRight
      ? answerOf(method, name, capabilities)
      : { error: { code: -32020, message: 'mismatch' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const upstream = shareUpstream(() =>
    remoteTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
  );
  open.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => upstream.close(),
  );
  const policy = policyOf(`
concerns: { effect: { values: [read, write], match: at-most } }
settings: { ${settings} }
primitives:
  tools: { query: { effect: read }, drop-table: { effect: write } }
  prompts: { summarize: { effect: read }, clean-up: { effect: write } }`);
  const handle = createHandler({ server: (context) => upstream.make(context), policy });
  return async (
    method: string,
    name?: string,
    { prefer = 'effect=read', extensions = { [TOOLBOX]: {} } as object } = {},
  ) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
      'io.modelcontextprotocol/clientCapabilities':
        Object.keys(extensions).length === 0 ? {} : { extensions },
    };
    const named = name === undefined ? {} : { name };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': name }),
      ...(prefer === '' ? {} : { 'mcp-concerns': prefer }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...named, _meta } });
    const response = await handle(new Request('http://host/mcp', { method: 'POST', headers, body }));
    return JSON.parse(await response.text());
  };
}

const namesIn = (list: { name: string }[]) => list.map(({ name }) => name);

describe.each(['advisory', 'enforce'])('groups of a server under %s', (mode) => {
  it('are listed without those of which everything is hidden', async () => {
    const ask = await endpoint(`enforcement: ${mode}`);
    const { result } = await ask('groups/list');
    expect(namesIn(result.groups)).toEqual(['analyst', 'empty']);
    const text = JSON.stringify(result);
    expect(text.includes('drop-table')).toBe(mode === 'advisory');
    expect(namesIn((await ask('groups/list', undefined, { prefer: '' })).result.groups)).toEqual([
      'admin',
      'analyst',
      'empty',
    ]);
  });

  it('have the members that lists have', async () => {
    const ask = await endpoint(`enforcement: ${mode}`);
    const { result } = await ask('groups/get', 'analyst');
    expect(result).toMatchObject({ name: 'analyst', ttlMs: 0, cacheScope: 'private' });
    expect([namesIn(result.tools), namesIn(result.prompts)]).toEqual([['query'], ['summarize']]);
    expect(JSON.stringify(result).includes('drop-table')).toBe(mode === 'advisory');
    const whole = (await ask('groups/get')).result;
    expect([namesIn(whole.tools), namesIn(whole.prompts)]).toEqual([['query'], ['summarize']]);
    const open = (await ask('groups/get', 'analyst', { prefer: '' })).result;
    expect(open).toMatchObject({ ttlMs: 300_000, cacheScope: 'public', tools: GROUPS.analyst?.tools });
  });

  it('of which everything is hidden answer like unknown ones', async () => {
    const ask = await endpoint(`enforcement: ${mode}`);
    for (const name of ['admin', 'nothing']) {
      const message = `group with name "${name}" does not exist`;
      expect((await ask('groups/get', name)).error).toEqual({ code: -32602, message });
    }
  });

  it('need the extension, as the server says', async () => {
    const ask = await endpoint(`enforcement: ${mode}`);
    for (const [method, name] of [['groups/list'], ['groups/get', 'analyst']] as const) {
      expect((await ask(method, name, { extensions: {} })).error).toMatchObject({ code: -32021 });
    }
  });

  it('of other extensions are filtered if the policy names the extension', async () => {
    const ask = await endpoint(`enforcement: ${mode}, groups: [com.example/catalog]`);
    const { result } = await ask('com.example/catalog/groups/list');
    expect(namesIn(result.groups)).toEqual(['analyst', 'empty']);
    const found = (await ask('com.example/catalog/groups/get', 'analyst')).result;
    expect(namesIn(found.tools)).toEqual(['query']);
    expect((await ask('com.example/catalog/groups/get', 'admin')).error.code).toBe(-32602);
  });
});

it('groups pass unchanged under shadow', async () => {
  const ask = await endpoint('enforcement: shadow');
  expect(namesIn((await ask('groups/list')).result.groups)).toEqual(['admin', 'analyst', 'empty']);
  expect(namesIn((await ask('groups/get', 'admin')).result.tools)).toEqual(['drop-table']);
});
