import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ErrorCode, McpError, type ReadResourceResult } from '@modelcontextprotocol/sdk/types.js';
import {
  algorithmsDocument,
  auditDocument,
  keyDocument,
  keysDocument,
  retentionDocument,
} from './documents.js';
import type { Vault } from './vault.js';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
const MARKDOWN_TYPE = 'text/markdown';

/** Adds the resources of the vault. */
export function addResources(server: McpServer, vault: Vault): void {
  addDocument(server, 'audit', 'vault://audit', JSON_TYPE, 'The newest entries of the audit log.', () =>
    auditDocument(vault),
  );
  addDocument(server, 'keys', 'vault://keys', JSON_TYPE, 'Public metadata of all keys.', () =>
    keysDocument(vault),
  );
  addDocument(
    server,
    'retention',
    'vault://policy/retention',
    MARKDOWN_TYPE,
    'What the vault keeps, and for how long.',
    retentionDocument,
  );
  addDocument(
    server,
    'algorithms',
    'vault://policy/algorithms',
    MARKDOWN_TYPE,
    'The algorithms the vault uses.',
    algorithmsDocument,
  );
  addTemplates(server, vault);
}

function addDocument(
  server: McpServer,
  name: string,
  uri: string,
  mimeType: string,
  description: string,
  read: () => string,
): void {
  server.registerResource(name, uri, { description, mimeType }, () => contents(uri, mimeType, read()));
}

function addTemplates(server: McpServer, vault: Vault): void {
  const { keys, records } = vault;
  server.registerResource(
    'key',
    new ResourceTemplate('vault://keys/{id}', {
      // `vault://keys` lists all keys, so they are not listed one by one.
      list: undefined,
      complete: { id: (value) => startingWith(keys.list(), value) },
    }),
    { description: 'Public metadata of one key, with its public half if it signs.', mimeType: JSON_TYPE },
    (uri, { id }) => {
      if (typeof id !== 'string' || !keys.has(id)) throw notFound(uri);
      return contents(uri.href, JSON_TYPE, keyDocument(vault, id));
    },
  );
  server.registerResource(
    'record',
    new ResourceTemplate('vault://records/{id}', {
      list: () => ({
        resources: records.list().map(({ id, bytes, createdAt }) => ({
          uri: `vault://records/${id}`,
          name: id,
          size: bytes,
          annotations: { lastModified: createdAt },
        })),
      }),
      complete: { id: (value) => startingWith(records.list(), value) },
    }),
    { description: 'The decrypted content of one record.', mimeType: TEXT_TYPE },
    (uri, { id }) => {
      if (typeof id !== 'string' || !records.has(id)) throw notFound(uri);
      return contents(uri.href, TEXT_TYPE, records.fetch(id).content);
    },
  );
}

function startingWith(items: readonly { id: string }[], prefix: string): string[] {
  return items.map(({ id }) => id).filter((id) => id.startsWith(prefix));
}

function contents(uri: string, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] };
}

/** Returns the SDK's error for an unknown URI, so that an unknown id does not differ from it. */
function notFound(uri: URL): McpError {
  return new McpError(ErrorCode.InvalidParams, `Resource ${uri} not found`);
}
