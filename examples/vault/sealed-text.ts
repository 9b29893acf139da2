import { VaultError } from './vault-error.js';

/** What a ciphertext or a signature says about itself: the key and the key version that made it, and its bytes. */
export interface SealedText {
  readonly keyId: string;
  readonly version: number;
  readonly bytes: Buffer;
}

/** Two kinds, so that a signature handed to the decryption is named for what it is. */
export type SealedKind = 'enc1' | 'sig1';

/** Writes `kind.keyId.version.bytes`, the form in which ciphertexts and signatures leave the vault. */
export function formatSealed(kind: SealedKind, { keyId, version, bytes }: SealedText): string {
  return `${kind}.${keyId}.${version}.${bytes.toString('base64url')}`;
}

/** Reads what {@link formatSealed} wrote, and refuses everything else. */
export function parseSealed(kind: SealedKind, text: string): SealedText {
  const what = kind === 'enc1' ? 'ciphertext' : 'signature';
  const [prefix, keyId, version, encoded, ...rest] = text.split('.', 5);
  if (
    prefix !== kind ||
    !keyId ||
    !version ||
    !encoded ||
    rest.length > 0 ||
    !/^[1-9]\d{0,3}$/.test(version)
  ) {
    throw new VaultError(`This is no ${what} of this vault; pass one unchanged, it starts with "${kind}.".`);
  }
  const complaint = `The ${what} is cut short or damaged; pass all of it, unchanged.`;
  return { keyId, version: Number(version), bytes: decodeStrictly(encoded, 'base64url', complaint) };
}

/**
 * Decodes Base64 that is complete and canonical, or fails with the complaint.
 *
 * Buffer.from skips what it cannot read, so that a damaged text would decode to other bytes without a word.
 */
export function decodeStrictly(text: string, encoding: 'base64' | 'base64url', complaint: string): Buffer {
  const bytes = Buffer.from(text, encoding);
  if (bytes.toString(encoding) !== text) throw new VaultError(complaint);
  return bytes;
}
