import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import { readCatalogFile } from '../../src/cli/inputs/catalog-file.js';
import { readPreferences } from '../../src/cli/options/preferences.js';
import { decideAll, toNames, weighCatalog } from '../../src/cli/reports/list-report.js';
import type { Policy } from '../../src/core/engine/policy.js';
import { requireLogin } from '../../src/core/http/callers/authorization.js';
import type { FetchHandler } from '../../src/core/http/fetch-handler.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import type { ServerCard } from '../../src/core/http/server-card/card.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import { LISTS } from '../../src/core/wire/messages.js';
import { serverV2 } from '../behavior/servers.js';
import { httpEvent } from '../lambda/events.js';
import { policyOf } from '../policy/author.js';

const URL_OF_ENDPOINT = 'https://mcp.vault.example/mcp';
const vault = loadPolicy('policies/vault.yaml');
const handlerOf = (policy: Policy, more: object = {}) =>
  createHandler({ server: () => createVaultServer(), policy, ...more });
const get = (handle: FetchHandler, headers: Record<string, string> = {}, method = 'GET') =>
  handle(new Request(`${URL_OF_ENDPOINT}/server-card`, { method, headers }));
const cardOf = async (handle: FetchHandler): Promise<ServerCard> =>
  JSON.parse(await (await get(handle)).text());

describe('the card', () => {
  it('has the form of the draft, and names no tool', async () => {
    const card = await cardOf(handlerOf(vault));
    expect(card).toEqual({
      $schema: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json',
      name: expect.stringMatching(/^example\.vault\.mcp\/[a-zA-Z0-9._-]+$/),
      version: '0.1.0',
      title: 'Data vault',
      description: expect.any(String),
      remotes: [
        {
          type: 'streamable-http',
          url: URL_OF_ENDPOINT,
          headers: [
            {
              name: 'Mcp-Concerns',
              description: expect.any(String),
              isRequired: false,
              choices: expect.arrayContaining(['security=high', 'cost=minimal']),
            },
          ],
        },
        {
          type: 'streamable-http',
          url: `${URL_OF_ENDPOINT}?concerns={concerns}`,
          variables: {
            concerns: {
              description: expect.stringContaining('safe: '),
              isRequired: true,
              choices: [...vault.presets.keys()],
            },
          },
        },
      ],
    });
    expect(card.description.length).toBeLessThanOrEqual(100);
    const { tools = [] } = readCatalogFile('policies/vault.catalog.json');
    const text = JSON.stringify(card);
    expect(tools.length).toBeGreaterThan(20);
    for (const tool of tools) expect(text).not.toContain(JSON.stringify(tool.name).slice(1, -1));
  });

  it('is cached by its ETag, which changes with the policy', async () => {
    const handle = handlerOf(vault);
    const first = await get(handle);
    expect(first.headers.get('content-type')).toBe('application/mcp-server-card+json');
    expect(first.headers.get('access-control-allow-origin')).toBe('*');
    expect(first.headers.get('cache-control')).toBe('public, max-age=3600');
    const etag = first.headers.get('etag') ?? '';
    for (const sent of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get(handle, { 'if-none-match': sent });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get(handle, { 'if-none-match': '"other"' })).status).toBe(200);
    const other = policyOf('version: 1\nconcerns: { security: { values: [low, high] } }\n');
    expect((await get(handlerOf(other))).headers.get('etag')).not.toBe(etag);
    expect(await (await get(handle, {}, 'HEAD')).text()).toBe('');
    expect((await get(handle, {}, 'OPTIONS')).headers.get('access-control-allow-methods')).toBe('GET');
  });

  it('offers neither ranges nor what the operator sets', async () => {
    const policy = policyOf(`
version: 1
concerns:
  budget: { values: { min: 0, max: 10 } }
  tenant: { values: [acme, globex], set-by: operator, claim: tenant }
`);
    expect((await cardOf(handlerOf(policy))).remotes).toEqual([
      { type: 'streamable-http', url: URL_OF_ENDPOINT },
    ]);
  });

  it('leaves no session behind, and says so if the server does not start', async () => {
    const store = createMemoryStore();
    const opened: string[] = [];
    const watched = {
      ...store,
      update: (id: string, change: object) => {
        opened.push(id);
        return store.update(id, change);
      },
    };
    await cardOf(handlerOf(vault, { store: watched }));
    expect(opened).toHaveLength(1);
    for (const id of opened) expect(await store.read(id)).toEqual({ state: 'ended' });
    let isBroken = true;
    const broken = createHandler({
      server: () => {
        if (isBroken) throw new Error('down');
        return createVaultServer();
      },
      policy: vault,
    });
    expect((await get(broken)).status).toBe(503);
    isBroken = false;
    expect((await get(broken)).status).toBe(200);
  });

  it('is served by SDK v2, by Lambda under the public URL, and without a login', async () => {
    const v2 = createHandlerV2({ server: serverV2, policy: vault });
    expect((await cardOf(v2)).remotes).toHaveLength(2);
    const lambda = createFunction({
      response: 'buffered',
      server: () => createVaultServer(),
      policy: vault,
      env: {
        MCP_CONCERNS_RESOURCE: 'https://public.example/tools',
        MCP_CONCERNS_ISSUERS: 'https://login.example',
      },
      log: () => undefined,
      warn: () => undefined,
    });
    const event = { rawPath: '/mcp/server-card', headers: { origin: 'https://page.example' } };
    const { statusCode, headers, body } = await lambda(httpEvent('GET', undefined, event));
    expect([statusCode, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(JSON.parse(body)).toMatchObject({ remotes: [{ url: 'https://public.example/tools' }, {}] });
    const login = { servers: ['https://login.example'] };
    expect((await get(requireLogin(handlerOf(vault), login))).status).toBe(200);
    // A handler without a card gets no request past the login for having a path of this name.
    const secret = requireLogin(async () => new Response('secret'), login);
    const refused = await get(secret);
    expect([refused.status, await refused.text()]).toEqual([401, expect.not.stringContaining('secret')]);
  });
});

describe('each choice', () => {
  const catalog = readCatalogFile('policies/vault.catalog.json');
  /** The names that `mcp-concerns list --format names` prints, in the order of the lists. */
  const listed = (policy: Policy, concern: string): readonly string[] => {
    const { configuration } = readPreferences(policy, { concern: [concern] });
    return toNames(
      decideAll(
        configuration,
        weighCatalog(policy, catalog, () => 0),
      ),
    );
  };
  const shown = async (handle: FetchHandler, url: string, header?: string): Promise<string[]> => {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(header === undefined ? {} : { 'mcp-concerns': header }),
    };
    const names: string[] = [];
    for (const [kind, { method }] of Object.entries(LISTS)) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method });
      const { result } = JSON.parse(
        await (await handle(new Request(url, { method: 'POST', headers, body }))).text(),
      );
      for (const item of result[kind]) names.push(item.uri ?? item.uriTemplate ?? item.name);
    }
    return names;
  };
  const policies = (): [string, Policy][] => [
    ['vault', vault],
    ...Array.from({ length: 12 }, (_, seed): [string, Policy] => [`random ${seed}`, randomPolicy(seed)]),
  ];

  it.each(policies())('shows exactly what list prints: %s', async (_name, policy) => {
    const handle = handlerOf(policy, { catalog: 'static' });
    const { remotes } = await cardOf(handle);
    let choices = 0;
    for (const { url, headers = [], variables } of remotes) {
      for (const choice of variables?.concerns.choices ?? []) {
        choices++;
        const option = choice.includes(':') ? choice.replace(':', '=') : `preset=${choice}`;
        const chosen = url.replace('{concerns}', encodeURIComponent(choice));
        expect(await shown(handle, chosen)).toEqual(listed(policy, option));
      }
      for (const choice of headers[0]?.choices ?? []) {
        choices++;
        expect(await shown(handle, url, choice)).toEqual(listed(policy, choice.replaceAll('"', '')));
      }
    }
    expect(choices).toBeGreaterThan(1);
  });

  /** A policy over the tools of the vault, with and without presets. */
  function randomPolicy(seed: number): Policy {
    let state = seed * 7919 + 17;
    const next = (below: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor((state / 2147483648) * below);
    };
    const values = ['low', '9', 'a.b', 'mid_1', 'x-y'].slice(0, 2 + next(4));
    const value = () => values[next(values.length)];
    const names = ['one', 'two'].slice(0, 1 + next(2));
    const mapping = () => `{ ${names.map((name) => `${name}: ${JSON.stringify(value())}`).join(', ')} }`;
    const tools = (catalog.tools ?? [])
      .filter(() => next(3) > 0)
      .map(({ name }) => `    ${name}: ${mapping()}`);
    const presets = seed % 3 === 0 ? '' : `presets:\n  first: ${mapping()}\n  second-one: ${mapping()}\n`;
    return policyOf(`
version: 1
concerns:
${names.map((name) => `  ${name}: { values: ${JSON.stringify(values)}, match: ${['exact', 'at-most', 'at-least'][next(3)]} }`).join('\n')}
${presets}primitives:
  tools:
${tools.join('\n')}
settings: { unmapped: ${['show', 'hide'][next(2)]} }
`);
  }
});

it('keeps to the schema of the draft', async () => {
  // The constraints that a text can violate: https://github.com/modelcontextprotocol/experimental-ext-server-card
  const input = {
    type: 'object',
    required: ['choices'],
    properties: { choices: { type: 'array', items: { type: 'string' } } },
  };
  const validate = new Ajv().compile({
    type: 'object',
    required: ['$schema', 'name', 'version', 'description'],
    additionalProperties: false,
    properties: {
      $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v2/server-card.schema.json' },
      name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
      version: { type: 'string', maxLength: 255 },
      description: { type: 'string', minLength: 1, maxLength: 100 },
      title: { type: 'string', minLength: 1, maxLength: 100 },
      remotes: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'url'],
          additionalProperties: false,
          properties: {
            type: { enum: ['streamable-http', 'sse'] },
            url: { type: 'string', pattern: '^(https?://[^\\s]+|\\{[a-zA-Z_][a-zA-Z0-9_]*\\}[^\\s]*)$' },
            headers: { type: 'array', items: { ...input, required: ['name', 'choices'] } },
            variables: { type: 'object', additionalProperties: input },
          },
        },
      },
    },
  });
  for (const url of [
    'https://a.example/mcp',
    'http://127.0.0.1:8808/mcp',
    'http://[::1]:80/mcp',
    'http://localhost/mcp',
  ]) {
    const { serverCard } = await import('../../src/core/http/server-card/card.js');
    for (const name of ['notes', 'Ein Name mit Ü und /', '', 'x'.repeat(300)]) {
      const card = serverCard(vault, { name, version: '1', title: 'y'.repeat(200) }, url);
      expect(validate(card), JSON.stringify(validate.errors)).toBe(true);
    }
  }
});
