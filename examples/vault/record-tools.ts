import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { recordFields } from './backup.js';
import { id } from './inputs.js';
import { ADDS_ONCE, DESTROYS, notifyRecordsChanged, READS, replying } from './tool-reply.js';
import type { Vault } from './vault.js';

const storeInput = z.strictObject({
  ...recordFields,
  labels: recordFields.labels.default([]),
  keyId: id.default('default'),
});
const existingInput = z.strictObject({ id });

/** Adds tools for records. Records are encrypted, and listed as resources. */
export function addRecordTools(server: McpServer, { records, log }: Vault): void {
  server.registerTool(
    'storeRecord',
    {
      description: 'Store a new record, encrypted at rest; existing records are never overwritten.',
      inputSchema: storeInput,
      annotations: ADDS_ONCE,
    },
    replying(async ({ keyId, ...input }, extra) => {
      const stored = records.store({ ...input, createdAt: new Date().toISOString() }, keyId);
      if (stored.created) {
        log.record(`Record "${input.id}" was stored under key "${keyId}".`);
        await notifyRecordsChanged(extra);
      }
      return { ...stored };
    }),
  );
  server.registerTool(
    'fetchRecord',
    { description: 'Decrypt and return a record.', inputSchema: existingInput, annotations: READS },
    replying(({ id }) => ({ ...records.fetch(id) })),
  );
  server.registerTool(
    'deleteRecord',
    { description: 'Delete a record permanently.', inputSchema: existingInput, annotations: DESTROYS },
    replying(async ({ id }, extra) => {
      records.delete(id);
      log.record(`Record "${id}" was deleted.`, 'warning');
      await notifyRecordsChanged(extra);
      return { deleted: id };
    }),
  );
}
