import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { fixtureTools } from './fixture.js';

const tools = fixtureTools(1000);

/** Makes a server of a thousand tools with zod schemas. `McpServer` converts every schema for every list request. */
export function zodServer(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (const { name, description, inputSchema } of tools) {
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

export { zodServer as createServer };
