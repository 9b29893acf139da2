import {
  McpServer as McpServerV1,
  ResourceTemplate as TemplateV1,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2, ResourceTemplate as TemplateV2 } from '@modelcontextprotocol/server';
import * as z from 'zod';

const TOOLS = ['encryptData', 'logData', 'validateData', 'storeRecord'];

/** The same catalog on both SDKs: four tools, two prompts, two resources, two templates. */
export function serverV1(): McpServerV1 {
  const server = new McpServerV1({ name: 'suite', version: '1.0.0' });
  for (const name of TOOLS) {
    server.registerTool(name, { description: name, inputSchema: { text: z.string() } }, async ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
  }
  for (const name of ['reviewAccess', 'explainEncryption']) {
    server.registerPrompt(name, { description: name }, async () => ({
      messages: [{ role: 'user', content: { type: 'text', text: name } }],
    }));
  }
  for (const name of ['audit', 'keys']) {
    const read = async (uri: URL) => ({ contents: [{ uri: uri.href, text: name }] });
    server.registerResource(name, `vault://${name}`, {}, read);
    server.registerResource(
      `${name}-each`,
      new TemplateV1(`vault://${name}/{id}`, { list: undefined }),
      {},
      read,
    );
  }
  return server;
}

export function serverV2(): McpServerV2 {
  const server = new McpServerV2({ name: 'suite', version: '1.0.0' });
  for (const name of TOOLS) {
    const inputSchema = z.object({ text: z.string() });
    server.registerTool(name, { description: name, inputSchema }, async ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
  }
  for (const name of ['reviewAccess', 'explainEncryption']) {
    server.registerPrompt(name, { description: name }, async () => ({
      messages: [{ role: 'user', content: { type: 'text', text: name } }],
    }));
  }
  for (const name of ['audit', 'keys']) {
    const read = async (uri: URL) => ({ contents: [{ uri: uri.href, text: name }] });
    server.registerResource(name, `vault://${name}`, {}, read);
    server.registerResource(
      `${name}-each`,
      new TemplateV2(`vault://${name}/{id}`, { list: undefined }),
      {},
      read,
    );
  }
  return server;
}
