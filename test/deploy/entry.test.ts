import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { entryOf } from '../../src/deploy/entry.js';

describe('the silence of a server', () => {
  it.each([
    [{ package: 'server' }, 'silenceMs: 25000'],
    [{ package: 'server', silence: 5 }, 'silenceMs: 5000'],
    [{ url: 'https://mcp.example/mcp' }, 'silenceMs: 25000'],
    [{ url: 'https://mcp.example/mcp', silence: 120 }, 'silenceMs: 120000'],
  ])('of %j is %s', (server, limit) => {
    expect(entryOf({ server }, new Map([['server', 'bin.js']]))).toContain(limit);
  });
});

describe('the entry of a function', () => {
  it.each([
    [{ server: { module: './server.js' } }],
    [{ server: { module: './server.js', sdk: 2 as const }, secrets: { KEY: 'ssm:/key' } }],
    [{ server: { package: 'server' } }],
    [{ server: { url: 'https://mcp.example/mcp', protocol: '2026-07-28' as const } }],
    [{ servers: { one: { package: 'server' }, two: { url: 'https://mcp.example/mcp' } } }],
  ])('of %j is a module in which nothing is missing', async (endpoint) => {
    const entry = entryOf({ ...endpoint, catalog: 'static' }, new Map([['server', 'bin.js']]));
    expect(entry.replaceAll('=== undefined', '')).not.toMatch(/undefined|\[object/);
    const { code, warnings } = await transform(entry, { format: 'esm' });
    expect(code).toContain('handler');
    expect(warnings).toEqual([]);
  });

  it('leaves an argument of the server as it is written', () => {
    const server = { package: 'server', arguments: ['$SECRETS', '$&'] };
    expect(entryOf({ server }, new Map())).toContain('["$SECRETS","$&"]');
  });
});
