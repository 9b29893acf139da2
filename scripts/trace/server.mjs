import { fileURLToPath } from 'node:url';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js';

const NAMES = ['list_notes', 'read_note', 'write_note'];

/** A server with three tools, one of which the policy hides from who only reads. */
export function notes() {
  const server = new Server({ name: 'notes', version: '1.0.0' }, { capabilities: { tools: {} } });
  const inputSchema = { type: 'object' };
  const tools = NAMES.map((name) => ({ name, description: name.replace('_', ' '), inputSchema }));
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name } }) => {
    if (!NAMES.includes(name)) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    return { content: [{ type: 'text', text: 'Done.' }] };
  });
  return server;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await notes().connect(new StdioServerTransport());
