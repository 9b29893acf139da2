import { LIMITS } from './limits.js';
import type { Vault } from './vault.js';

/** The JSON and text that resources and prompts show. */

const SHOWN_ENTRIES = 100;

/** The newest entries of the log. */
export function auditDocument({ log }: Vault): string {
  return json(log.read({ limit: SHOWN_ENTRIES }));
}

/** What is public about all keys. */
export function keysDocument({ keys }: Vault): string {
  return json({ keys: keys.list() });
}

/** What is public about one key, and which records need it. */
export function keyDocument({ keys, records }: Vault, id: string): string {
  const protects = records.list().filter((record) => record.keyId === id);
  return json({ ...keys.info(id), records: protects.map((record) => record.id) });
}

export function retentionDocument(): string {
  return [
    '# Retention',
    '',
    'The vault keeps everything in the memory of its process; a restart forgets it.',
    '',
    `- Log: the newest ${LIMITS.logEntries} entries; older ones make room.`,
    `- Records: at most ${LIMITS.records}, together ${LIMITS.storedBytes} bytes; kept until they are deleted.`,
    `- Keys: at most ${LIMITS.keys}, each with ${LIMITS.keyVersions} versions; a key that a record needs cannot be deleted.`,
    `- Tasks: at most ${LIMITS.tasks}; a finished one is kept for ${LIMITS.taskSeconds / 60} minutes at most.`,
    '- Backups: not kept; whoever asked for one holds the only copy.',
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
