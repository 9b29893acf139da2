/** Serves several servers as one endpoint. Each has its own headers, process and limits. */
import type { StreamingHandler } from 'mcp-concerns/lambda';
import { isolateSeveral } from 'mcp-concerns/upstream';
import { openProcess } from './open-process.js';
import { openRemote } from './open-remote.js';
import { serveUpstream } from './serve-upstream.js';
import type { ServersValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: ServersValues;

const opened = Object.entries(MCP_CONCERNS_FUNCTION.servers).map(
  ([slug, server]) => [slug, 'url' in server ? openRemote(server) : openProcess(server)] as const,
);

export const handler: StreamingHandler = serveUpstream(isolateSeveral(Object.fromEntries(opened)));
