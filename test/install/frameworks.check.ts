import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, describe, expect, it } from 'vitest';
import { run, unreachableRegistry } from './project.js';

/** The folder in which the frameworks are installed; see its package.json. */
const FRAMEWORKS = resolve('test/runtimes/frameworks');
const PAGE = 'docs/guides/frameworks.md';

const missing = await installFrameworks();
if (missing !== undefined) console.log(`Skipped: the frameworks come from the npm registry, but ${missing}.`);

/** Installs the pinned versions, unless they are installed. Returns why there are none. */
async function installFrameworks(): Promise<string | undefined> {
  const read = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const pinned = Object.entries<string>(read(FRAMEWORKS).dependencies);
  const isCurrent = pinned.every(([name, version]) => {
    const folder = join(FRAMEWORKS, 'node_modules', name);
    return existsSync(folder) && read(folder).version === version;
  });
  if (isCurrent) return undefined;
  const unreachable = await unreachableRegistry();
  if (unreachable === undefined)
    await run(['npm', 'ci', '--no-audit', '--no-fund', '--ignore-scripts'], FRAMEWORKS);
  return unreachable;
}

const POLICY = `version: 1
concerns: { access: { values: [read, write], match: at-most, default: read } }
primitives: { tools: { read_note: { access: read }, write_note: { access: write } } }
settings: { defaults: always, enforcement: enforce, unmapped: hide }
`;
const TOOLS = ['read_note', 'write_note'];

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes a project with the frameworks and this package. */
function projectWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'framework-'));
  folders.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(FRAMEWORKS, 'node_modules')))
    if (!name.startsWith('.'))
      symlinkSync(join(FRAMEWORKS, 'node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(resolve('.'), join(folder, 'node_modules/mcp-concerns'));
  const all = {
    'package.json': '{"name":"notes","version":"1.0.0","type":"module"}',
    'policy.yaml': POLICY,
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const FASTMCP = `import { FastMCP } from 'fastmcp';
import { z } from 'zod';
const server = new FastMCP({ name: 'notes', version: '1.0.0' });
for (const name of ['read_note', 'write_note'])
  server.addTool({ name, description: name, parameters: z.object({}), execute: async () => 'ran ' + name });
await server.start({ transportType: 'stdio' });
`;
const MCP_FRAMEWORK = `import { MCPServer } from 'mcp-framework';
await new MCPServer({ name: 'notes', version: '1.0.0' }).start();
`;
const mcpFrameworkTool = (name: string) => `import { MCPTool } from 'mcp-framework';
export default class Tool extends MCPTool {
  name = '${name}';
  description = '${name}';
  schema = {};
  async execute() { return 'ran ${name}'; }
}
`;
const xmcpTool = (name: string) => `export const metadata = { name: '${name}', description: '${name}' };
export const schema = {};
export default async function run() { return { content: [{ type: 'text', text: 'ran ${name}' }] }; }
`;
const XMCP: Readonly<Record<string, string>> = {
  'xmcp.config.ts':
    "export default { stdio: true, paths: { tools: 'src/tools', prompts: false, resources: false } };\n",
  'tsconfig.json':
    '{"compilerOptions":{"target":"ES2022","module":"ESNext","moduleResolution":"bundler","skipLibCheck":true},"include":["src"]}',
  ...Object.fromEntries(TOOLS.map((name) => [`src/tools/${name}.ts`, xmcpTool(name)])),
};

/** Programs that carry requests, or hand out their server: each prints what a host sees. */
const CARRIERS = `import express from 'express';
import { Hono } from 'hono';
import { FastMCP } from 'fastmcp';
import { MCPServer } from 'mcp-framework';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { createMcpHandler } from 'mcp-handler';
import { attachConcerns } from 'mcp-concerns';
import { loadPolicy } from 'mcp-concerns/policy';
import { z } from 'zod';

const policy = loadPolicy('policy.yaml');
const register = (server, inputSchema) => {
  for (const name of ['read_note', 'write_note'])
    server.registerTool(name, { description: name, inputSchema }, async () => ({ content: [{ type: 'text', text: 'ran ' + name }] }));
};
const createServer = () => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  register(server, {});
  attachConcerns(server, { policy });
  return server;
};
const app = express().use(express.json());
app.post('/mcp', async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await createServer().connect(transport);
  await transport.handleRequest(request, response, request.body);
});
const listening = app.listen(0, '127.0.0.1');
await new Promise((resolve) => listening.once('listening', resolve));
const hono = new Hono();
hono.post('/mcp', async (context) => {
  const transport = new WebStandardStreamableHTTPServerTransport();
  await createServer().connect(transport);
  return transport.handleRequest(context.req.raw);
});
const handler = createMcpHandler((server) => {
  attachConcerns(server, { policy });
  register(server, z.object({}));
});
const ways = {
  Express: (init) => fetch('http://127.0.0.1:' + listening.address().port + '/mcp', init),
  Hono: (init) => hono.request('/mcp', init),
  'mcp-handler': (init) => handler(new Request('http://host.example/mcp', init)),
};
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const seen = {};
for (const [name, send] of Object.entries(ways)) {
  const ask = async (method, params) => (await send({ method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })).text();
  const list = await ask('tools/list', {});
  const calls = [];
  for (const tool of ['read_note', 'write_note']) calls.push((await ask('tools/call', { name: tool, arguments: {} })).includes('ran ' + tool));
  seen[name] = { lists: ['read_note', 'write_note'].map((tool) => list.includes(tool)), runs: calls };
}
const attached = {};
for (const [name, server] of Object.entries({ fastmcp: new FastMCP({ name: 'a', version: '1.0.0' }), 'mcp-framework': new MCPServer({ name: 'a', version: '1' }), 'mcp-handler': handler }))
  try { attachConcerns(server, { policy }); attached[name] = 'accepted'; } catch (error) { attached[name] = error.name; }
console.log('SEEN ' + JSON.stringify({ seen, attached }));
process.exit(0);
`;

describe.skipIf(missing !== undefined)(PAGE, () => {
  it('attaches where a framework carries requests or hands out its server, and refuses the others', () => {
    const folder = projectWith({ 'carriers.js': CARRIERS });
    const output = execFileSync(process.execPath, ['carriers.js'], { cwd: folder, encoding: 'utf8' });
    const filtered = { lists: [true, false], runs: [true, false] };
    expect(JSON.parse(/^SEEN (.*)$/m.exec(output)?.[1] ?? '')).toEqual({
      seen: { Express: filtered, Hono: filtered, 'mcp-handler': filtered },
      attached: { fastmcp: 'AttachError', 'mcp-framework': 'AttachError', 'mcp-handler': 'AttachError' },
    });
  });

  it.each<[string, () => { readonly folder: string; readonly program: string }]>([
    ['fastmcp', () => ({ folder: projectWith({ 'server.js': FASTMCP }), program: 'server.js' })],
    [
      'mcp-framework',
      () => ({
        folder: projectWith({
          'server.js': MCP_FRAMEWORK,
          ...Object.fromEntries(TOOLS.map((name) => [`dist/tools/${name}.js`, mcpFrameworkTool(name)])),
        }),
        program: 'server.js',
      }),
    ],
    [
      'xmcp',
      () => {
        const folder = projectWith(XMCP);
        execFileSync(process.execPath, ['node_modules/xmcp/dist/cli.js', 'build'], { cwd: folder });
        return { folder, program: 'dist/stdio.js' };
      },
    ],
  ])('serves %s through "serve", which filters it', async (_framework, make) => {
    const { folder, program } = make();
    const serve = [
      resolve('dist/cli/main.js'),
      'serve',
      '--stdio',
      '--panel',
      'off',
      '--policy',
      'policy.yaml',
    ];
    const client = new Client({ name: 'host', version: '1' });
    const args = [...serve, '--', process.execPath, program];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: folder, stderr: 'ignore' }),
    );
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read_note']);
      const ran = async (name: string) =>
        JSON.stringify(await client.callTool({ name, arguments: {} }).catch((cause: Error) => cause.message));
      expect(await ran('read_note')).toContain('ran read_note');
      expect(await ran('write_note')).not.toContain('ran write_note');
    } finally {
      await client.close();
    }
  });
});
