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

/** One version of a key. `key` is the secret or private half; it stays inside the key ring. */
export interface KeyVersion {
  readonly key: KeyObject;
  readonly createdAt: string;
  readonly fingerprint: string;
}

/** Makes fresh material for a key of this kind. */
export function generateMaterial(kind: KeyKind): KeyVersion {
  return kind === 'encryption'
    ? versionOf(createSecretKey(randomBytes(32)))
    : versionOf(generateKeyPairSync('ed25519').privateKey);
}

/** Derives an encryption key from a passphrase; the same passphrase and salt give the same key. */
export async function deriveMaterial(passphrase: string, salt: Buffer): Promise<KeyVersion> {
  return versionOf(await deriveSecret(passphrase, salt));
}

/** The scrypt step alone, for secrets that no key ring keeps. */
export function deriveSecret(passphrase: string, salt: Buffer): Promise<KeyObject> {
  // 16 MiB and some 50 ms: the cost of each guess for whoever gets hold of a ciphertext.
  const cost = { N: 16_384, r: 8, p: 1 };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, (error, bytes) => {
      if (error) reject(error);
      else resolve(createSecretKey(bytes));
    });
  });
}

/** The public half of a signing key, as PEM. */
export function publicPem(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
}

function versionOf(key: KeyObject): KeyVersion {
  return { key, createdAt: new Date().toISOString(), fingerprint: fingerprint(key) };
}

/** Tells two keys apart without telling anything of a secret one: an HMAC under the key itself. */
function fingerprint(key: KeyObject): string {
  const digest =
    key.type === 'secret'
      ? createHmac('sha256', key).update('vault key fingerprint')
      : createHash('sha256').update(publicPem(key));
  return digest.digest('hex').slice(0, 16);
}
