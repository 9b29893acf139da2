import { AuditLog } from './audit-log.js';
import { KeyRing } from './key-ring.js';
import { RecordStore } from './record-store.js';
import { VaultTaskStore } from './task-store.js';
import { VaultError } from './vault-error.js';

/**
 * What outlives a request: keys, records, the log and running tasks, all in memory and all bounded.
 *
 * Servers are made anew for each request and share a vault. Each process has its own: keys never leave the memory
 * of the process that made them, and records move to another process only as a backup.
 */
export class Vault {
  readonly keys = new KeyRing();
  readonly records = new RecordStore(this.keys);
  readonly log = new AuditLog();
  readonly tasks = new VaultTaskStore();

  /** Deletes a key, unless a record would be lost with it. */
  deleteKey(id: string): void {
    const needed = this.records.list().filter((record) => record.keyId === id).length;
    if (needed > 0) {
      throw new VaultError(
        `Key "${id}" still protects ${needed} ${needed === 1 ? 'record' : 'records'}; re-encrypt all records under another key first.`,
      );
    }
    this.keys.delete(id);
    this.log.record(`Key "${id}" was deleted.`, 'warning');
  }
}

/** The vault of this process, for servers that are given none. */
export const sharedVault = new Vault();
