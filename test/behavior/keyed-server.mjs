// A server that filters its lists itself: node keyed-server.mjs v1|v2|HTTP|socket. The last two print the port.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { attachConcerns, openCompiledPolicy } from 'mcp-concerns';
import { parsePolicy } from 'mcp-concerns/policy/parse';

const text = `version: 1
concerns: { level: { values: [low] } }
primitives: { tools: { grandchild: {} } }
rules: [{ id: all, hide: [tools], when: { '===': [{ var: primitive.name }, hidden] } }]
settings: { enforcement: enforce }
`;
const policy = openCompiledPolicy(parsePolicy(new Map([['policy.yaml', text]])).compiled);

/** What a process that the server starts sees of the key. */
const ofGrandchild = () =>
  execFileSync(process.execPath, ['-p', 'String(process.env.MCP_CONCERNS_WHOLE_LIST_KEY)'], {
    encoding: 'utf8',
  });

function attached(Server) {
  const server = new Server({ name: 'keyed', version: '1.0.0' });
  server.registerTool('hidden', {}, () => ({ content: [] }));
  server.registerTool('grandchild', {}, () => ({ content: [{ type: 'text', text: ofGrandchild().trim() }] }));
  attachConcerns(server, { policy });
  return server;
}

const [mode] = process.argv.slice(2);
const print = (listening) => listening.listen(0, '127.0.0.1', () => console.log(listening.address().port));
if (mode === 'v1') await attached(McpServer).connect(new StdioServerTransport());
else if (mode === 'v2') serveStdio(() => attached(McpServerV2));
else if (mode === 'socket')
  print(
    createSocketServer((socket) => attached(McpServer).connect(new StdioServerTransport(socket, socket))),
  );
else {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => 'own',
    enableJsonResponse: true,
  });
  await attached(McpServer).connect(transport);
  print(createServer((request, response) => transport.handleRequest(request, response)));
}
