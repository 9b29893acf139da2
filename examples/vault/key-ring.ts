import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPublicKey,
  createSecretKey,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import {
  deriveMaterial,
  generateMaterial,
  type KeyKind,
  type KeyVersion,
  publicPem,
} from './key-material.js';
import { LIMITS } from './limits.js';
import { formatSealed, parseSealed } from './sealed-text.js';
import { VaultError } from './vault-error.js';

/** The public metadata of a key. It includes the public key of a signing key, but no secret. */
export interface KeyInfo {
  readonly id: string;
  readonly kind: KeyKind;
  readonly algorithm: 'AES-256-GCM' | 'Ed25519';
  readonly origin: KeyOrigin;
  readonly version: number;
  readonly createdAt: string;
  readonly rotatedAt?: string;
  readonly fingerprint: string;
  readonly publicKey?: string;
}

type KeyOrigin = 'generated' | 'derived';

interface StoredKey {
  readonly id: string;
  readonly kind: KeyKind;
  readonly origin: KeyOrigin;
  /** Oldest first; version 1 is at index 0. Old versions still decrypt and verify. */
  readonly versions: [KeyVersion, ...KeyVersion[]];
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The keys of one vault, and all operations with them.
 *
 * Methods do not return secrets. The fields with secrets are private fields of JavaScript, so serialization and
 * inspection do not show them.
 */
export class KeyRing {
  readonly #keys = new Map<string, StoredKey>();
  readonly #pseudonymKey = createSecretKey(randomBytes(32));

  /** Creates one key of each kind, `default` and `signing`, so that every operation works at once. */
  constructor() {
    this.generate('default', 'encryption');
    this.generate('signing', 'signing');
  }

  generate(id: string, kind: KeyKind): KeyInfo {
    this.#assertFree(id);
    return this.#add({ id, kind, origin: 'generated', versions: [generateMaterial(kind)] });
  }

  /** Derives a key from a passphrase. If the same key exists already, it is returned. */
  async derive(id: string, passphrase: string, salt: Buffer): Promise<KeyInfo> {
    const version = await deriveMaterial(passphrase, salt);
    const existing = this.#keys.get(id);
    if (existing?.versions[0].fingerprint === version.fingerprint) return describe(existing);
    this.#assertFree(id);
    return this.#add({ id, kind: 'encryption', origin: 'derived', versions: [version] });
  }

  rotate(id: string): KeyInfo {
    const key = this.#find(id);
    if (key.versions.length >= LIMITS.keyVersions) {
      throw new VaultError(
        `Key "${id}" has ${LIMITS.keyVersions} versions, which is the maximum; generate a new key and use that one.`,
      );
    }
    key.versions.push(generateMaterial(key.kind));
    return describe(key);
  }

  delete(id: string): void {
    this.#find(id);
    this.#keys.delete(id);
  }

  info(id: string): KeyInfo {
    return describe(this.#find(id));
  }

  has(id: string): boolean {
    return this.#keys.has(id);
  }

  list(): KeyInfo[] {
    return [...this.#keys.values()].map(describe);
  }

  /** Throws if there is no encryption key with this id. */
  assertEncrypts(id: string): void {
    this.#find(id, 'encryption');
  }

  /** Encrypts with the newest version of a key. The context is not stored, and decryption needs the same one. */
  encrypt(keyId: string, text: string, context: string): string {
    const key = this.#find(keyId, 'encryption');
    const version = key.versions.length;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#version(key, version).key, iv, {
      authTagLength: TAG_BYTES,
    });
    cipher.setAAD(boundTo(keyId, version, context));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return formatSealed('enc1', { keyId, version, bytes: Buffer.concat([iv, cipher.getAuthTag(), body]) });
  }

  decrypt(ciphertext: string, context: string): string {
    const { keyId, version, bytes } = parseSealed('enc1', ciphertext);
    const { key } = this.#version(this.#find(keyId, 'encryption'), version);
    if (bytes.length < IV_BYTES + TAG_BYTES) {
      throw new VaultError('The ciphertext is cut short or damaged; pass all of it, unchanged.');
    }
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(keyId, version, context));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    try {
      const body = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return Buffer.concat([body, decipher.final()]).toString('utf8');
    } catch {
      throw new VaultError(
        'The ciphertext was changed, or it was encrypted with another key or context; pass it unchanged, with the context of its encryption.',
      );
    }
  }

  sign(keyId: string, text: string): string {
    const key = this.#find(keyId, 'signing');
    const version = key.versions.length;
    const bytes = sign(null, Buffer.from(text), this.#version(key, version).key);
    return formatSealed('sig1', { keyId, version, bytes });
  }

  verify(signature: string, text: string): { valid: boolean; keyId: string; version: number } {
    const { keyId, version, bytes } = parseSealed('sig1', signature);
    const { key } = this.#version(this.#find(keyId, 'signing'), version);
    return { valid: verify(null, Buffer.from(text), createPublicKey(key), bytes), keyId, version };
  }

  /** Returns a pseudonym for a value. Equal values have equal pseudonyms, and a pseudonym does not reveal its value. */
  pseudonym(value: string): string {
    return createHmac('sha256', this.#pseudonymKey).update(value).digest('base64url').slice(0, 22);
  }

  #find(id: string, kind?: KeyKind): StoredKey {
    const key = this.#keys.get(id);
    if (!key) throw new VaultError(`There is no key "${id}" in this vault; use the id of a listed key.`);
    if (kind && key.kind !== kind) {
      throw new VaultError(`Key "${id}" is for ${key.kind}; use a key of the kind "${kind}".`);
    }
    return key;
  }

  #version(key: StoredKey, version: number): KeyVersion {
    const found = key.versions[version - 1];
    if (!found) {
      throw new VaultError(
        `Key "${key.id}" has no version ${version} in this vault; use the vault that encrypted or signed the data.`,
      );
    }
    return found;
  }

  #assertFree(id: string): void {
    if (this.#keys.has(id)) {
      throw new VaultError(`A key "${id}" exists already; choose another id.`);
    }
    if (this.#keys.size >= LIMITS.keys) {
      throw new VaultError(`The vault has ${LIMITS.keys} keys, which is the maximum; delete one first.`);
    }
  }

  #add(key: StoredKey): KeyInfo {
    this.#keys.set(key.id, key);
    return describe(key);
  }
}

/** Returns the additional data of the cipher, which binds a ciphertext to its key, version and context. */
function boundTo(keyId: string, version: number, context: string): Buffer {
  return Buffer.from(`${keyId}.${version}.${context}`);
}

function describe({ id, kind, origin, versions }: StoredKey): KeyInfo {
  const newest = versions.at(-1) ?? versions[0];
  return {
    id,
    kind,
    algorithm: kind === 'encryption' ? 'AES-256-GCM' : 'Ed25519',
    origin,
    version: versions.length,
    createdAt: versions[0].createdAt,
    ...(versions.length > 1 && { rotatedAt: newest.createdAt }),
    fingerprint: newest.fingerprint,
    ...(kind === 'signing' && { publicKey: publicPem(newest.key) }),
  };
}
