/** Serves a remote server. */
import type { StreamingHandler } from 'mcp-concerns/lambda';
import { isolateUpstream } from 'mcp-concerns/upstream';
import { openRemote } from './open-remote.js';
import { serveUpstream } from './serve-upstream.js';
import type { UrlValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: UrlValues;

const { open, isolation, options } = openRemote(MCP_CONCERNS_FUNCTION.server);

export const handler: StreamingHandler = serveUpstream(isolateUpstream(open, isolation, options));
