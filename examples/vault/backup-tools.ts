import { setImmediate as nextTurn } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { openArchive, sealArchive } from './backup.js';
import { id, passphrase } from './inputs.js';
import { LIMITS } from './limits.js';
import type { PlainRecord, RecordStore } from './record-store.js';
import { ADDS, DESTROYS, notify, notifyRecordsChanged, replying, type ToolExtra } from './tool-reply.js';
import type { Vault } from './vault.js';

const backupInput = z.strictObject({ passphrase });
const restoreInput = z.strictObject({
  archive: z.string().max(LIMITS.archiveCharacters).describe('Starts with "backup1."'),
  passphrase,
  keyId: id.default('default').describe('The key that the records will be encrypted with'),
});

/** Adds tools that export all records, and import them into this or another vault. */
export function addBackupTools(server: McpServer, { records, log }: Vault): void {
  server.registerTool(
    'backupVault',
    {
      description:
        'Return all records as one archive, encrypted with a passphrase; keys stay in the vault. Reports progress.',
      inputSchema: backupInput,
      // Not READS, because the export of all records is written to the log.
      annotations: ADDS,
    },
    replying(async ({ passphrase }, extra) => {
      const ids = records.list().map((record) => record.id);
      const steps = ids.length + 1;
      const plain = await fetchAll(records, ids, (done) => {
        extra.signal.throwIfAborted();
        return reportProgress(extra, done, steps, 'Records read');
      });
      const archive = await sealArchive(plain, passphrase);
      log.record(`A backup of ${plain.length} records was made.`);
      await reportProgress(extra, steps, steps, 'Archive sealed');
      return { archive, records: plain.length };
    }),
  );
  server.registerTool(
    'restoreVault',
    {
      description: 'Restore all records of an archive; records with the same ids are overwritten.',
      inputSchema: restoreInput,
      annotations: DESTROYS,
    },
    replying(async ({ archive, passphrase, keyId }, extra) => {
      const restored = records.restore(await openArchive(archive, passphrase), keyId);
      log.record(`A backup was restored: ${restored.added} added, ${restored.replaced} replaced.`, 'warning');
      await notifyRecordsChanged(extra);
      return restored;
    }),
  );
}

const BATCH = 20;

/** Decrypts all records in batches. Other requests run between batches, so a record may be deleted meanwhile. */
async function fetchAll(
  records: RecordStore,
  ids: readonly string[],
  onBatch: (done: number) => Promise<void>,
): Promise<PlainRecord[]> {
  const plain: PlainRecord[] = [];
  for (let start = 0; start < ids.length; start += BATCH) {
    const batch = ids.slice(start, start + BATCH);
    plain.push(...batch.filter((id) => records.has(id)).map((id) => records.fetch(id)));
    await onBatch(start + batch.length);
    await nextTurn();
  }
  return plain;
}

async function reportProgress(
  extra: ToolExtra,
  progress: number,
  total: number,
  message: string,
): Promise<void> {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return;
  await notify(extra, {
    method: 'notifications/progress',
    params: { progressToken, progress, total, message },
  });
}
