import { AuditLog } from './audit-log.js';
import { KeyRing } from './key-ring.js';
import { RecordStore } from './record-store.js';
import { VaultError } from './vault-error.js';

/**
 * The state that outlives a request: keys, records and the log. All of it is in memory, and limited in size.
 *
 * The servers of all requests share one vault. Each process has its own vault: keys never leave the memory of their
 * process, and records leave it only in a backup.
 */
export class Vault {
  readonly keys = new KeyRing();
  readonly records = new RecordStore(this.keys);
  readonly log = new AuditLog();

  /** Deletes a key. It is an error if the key still protects a record. */
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

/** The vault that the servers of this process share by default. */
export const sharedVault = new Vault();
