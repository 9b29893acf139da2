import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryOf, workerEntryOf } from '../../src/deploy/entry.js';

describe('the silence of a server', () => {
  it.each([
    [{ package: 'server' }, 25_000],
    [{ package: 'server', silence: 5 }, 5000],
    [{ url: 'https://mcp.example/mcp' }, 25_000],
    [{ url: 'https://mcp.example/mcp', silence: 120 }, 120_000],
  ])('of %j is %i ms', (server, silenceMs) => {
    expect(entryOf({ server })).toMatchObject({ values: { server: { options: { silenceMs } } } });
    expect(entryOf({ servers: { one: server } })).toMatchObject({
      values: { servers: { one: { options: { name: 'one', silenceMs } } } },
    });
  });
});

describe('the module that a function starts with', () => {
  const TEMPLATES = 'src/deploy/templates';

  it.each([
    [entryOf({ server: { module: './server.js' } })],
    [entryOf({ server: { module: './server.js', sdk: 2 }, secrets: { KEY: 'ssm:/key' } })],
    [entryOf({ server: { package: 'server' } })],
    [entryOf({ server: { url: 'https://mcp.example/mcp', protocol: '2026-07-28' } })],
    [entryOf({ servers: { one: { package: 'server' }, two: { url: 'https://mcp.example/mcp' } } })],
    [workerEntryOf('./server.js', '/server.js', {}).entry],
  ])('of %j gets every value that it and what it imports names', ({ template, values }) => {
    const named = textsOf(template).flatMap((text) =>
      [...text.matchAll(/\bMCP_CONCERNS_FUNCTION\b(?!:)(?:\.(\w+))?/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(2);
    // Only members are filled in. The constant alone would not exist in the function.
    expect(named.filter((name = '') => !Object.hasOwn(values, name))).toEqual([]);
  });

  it('is one of the templates, and none is left over', () => {
    const used = ['module-of-v1', 'module-of-v2', 'package', 'url', 'servers', 'worker'].flatMap(filesOf);
    expect(new Set(used)).toEqual(new Set(readdirSync(TEMPLATES).map((file) => file.replace('.ts', ''))));
  });

  /** The templates that are bundled with one, by their names. */
  function filesOf(template: string): string[] {
    const text = readFileSync(`${TEMPLATES}/${template}.ts`, 'utf8');
    const imported = [...text.matchAll(/'\.\/([\w-]+)\.js'/g)].map(([, name = '']) => name);
    return [template, ...imported.flatMap(filesOf)];
  }

  const textsOf = (template: string) =>
    filesOf(template).map((name) => readFileSync(`${TEMPLATES}/${name}.ts`, 'utf8'));
});

it('keeps the text of an argument', () => {
  const server = { package: 'server', arguments: ['$SECRETS', '$&'] };
  expect(entryOf({ server })).toMatchObject({ values: { server: { parameters: server.arguments } } });
});
