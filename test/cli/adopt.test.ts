import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createBreakingServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run, runIn } from './run.js';

const EVERYTHING = resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const everything = { command: process.execPath, args: [EVERYTHING, 'stdio'] };
const POLICY = 'version: 1\nconcerns: { effect: { values: [read-only, changes], match: at-most } }\n';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'adopt-'));
  write('policy.yaml', POLICY);
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const write = (name: string, text: string): void => writeFileSync(at(name), text);
const json = (name: string) => JSON.parse(readFileSync(at(name), 'utf8'));
const digest = (name: string) =>
  createHash('sha256')
    .update(readFileSync(at(name)))
    .digest('hex');
const adopt = (...args: string[]) => run('adopt', at('.mcp.json'), ...args);
const withPolicy = () => ['--policy', at('policy.yaml')];

/** A file as a person may have written it: no formatter would give it these bytes. */
const written = (servers: object) =>
  `\uFEFF{ "inputs" : [ ],\r\n"mcpServers":${JSON.stringify(servers)} }\r\n\n`;

describe('adopt', () => {
  it('moves the servers byte for byte, leaves one that serves them, and undoes it byte for byte', async () => {
    write('.mcp.json', written({ mine: everything, 'Their Server': everything }));
    chmodSync(at('.mcp.json'), 0o600);
    const before = digest('.mcp.json');
    const { code, stdout, stderr } = await adopt(...withPolicy());
    expect([code, stderr]).toEqual([0, expect.stringContaining('Moved to')]);
    expect(stdout).toContain('mcp__Their_Server__TOOL becomes mcp__concerns__their-server__TOOL');
    expect(digest('.mcp.servers.json')).toBe(before);
    const { inputs, mcpServers } = json('.mcp.json');
    expect([inputs, Object.keys(mcpServers)]).toEqual([[], ['concerns']]);
    const client = new Client({ name: 'host', version: '1' });
    await client.connect(new StdioClientTransport({ ...mcpServers.concerns, stderr: 'ignore' }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    await client.close();
    expect(names).toEqual(expect.arrayContaining(['mine__echo', 'their-server__echo']));
    expect((await adopt('--undo')).stderr).toContain('is as it was');
    expect([digest('.mcp.json'), existsSync(at('.mcp.servers.json'))]).toEqual([before, false]);
  });

  it('moves what was added since when it runs again, and undo keeps what was added after that', async () => {
    write('.mcp.json', JSON.stringify({ mcpServers: { one: everything } }));
    await adopt(...withPolicy());
    expect((await adopt(...withPolicy())).stderr).toContain('Nothing to move');
    const add = (key: string) => {
      const document = json('.mcp.json');
      document.mcpServers[key] = everything;
      write('.mcp.json', JSON.stringify(document));
    };
    add('two');
    expect((await adopt(...withPolicy())).code).toBe(0);
    expect(Object.keys(json('.mcp.servers.json').mcpServers)).toEqual(['one', 'two']);
    expect(Object.keys(json('.mcp.json').mcpServers)).toEqual(['concerns']);
    add('three');
    expect((await adopt('--undo')).stderr).toContain('and those added since');
    expect(json('.mcp.json')).toEqual({
      mcpServers: { one: everything, two: everything, three: everything },
    });
    expect(existsSync(at('.mcp.servers.json'))).toBe(false);
  });

  it('leaves a remote server that wants a login, and serves the others', async () => {
    const server = createServer((_request, response) => response.writeHead(401).end());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const secured = { type: 'http', url: `http://127.0.0.1:${port}/mcp` };
    write('.mcp.json', JSON.stringify({ servers: { secured, mine: everything } }));
    const before = digest('.mcp.json');
    const { stderr } = await adopt(...withPolicy());
    expect(stderr).toContain('secured stays in');
    const { servers } = json('.mcp.json');
    expect(Object.keys(servers)).toEqual(['concerns', 'secured']);
    expect(servers.concerns.args).toEqual(expect.arrayContaining(['--leave', 'secured']));
    await adopt('--undo');
    expect(digest('.mcp.json')).toBe(before);
    await new Promise((closed) => server.close(closed));
  });

  it('adopts a remote server that breaks every connection: Node.js 20 never settles the request', async () => {
    const server = createBreakingServer((socket) => socket.destroy());
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    write('.mcp.json', JSON.stringify({ mcpServers: { broken: { url: `http://127.0.0.1:${port}/mcp` } } }));
    expect(await adopt(...withPolicy())).toMatchObject({ code: 0 });
    expect(Object.keys(json('.mcp.json').mcpServers)).toEqual(['concerns']);
    await new Promise((closed) => server.close(closed));
  });

  it.each([
    ['is not JSON', 'mcpServers:', 'is not JSON'],
    ['has a server with our name', '{"mcpServers":{"concerns":{"command":"x"}}}', 'Rename it'],
    ['is undone without being adopted', '{"mcpServers":{}}', 'was not adopted', '--undo'],
  ])('changes nothing if the file %s', async (_what, text, message, ...flags) => {
    write('.mcp.json', text);
    const { code, stderr } = await adopt(...withPolicy(), ...flags);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(readFileSync(at('.mcp.json'), 'utf8')).toBe(text);
    expect(existsSync(at('.mcp.servers.json'))).toBe(false);
  });
});

describe('servers in the project file', () => {
  it('are served and listed, and must be trusted again after their file changed', async () => {
    write('.mcp.servers.json', JSON.stringify({ mcpServers: { mine: everything } }));
    const config = 'policy: policy.yaml\nservers: .mcp.servers.json\n';
    write('mcp-concerns.config.yaml', config);
    const list = () => runIn(folder, 'list', '--format', 'names');
    const untrusted = expect.stringContaining(
      'starts the servers of .mcp.servers.json, and you have not trusted',
    );
    expect(await list()).toMatchObject({ code: 2, stderr: untrusted });
    // What a "y" on a terminal leaves.
    const text = config + readFileSync(at('.mcp.servers.json'), 'utf8');
    const record = createHash('sha256').update(`${realpathSync(at('mcp-concerns.config.yaml'))}\0${text}`);
    process.env.XDG_STATE_HOME = folder;
    mkdirSync(at('mcp-concerns/trusted'), { recursive: true });
    write(`mcp-concerns/trusted/${record.digest('hex')}`, '');
    expect((await list()).stdout).toContain('mine__echo');
    write('.mcp.servers.json', JSON.stringify({ mcpServers: { mine: { command: 'another' } } }));
    expect(await list()).toMatchObject({ code: 2, stderr: untrusted });
    write('mcp-concerns.config.yaml', 'url: http://127.0.0.1:1\nservers: .mcp.servers.json\n');
    const both = await runIn(folder, 'list');
    expect(both.stderr).toContain('Only one of the keys catalog, server, servers, url is allowed');
  });
});
