import { LIMITS } from './limits.js';
import type { Vault } from './vault.js';

/** The JSON and text of resources and prompts. */

const SHOWN_ENTRIES = 100;

/** Returns the newest entries of the log. */
export function auditDocument({ log }: Vault): string {
  return json(log.read({ limit: SHOWN_ENTRIES }));
}

/** Returns the public metadata of all keys. */
export function keysDocument({ keys }: Vault): string {
  return json({ keys: keys.list() });
}

/** Returns the public metadata of one key, and the ids of the records that it protects. */
export function keyDocument({ keys, records }: Vault, id: string): string {
  const protects = records.list().filter((record) => record.keyId === id);
  return json({ ...keys.info(id), records: protects.map((record) => record.id) });
}

export function retentionDocument(): string {
  return [
    '# Retention',
    '',
    'The vault keeps everything in the memory of its process. A restart removes it.',
    '',
    `- Log: the newest ${LIMITS.logEntries} entries. Older ones are removed.`,
    `- Records: at most ${LIMITS.records}, together ${LIMITS.storedBytes} bytes. They are kept until they are deleted.`,
    `- Keys: at most ${LIMITS.keys}, each with ${LIMITS.keyVersions} versions. A key that protects a record cannot be deleted.`,
    `- Tasks: each is kept for ${LIMITS.taskSeconds / 60} minutes at most.`,
    '- Backups: not kept. The caller has the only copy.',
    '',
  ].join('\n');
}

export function algorithmsDocument(): string {
  return [
    '# Algorithms',
    '',
    '| purpose | algorithm |',
    '|---|---|',
    '| encryption | AES-256-GCM, 96-bit random IV, 128-bit tag |',
    '| signatures | Ed25519 |',
    '| keys from passphrases | scrypt, N = 16384, r = 8, p = 1, 128-bit salt |',
    '| digests | SHA-256, SHA-512 |',
    '| tokens | HMAC-SHA-256, 128 bits of it |',
    '| compression | gzip, brotli |',
    '',
  ].join('\n');
}

function json(value: object): string {
  return JSON.stringify(value, null, 2);
}
