import { describe, expect, it } from 'vitest';
import { createVaultServer } from '../../../examples/vault/server.js';
import { readCatalogFile } from '../../../src/cli/inputs/catalog-file.js';
import type { Policy } from '../../../src/core/engine/policy.js';
import type { FetchHandler } from '../../../src/core/http/fetch-handler.js';
import { createHandler } from '../../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../../src/core/http/sdk-v2.js';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { serverV2 } from '../../behavior/servers.js';
import { policyOf } from '../../policy/author.js';

const { tools = [] } = readCatalogFile('policies/vault.catalog.json');
const NAMES = tools.map(({ name }) => String(name));
/** Every third tool is hidden from hosts that prefer `high`. */
const policyWith = (settings: string): Policy =>
  policyOf(`
version: 1
concerns:
  security: { values: [low, high] }
primitives:
  tools:
${NAMES.map((name, index) => `    ${name}: { security: ${index % 3 === 0 ? 'low' : 'high'} }`).join('\n')}
settings: { ${settings} }
`);

interface Listed {
  readonly names: readonly string[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

async function list(
  handle: FetchHandler,
  query = '',
  headers: Record<string, string> = {},
  method = 'tools/list',
) {
  const request = new Request(`http://localhost/mcp${query}`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
  });
  const text = await (await handle(request)).text();
  const { result } = JSON.parse(text.replace(/^[^{]*/, ''));
  return result;
}

async function toolsOf(
  handle: FetchHandler,
  query?: string,
  headers?: Record<string, string>,
): Promise<Listed> {
  const result = await list(handle, query, headers);
  return {
    names: result.tools.map(({ name }: { name: string }) => name),
    warnings: result._meta?.[EXTENSION_ID]?.warnings ?? [],
  };
}

const handlerOf = (settings: string, more: object = {}) =>
  createHandler({ server: () => createVaultServer(), policy: policyWith(settings), ...more });
const on = handlerOf('name-filters: true');
const HIGH = NAMES.filter((_name, index) => index % 3 !== 0);

describe('name filters', () => {
  it.each<[string, string, Record<string, string>, (name: string) => boolean]>([
    ['the URL', '?tools=hash*,encryptData', {}, (name) => /^hash|^encryptData$/.test(name)],
    ['the URL, to exclude', '?exclude=*Data', {}, (name) => !name.endsWith('Data')],
    ['a header', '', { 'X-MCP-Tools': 'hash*, encryptData' }, (name) => /^hash|^encryptData$/.test(name)],
    ['a header, to exclude', '', { 'x-mcp-exclude-tools': '*Data' }, (name) => !name.endsWith('Data')],
    ['the URL and a header', '?tools=*Data', { 'X-MCP-Tools': 'hash*' }, (name) => /^hash.*Data$/.test(name)],
    ['repeated parameters', '?tools=hashData&tools=logData', {}, (name) => /^(hash|log)Data$/.test(name)],
    ['nothing', '?tools=&exclude=', {}, () => true],
  ])('are read from %s', async (_from, query, headers, passes) => {
    const { names, warnings } = await toolsOf(on, query, headers);
    expect(names).toEqual(NAMES.filter(passes));
    expect(warnings).toEqual([]);
  });

  it('only make a list shorter, whatever they say and whatever the preferences are', async () => {
    let state = 42;
    const next = (below: number): number => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return Math.floor((state / 2147483648) * below);
    };
    const word = (): string => {
      const name = NAMES[next(NAMES.length)] ?? '';
      return (
        [name, `${name.slice(0, next(6))}*`, `*${name.slice(-next(5))}`, '*', 'unknown', '**', '%', 'a b'][
          next(8)
        ] ?? ''
      );
    };
    const words = () => Array.from({ length: next(4) }, word).join(',');
    for (const handle of [
      on,
      handlerOf('name-filters: true, enforcement: enforce'),
      handlerOf('name-filters: true, page-size: 100', { catalog: 'static' }),
    ]) {
      for (let round = 0; round < 40; round++) {
        const concerns = ['', 'security:high', 'security:low'][next(3)] ?? '';
        const [only, exclude] = [words(), words()];
        const query = `?concerns=${concerns}&tools=${encodeURIComponent(only)}&exclude=${encodeURIComponent(exclude)}`;
        const headers = next(2) === 0 ? {} : { 'x-mcp-tools': words(), 'x-mcp-exclude-tools': words() };
        const before = (await toolsOf(handle, `?concerns=${concerns}`)).names;
        const { names } = await toolsOf(handle, query, headers);
        expect(before, `${query} ${JSON.stringify(headers)}`).toEqual(expect.arrayContaining([...names]));
        expect(names).toEqual(before.filter((name) => names.includes(name)));
      }
    }
  });

  it('warn of names that match no tool', async () => {
    const { names, warnings } = await toolsOf(on, '?tools=hashDta,hashData&exclude=zip*');
    expect(names).toEqual(['hashData']);
    expect(warnings).toMatchObject([
      {
        code: 'unknown-tool-name',
        message: expect.stringContaining('?tools names tools that are not listed: "hashDta".'),
      },
      { code: 'unknown-tool-name', message: expect.stringContaining('"zip*"') },
    ]);
  });

  it('warn of a hidden tool as of an unknown one under enforce', async () => {
    const enforced = handlerOf('name-filters: true, enforcement: enforce');
    const hidden = NAMES.find((_name, index) => index % 3 === 0) ?? '';
    const told = async (name: string) => {
      const { names, warnings } = await toolsOf(enforced, `?concerns=security:high&tools=${name}`);
      return JSON.stringify({ names, warnings }).replaceAll(name, 'NAME');
    };
    expect(await told(hidden)).toBe(await told('doesNotExist'));
    expect(HIGH).not.toContain(hidden);
    // Under advisory, the host may know the names of all tools.
    expect((await toolsOf(on, `?concerns=security:high&tools=${hidden}`)).warnings).not.toMatchObject([
      { code: 'unknown-tool-name' },
    ]);
  });

  it('show nothing if they are too long to be applied', async () => {
    for (const query of [
      `?tools=${'a,b,'.repeat(100)}${Array.from({ length: 101 }, (_, n) => `t${n}`)}`,
      `?exclude=${'x'.repeat(257)}`,
    ]) {
      const { names, warnings } = await toolsOf(on, query);
      expect(names).toEqual([]);
      expect(warnings).toContainEqual(expect.objectContaining({ code: 'name-filter-too-long' }));
    }
  });

  it('leave other lists alone', async () => {
    expect(await list(on, '?tools=none', {}, 'prompts/list')).toEqual(await list(on, '', {}, 'prompts/list'));
  });

  it('leave out the tool of the gate, and bind cursors to themselves', async () => {
    const paged = handlerOf('name-filters: true, panel: on, page-size: 2');
    const { names } = await toolsOf(handlerOf('name-filters: true, panel: on'), '?tools=hashData');
    expect(names).toEqual(['hashData']);
    const { nextCursor } = await list(paged, '?tools=*Data');
    const again = await paged(
      new Request('http://localhost/mcp?tools=hash*', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: nextCursor } }),
      }),
    );
    expect(JSON.parse(await again.text()).error).toMatchObject({ code: -32602 });
  });

  it('work with SDK v2', async () => {
    const v2 = createHandlerV2({
      server: serverV2,
      policy: policyOf('version: 1\nconcerns: { a: { values: [b, c] } }\nsettings: { name-filters: true }\n'),
    });
    expect((await toolsOf(v2, '?tools=log*')).names).toEqual(['logData']);
  });
});

describe('without the setting', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['?tools', '?tools=hashData', {}, 'name-filters-off'],
    ['?exclude', '?exclude=hashData', {}, 'name-filters-off'],
    ['X-MCP-Tools', '', { 'x-mcp-tools': 'hashData' }, 'name-filters-off'],
    ['X-MCP-Exclude-Tools', '', { 'x-mcp-exclude-tools': 'hashData' }, 'name-filters-off'],
    ['X-MCP-Readonly', '', { 'x-mcp-readonly': 'true' }, 'unsupported-header'],
    ['X-MCP-Toolsets', '', { 'x-mcp-toolsets': 'repos' }, 'unsupported-header'],
  ])('%s has no effect, and a warning names the right way', async (from, query, headers, code) => {
    const { names, warnings } = await toolsOf(handlerOf('unmapped: show'), query, headers);
    expect(names).toEqual(NAMES);
    expect(warnings).toEqual([
      { code, message: expect.stringMatching(/for example \?concerns=security:low in the URL\.$/) },
    ]);
    expect(warnings[0]?.message.startsWith(`${from} `)).toBe(true);
    if (code === 'unsupported-header') expect((await toolsOf(on, query, headers)).warnings).toEqual(warnings);
  });

  it('a request without them gets the list of the server, byte for byte', async () => {
    expect(await list(handlerOf('unmapped: show'), '?session=tools')).not.toHaveProperty('_meta');
  });
});
