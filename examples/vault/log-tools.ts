import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { LOG_LEVELS } from './audit-log.js';
import { LIMITS } from './limits.js';
import { ADDS, DESTROYS, READS, replying } from './tool-reply.js';
import type { Vault } from './vault.js';

const level = z.enum(LOG_LEVELS).default('info');

const logInput = z.strictObject({ message: z.string().min(1).max(LIMITS.logCharacters), level });
const readInput = z.strictObject({
  limit: z.int().min(1).max(100).default(20),
  after: z.int().min(0).default(0).describe('Only entries with a higher sequence number'),
  level: level.describe('Only entries of this level or above'),
});
const clearInput = z.strictObject({});

/** Adds tools for the log. Clients and the vault itself write to it. */
export function addLogTools(server: McpServer, { log }: Vault): void {
  server.registerTool(
    'logData',
    { description: 'Write an entry to the audit log.', inputSchema: logInput, annotations: ADDS },
    replying(({ message, level }) => ({ entry: log.append('client', level, message) })),
  );
  server.registerTool(
    'readLog',
    { description: 'Read the newest entries of the audit log.', inputSchema: readInput, annotations: READS },
    replying((query) => ({ ...log.read(query) })),
  );
  server.registerTool(
    'clearLog',
    {
      description: 'Delete all entries of the audit log; a new entry records the deletion.',
      inputSchema: clearInput,
      annotations: DESTROYS,
    },
    replying(() => {
      const cleared = log.clear();
      log.record(`The log was cleared of ${cleared} entries.`, 'warning');
      return { cleared };
    }),
  );
}
