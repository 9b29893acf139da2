import { VaultError } from './vault-error.js';

/** The parts of a ciphertext or signature: the key, the version of the key, and the bytes. */
export interface SealedText {
  readonly keyId: string;
  readonly version: number;
  readonly bytes: Buffer;
}

/** The prefix of a ciphertext or of a signature, so that errors can tell them apart. */
export type SealedKind = 'enc1' | 'sig1';

/** Formats a ciphertext or signature as `kind.keyId.version.bytes`. */
export function formatSealed(kind: SealedKind, { keyId, version, bytes }: SealedText): string {
  return `${kind}.${keyId}.${version}.${bytes.toString('base64url')}`;
}

/** Parses the format of {@link formatSealed}. Any other text is an error. */
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
    throw new VaultError(
      `This is not a ${what} of this vault; pass one unchanged, it starts with "${kind}.".`,
    );
  }
  const message = `The ${what} is cut short or damaged; pass all of it, unchanged.`;
  return { keyId, version: Number(version), bytes: decodeStrictly(encoded, 'base64url', message) };
}

/**
 * Decodes Base64 that is complete and canonical. Other text is an error with this message.
 *
 * `Buffer.from` skips invalid characters, so it would decode damaged text to other bytes without an error.
 */
export function decodeStrictly(text: string, encoding: 'base64' | 'base64url', message: string): Buffer {
  const bytes = Buffer.from(text, encoding);
  if (bytes.toString(encoding) !== text) throw new VaultError(message);
  return bytes;
}
