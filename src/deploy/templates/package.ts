/** Serves a server that is the program of a package. */
import type { StreamingHandler } from 'mcp-concerns/lambda';
import { isolateUpstream } from 'mcp-concerns/upstream';
import { openProcess } from './open-process.js';
import { serveUpstream } from './serve-upstream.js';
import type { PackageValues } from './values.js';

declare const MCP_CONCERNS_FUNCTION: PackageValues;

const { open, isolation, options } = openProcess(MCP_CONCERNS_FUNCTION.server);

export const handler: StreamingHandler = serveUpstream(isolateUpstream(open, isolation, options));
