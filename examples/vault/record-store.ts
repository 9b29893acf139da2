import type { KeyRing } from './key-ring.js';
import { LIMITS } from './limits.js';
import { parseSealed } from './sealed-text.js';
import { VaultError } from './vault-error.js';

/** A record without its content. */
export interface RecordInfo {
  readonly id: string;
  readonly labels: readonly string[];
  readonly bytes: number;
  readonly keyId: string;
  readonly keyVersion: number;
  readonly createdAt: string;
}

/** A record that is not encrypted, as tools and backups contain it. */
export interface PlainRecord {
  readonly id: string;
  readonly labels: readonly string[];
  readonly content: string;
  readonly createdAt: string;
}

interface SealedRecord extends Omit<PlainRecord, 'content'> {
  readonly bytes: number;
  readonly sealed: string;
}

/** Keeps records, encrypted with keys of the key ring. */
export class RecordStore {
  readonly #records = new Map<string, SealedRecord>();
  #bytes = 0;

  constructor(private readonly keys: KeyRing) {}

  /** Stores a new record. An identical record changes nothing. Another record with the same id is an error. */
  store(record: PlainRecord, keyId: string): { record: RecordInfo; created: boolean } {
    const existing = this.#records.get(record.id);
    if (existing) {
      if (this.#same(existing, record)) return { record: describe(existing), created: false };
      throw new VaultError(
        `A record "${record.id}" with other content exists already; delete it first or choose another id.`,
      );
    }
    const sealed = this.#seal(record, keyId);
    this.#assertRoom(1, sealed.bytes);
    this.#put(sealed);
    return { record: describe(sealed), created: true };
  }

  /** Stores all of these records or, if there is an error, none. Records with the same ids are replaced. */
  restore(records: readonly PlainRecord[], keyId: string): { added: number; replaced: number } {
    const sealed = records.map((record) => this.#seal(record, keyId));
    const replaced = sealed.flatMap(({ id }) => this.#records.get(id) ?? []);
    this.#assertRoom(sealed.length - replaced.length, sum(sealed) - sum(replaced));
    for (const record of sealed) this.#put(record);
    return { added: sealed.length - replaced.length, replaced: replaced.length };
  }

  fetch(id: string): PlainRecord {
    const { sealed, bytes: _, ...plain } = this.#find(id);
    return { ...plain, content: this.keys.decrypt(sealed, contextOf(id)) };
  }

  delete(id: string): void {
    this.#bytes -= this.#find(id).bytes;
    this.#records.delete(id);
  }

  /** Returns the ids of the records that are not protected by the newest version of a key. */
  outdated(keyId: string): string[] {
    const { version } = this.keys.info(keyId);
    const isCurrent = (record: RecordInfo) => record.keyId === keyId && record.keyVersion === version;
    return this.list().flatMap((record) => (isCurrent(record) ? [] : [record.id]));
  }

  /** Re-encrypts a record unless the newest version of that key protects it. Returns whether it did. */
  reencrypt(id: string, keyId: string): boolean {
    if (!this.outdated(keyId).includes(id)) return false;
    this.#put(this.#seal(this.fetch(id), keyId));
    return true;
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  list(): RecordInfo[] {
    return [...this.#records.values()].map(describe);
  }

  #find(id: string): SealedRecord {
    const record = this.#records.get(id);
    if (!record)
      throw new VaultError(`There is no record "${id}" in this vault; use the id of a stored record.`);
    return record;
  }

  #same(existing: SealedRecord, { content, labels }: PlainRecord): boolean {
    return (
      this.fetch(existing.id).content === content &&
      JSON.stringify(existing.labels) === JSON.stringify(labels)
    );
  }

  #seal({ content, ...rest }: PlainRecord, keyId: string): SealedRecord {
    const sealed = this.keys.encrypt(keyId, content, contextOf(rest.id));
    return { ...rest, bytes: Buffer.byteLength(content), sealed };
  }

  #put(record: SealedRecord): void {
    this.#bytes += record.bytes - (this.#records.get(record.id)?.bytes ?? 0);
    this.#records.set(record.id, record);
  }

  #assertRoom(records: number, bytes: number): void {
    if (this.#records.size + records > LIMITS.records || this.#bytes + bytes > LIMITS.storedBytes) {
      throw new VaultError(
        `The vault would hold more than ${LIMITS.records} records or ${LIMITS.storedBytes} bytes; delete records first.`,
      );
    }
  }
}

/** Returns the context that binds a ciphertext to the id of its record. */
function contextOf(id: string): string {
  return `record:${id}`;
}

function describe({ sealed, ...record }: SealedRecord): RecordInfo {
  const { keyId, version } = parseSealed('enc1', sealed);
  return { ...record, keyId, keyVersion: version };
}

function sum(records: readonly SealedRecord[]): number {
  return records.reduce((total, record) => total + record.bytes, 0);
}
