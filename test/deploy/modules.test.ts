import { describe, expect, it } from 'vitest';
import { createProject, startEnvironment } from './project.js';

const TOOL = `const make = () => {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  for (const name of ['read_note', 'write_note'])
    server.registerTool(name, { inputSchema: {} }, async () => ({ content: [{ type: 'text', text: 'a note' }] }));
  return server;
};
`;
const V1 = `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\n${TOOL}`;
const V2 = `import { McpServer } from '@modelcontextprotocol/server';\nimport { z } from 'zod';\n${TOOL.replace('inputSchema: {}', 'inputSchema: z.object({})')}`;
const CJS = `const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');\n${TOOL}`;
const POLICY = `version: 1
concerns: { access: { values: [read, write] } }
primitives: { tools: { read_note: { access: read }, write_note: { access: write } } }
`;

const project = createProject();
project.write('policy.yaml', POLICY);
project.write('notes/note.txt', 'a note');
project.write('notes/more/other.txt', 'another note');

/** Forms that serve after they were packaged. */
const SERVES: readonly [string, string, string, object?, object?][] = [
  ['a function as createServer', 'factory.ts', `${V1}export const createServer = make;\n`],
  ['a function as default, which is asynchronous', 'async.ts', `${V1}export default async () => make();\n`],
  [
    'a default that is a server, beside createServer',
    'both.ts',
    `${V1}const server = make();\nexport const createServer = make;\nexport default server;\n`,
  ],
  [
    'an ES module that needs CommonJS',
    'needs-require.mjs',
    `import { createRequire } from 'node:module';\nimport express from 'express';\n${V1}express();\ncreateRequire(import.meta.url)('node:os');\nexport const createServer = make;\n`,
  ],
  ['a CommonJS module with createServer', 'named.cjs', `${CJS}module.exports.createServer = make;\n`],
  ['a CommonJS module that is a function', 'whole.cjs', `${CJS}module.exports = make;\n`],
  [
    'a CommonJS module that a compiler made of a default export',
    'compiled.cjs',
    `${CJS}Object.defineProperty(exports, '__esModule', { value: true });\nexports.default = make;\n`,
  ],
  ['a function of SDK v2', 'modern.ts', `${V2}export const createServer = make;\n`, { sdk: 2 }],
  [
    'a module that reads files beside itself',
    'src/assets.ts',
    `import { readFileSync } from 'node:fs';\n${V1}const note = readFileSync(new URL('../notes/note.txt', import.meta.url), 'utf8');\nif (note !== 'a note') throw new Error('another note');\nexport const createServer = make;\n`,
    {},
    { files: ['notes/**'] },
  ],
  [
    'a module that needs what only the function has',
    'variable.ts',
    `${V1}if (process.env.NOTES_KEY === undefined) throw new Error('NOTES_KEY is not set');\nexport const createServer = make;\n`,
    { probe: 'off' },
  ],
];

const NOT_A_SERVER = 'does not return a server. Return a new Server or McpServer of an MCP SDK.';
const EXPORT = 'Export a function that returns a new server, as default or as createServer.';
const HINT = 'If it cannot run while packaging, set "probe: off" under server in endpoint.yml.';

/** Forms that can serve nothing, with what is said. */
const REFUSED: readonly [string, string, string, object, string][] = [
  [
    'a module that exports a server',
    'instance.ts',
    `${V1}export const server = make();\nexport default server;\n`,
    {},
    `instance.ts exports a server, but each request needs one of its own. ${EXPORT}`,
  ],
  [
    'a module that connects itself',
    'stdio.ts',
    `import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';\n${V1}await make().connect(new StdioServerTransport());\n`,
    {},
    `stdio.ts exports no function. ${EXPORT} It connects a server to stdio itself, which a function does not have.`,
  ],
  [
    'a module that connects itself without waiting, beside its function',
    'stdio-too.ts',
    `import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';\n${V1}make().connect(new StdioServerTransport());\nexport default make;\n`,
    {},
    'stdio-too.ts connects a server itself when it is imported.',
  ],
  [
    'a module that exports no function',
    'empty.ts',
    'export const version = 1;\n',
    {},
    `empty.ts exports no function. ${EXPORT}`,
  ],
  [
    'a function that returns no server',
    'other.ts',
    'export default () => ({ connect() {} });\n',
    {},
    NOT_A_SERVER,
  ],
  ['a function that returns nothing', 'nothing.ts', 'export default () => undefined;\n', {}, NOT_A_SERVER],
  [
    'a function that returns one server',
    'shared.ts',
    `${V1}const one = make();\nexport const createServer = () => one;\n`,
    {},
    'The function that shared.ts exports returns the same server again. Return a new one each time it is called.',
  ],
  [
    'a function that throws',
    'throws.ts',
    `export const createServer = () => { throw new Error('no database'); };\n`,
    {},
    `The function that throws.ts exports failed: no database ${HINT}`,
  ],
  [
    'a module that throws',
    'broken.ts',
    `throw new Error('NOTES_KEY is not set');\nexport const createServer = () => undefined;\n`,
    {},
    `broken.ts cannot be imported: NOTES_KEY is not set ${HINT}`,
  ],
  [
    'a module that ends its process',
    'ends.ts',
    `console.error('usage: notes FILE');\nprocess.exit(3);\nexport const createServer = () => undefined;\n`,
    {},
    `ends.ts ended its process (exit code 3). It wrote: usage: notes FILE ${HINT}`,
  ],
  [
    'a server whose list fails',
    'list.ts',
    `import { Server } from '@modelcontextprotocol/sdk/server/index.js';\nimport { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';\nexport default () => {\n  const server = new Server({ name: 'n', version: '1' }, { capabilities: { tools: {} } });\n  server.setRequestHandler(ListToolsRequestSchema, () => { throw new Error('no database'); });\n  return server;\n};\n`,
    {},
    `A server of list.ts does not list its tools: no database ${HINT}`,
  ],
  [
    'a server of SDK v1 under "sdk: 2"',
    'old.ts',
    `${V1}export const createServer = make;\n`,
    { sdk: 2 },
    'The server is not one of SDK v2 (@modelcontextprotocol/server).',
  ],
  [
    'a module that reads a file which is not packaged',
    'src/forgotten.ts',
    `import { readFileSync } from 'node:fs';\n${V1}\n\nconst note = readFileSync(new URL('../notes/note.txt', import.meta.url), 'utf8');\nexport const createServer = () => (note ? make() : make());\n`,
    {},
    'notes/note.txt is not in the bundle. Add it to "files" in endpoint.yml: files: [notes/note.txt] (src/forgotten.ts:',
  ],
];

describe('osls package', () => {
  it.each(SERVES)('makes a function that serves of %s', async (_form, file, code, server, more) => {
    project.write(file, code);
    const task = await project.package({
      policy: 'policy.yaml',
      server: { module: file, ...server },
      ...more,
    });
    const environment = startEnvironment(task, { NOTES_KEY: 'key' });
    const send = async (method: string, params: object, headers: object = {}) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const { json } = await environment.invoke({
        version: '2.0',
        rawPath: '/mcp',
        rawQueryString: '',
        isBase64Encoded: false,
        body,
        requestContext: { http: { method: 'POST' }, domainName: 'host.example', requestId: 'r' },
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          host: 'host.example',
          ...headers,
        },
      });
      return JSON.stringify(json);
    };
    try {
      expect(await send('tools/call', { name: 'read_note', arguments: {} })).toContain('a note');
      const list = await send('tools/list', {}, { 'mcp-concerns': 'access=read' });
      expect([list.includes('read_note'), list.includes('write_note')]).toEqual([true, false]);
    } finally {
      await environment.close();
    }
  });

  it.each(REFUSED)('refuses %s', async (_form, file, code, server, message) => {
    project.write(file, code);
    const packaged = project.package({ policy: 'policy.yaml', server: { module: file, ...server } });
    await expect(packaged).rejects.toThrow(message);
  });

  it.each([
    ['../outside.txt', '"files" takes paths inside the project, not "../outside.txt".'],
    ['/etc/hosts', '"files" takes paths inside the project, not "/etc/hosts".'],
    ['nothing/**', '"files" names "nothing/**", but there is no such file.'],
    ['index.mjs', '"files" names index.mjs, but the bundle has a file of that name.'],
  ])('refuses the file %s', async (pattern, message) => {
    project.write('index.mjs', '');
    project.write('factory.ts', `${V1}export const createServer = make;\n`);
    const packaged = project.package({
      policy: 'policy.yaml',
      server: { module: 'factory.ts' },
      files: [pattern],
    });
    await expect(packaged).rejects.toThrow(message);
  });
});
