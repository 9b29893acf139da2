import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { createConcerns } from 'mcp-concerns/client';

const client = new Client({ name: 'host', version: '1.0.0' });
const concerns = createConcerns(client);
await client.connect(new StdioClientTransport({ command: 'node', args: ['server.mjs'] }));

const list = async () => (await concerns.listTools()).tools.map(({ name }) => name).join(', ');
console.log('all tools:       ', await list());
await concerns.set({ access: 'read' });
console.log('access is "read":', await list());
await client.close();
