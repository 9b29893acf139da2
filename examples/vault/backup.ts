import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { compress, decompress } from './compression.js';
import { id } from './inputs.js';
import { deriveSecret } from './key-material.js';
import { LIMITS } from './limits.js';
import type { PlainRecord } from './record-store.js';
import { decodeStrictly } from './sealed-text.js';
import { VaultError } from './vault-error.js';

const PREFIX = 'backup1.';
const SALT = 16;
const IV = 12;
const TAG = 16;
// JSON escapes a control character as six characters, so a full vault fits into eight times its size.
const MAX_JSON_BYTES = 8 * LIMITS.storedBytes;

/** The fields of a record in an archive and in tool arguments. */
export const recordFields = {
  id,
  labels: z.array(z.string().min(1).max(40)).max(LIMITS.labels),
  content: z.string().max(LIMITS.recordCharacters),
};

const archiveSchema = z.object({
  records: z.array(z.object({ ...recordFields, createdAt: z.iso.datetime() })).max(LIMITS.records),
});

/**
 * Compresses records, and encrypts them with AES-256-GCM and a key derived from a passphrase.
 *
 * An archive contains no keys, so its passphrase opens only the archive itself. The vault that restores the records
 * encrypts them with one of its own keys.
 */
export async function sealArchive(records: readonly PlainRecord[], passphrase: string): Promise<string> {
  const packed = await compress(Buffer.from(JSON.stringify({ records })), 'gzip');
  const salt = randomBytes(SALT);
  const iv = randomBytes(IV);
  const cipher = createCipheriv('aes-256-gcm', await deriveSecret(passphrase, salt), iv, {
    authTagLength: TAG,
  });
  cipher.setAAD(Buffer.from(PREFIX));
  const body = Buffer.concat([cipher.update(packed), cipher.final()]);
  return PREFIX + Buffer.concat([salt, iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** Decrypts an archive of {@link sealArchive}. Anyone who knows the passphrase can create one, so its content is checked. */
export async function openArchive(archive: string, passphrase: string): Promise<PlainRecord[]> {
  if (!archive.startsWith(PREFIX)) {
    throw new VaultError(`This is not a backup of a vault; pass one unchanged, it starts with "${PREFIX}".`);
  }
  const message = 'The backup is cut short or damaged; pass all of it, unchanged.';
  const bytes = decodeStrictly(archive.slice(PREFIX.length), 'base64url', message);
  if (bytes.length < SALT + IV + TAG) throw new VaultError(message);
  const key = await deriveSecret(passphrase, bytes.subarray(0, SALT));
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(SALT, SALT + IV), {
    authTagLength: TAG,
  });
  decipher.setAAD(Buffer.from(PREFIX));
  decipher.setAuthTag(bytes.subarray(SALT + IV, SALT + IV + TAG));
  const packed = decipher.update(bytes.subarray(SALT + IV + TAG));
  try {
    decipher.final();
  } catch {
    throw new VaultError(
      'The passphrase is wrong or the backup was changed; pass the right passphrase and the unchanged backup.',
    );
  }
  return readRecords(await decompress(packed, 'gzip', MAX_JSON_BYTES));
}

function readRecords(json: Buffer): PlainRecord[] {
  let value: unknown;
  try {
    value = JSON.parse(json.toString('utf8'));
  } catch {
    value = undefined;
  }
  const parsed = archiveSchema.safeParse(value);
  const ids = new Set(parsed.data?.records.map((record) => record.id));
  if (!parsed.success || ids.size !== parsed.data.records.length) {
    throw new VaultError('The backup does not contain valid records of a vault; make a new backup.');
  }
  return parsed.data.records;
}
