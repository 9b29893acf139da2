import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { fixtureTools } from './fixture.js';

const tools = fixtureTools(1000);

/** Makes a server of tools with zod schemas: a thousand, or fewer. `McpServer` converts every schema for every list request. */
export function zodServer(count = tools.length): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, description, inputSchema } of tools.slice(0, count)) {
    const shape = Object.entries(inputSchema.properties).map(([argument, property]) => [
      argument,
      z.string().describe(String((property as { description?: string }).description)),
    ]);
    server.registerTool(name, { description, inputSchema: Object.fromEntries(shape) }, async () => ({
      content: [],
    }));
  }
  return server;
}

export const createServer = (): McpServer => zodServer();
