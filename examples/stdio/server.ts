import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { attachConcerns } from 'mcp-concerns';
import { loadPolicy } from 'mcp-concerns/policy';
import { z } from 'zod';

const notes = new Map([['todo', 'Buy milk']]);
const text = (text: string) => ({ content: [{ type: 'text' as const, text }] });

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

attachConcerns(server, { policy: loadPolicy('policy.yaml') });
await server.connect(new StdioServerTransport());
