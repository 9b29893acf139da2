import {
  createHash,
  createHmac,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  scrypt,
} from 'node:crypto';

export type KeyKind = 'encryption' | 'signing';

/** One version of a key. `key` is the secret or private key, and never leaves the key ring. */
export interface KeyVersion {
  readonly key: KeyObject;
  readonly createdAt: string;
  readonly fingerprint: string;
}

/** Generates a random key of this kind. */
export function generateMaterial(kind: KeyKind): KeyVersion {
  return kind === 'encryption'
    ? versionOf(createSecretKey(randomBytes(32)))
    : versionOf(generateKeyPairSync('ed25519').privateKey);
}

/** Derives an encryption key from a passphrase. The same passphrase and salt return the same key. */
export async function deriveMaterial(passphrase: string, salt: Buffer): Promise<KeyVersion> {
  return versionOf(await deriveSecret(passphrase, salt));
}

/** Derives a secret with scrypt, for keys that a key ring does not keep. */
export function deriveSecret(passphrase: string, salt: Buffer): Promise<KeyObject> {
  // Each guess of an attacker costs 16 MiB of memory and about 50 ms.
  const cost = { N: 16_384, r: 8, p: 1 };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, (error, bytes) => {
      if (error) reject(error);
      else resolve(createSecretKey(bytes));
    });
  });
}

/** Returns the public key of a signing key, as PEM. */
export function publicPem(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

function versionOf(key: KeyObject): KeyVersion {
  return { key, createdAt: new Date().toISOString(), fingerprint: fingerprint(key) };
}

/** Identifies a key. For a secret key it is an HMAC with that key, which reveals nothing about it. */
function fingerprint(key: KeyObject): string {
  const digest =
    key.type === 'secret'
      ? createHmac('sha256', key).update('vault key fingerprint')
      : createHash('sha256').update(publicPem(key));
  return digest.digest('hex').slice(0, 16);
}
