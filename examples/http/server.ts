import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createMemoryStore } from 'mcp-concerns';
import { serveLocally } from 'mcp-concerns/http/local';
import { loadPolicy } from 'mcp-concerns/policy';
import { z } from 'zod';

const notes = new Map([['todo', 'Buy milk']]);
const text = (text: string) => ({ content: [{ type: 'text' as const, text }] });

/** Creates a server for one request. What outlives a request is in `notes`. */
function createServer(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' });
  server.registerTool('list_notes', { description: 'List all notes' }, () =>
    text([...notes.keys()].join(', ')),
  );
  server.registerTool(
    'read_note',
    { description: 'Read a note', inputSchema: { name: z.string() } },
    ({ name }) => text(notes.get(name) ?? 'There is no such note.'),
  );
  server.registerTool(
    'write_note',
    { description: 'Create or replace a note', inputSchema: { name: z.string(), content: z.string() } },
    ({ name, content }) => {
      notes.set(name, content);
      return text(`Saved ${name}.`);
    },
  );
  return server;
}

const { url } = await serveLocally({
  server: createServer,
  policy: loadPolicy('policy.yaml'),
  store: createMemoryStore(),
  port: Number(process.env.PORT ?? 3000),
});
console.log(`Listening on ${url}`);
