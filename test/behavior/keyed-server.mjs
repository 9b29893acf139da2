// A server that filters its lists itself: node keyed-server.mjs v1|v2|HTTP. The last one prints the port.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
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
if (mode === 'v1') await attached(McpServer).connect(new StdioServerTransport());
else if (mode === 'v2') serveStdio(() => attached(McpServerV2));
else {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => 'own',
    enableJsonResponse: true,
  });
  await attached(McpServer).connect(transport);
  const listening = createServer((request, response) => transport.handleRequest(request, response));
  listening.listen(0, '127.0.0.1', () => console.log(listening.address().port));
}
