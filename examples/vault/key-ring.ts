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

/** What the vault tells about a key: never its material, of a signing key the public half. */
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
 * The keys of one vault and everything that needs their material.
 *
 * No method returns a secret, and the fields that hold them are private to the language, so that no serialiser
 * and no inspector reaches them from outside.
 */
export class KeyRing {
  readonly #keys = new Map<string, StoredKey>();
  readonly #pseudonymKey = createSecretKey(randomBytes(32));

  /** Starts with one key of each kind, `default` and `signing`, so that every operation works at once. */
  constructor() {
    this.generate('default', 'encryption');
    this.generate('signing', 'signing');
  }

  generate(id: string, kind: KeyKind): KeyInfo {
    this.#assertFree(id);
    return this.#add({ id, kind, origin: 'generated', versions: [generateMaterial(kind)] });
  }

  /** Deriving the same key again is no error: it is how a caller makes sure that the key is there. */
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
        `Key "${id}" has ${LIMITS.keyVersions} versions, the most that is kept; generate a new key and use that one.`,
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

  /** Refuses an id that names no key for encryption, before any work is begun with it. */
  assertEncrypts(id: string): void {
    this.#find(id, 'encryption');
  }

  /** Encrypts with the newest version of a key. The context is not stored; decryption needs the same one. */
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
        'The ciphertext was changed, or it was made with another key or context; pass it unchanged, with the context that it was encrypted with.',
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

  /** A stable stand-in for a value: equal values give equal pseudonyms, and there is no way back. */
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
        `Key "${key.id}" has no version ${version} in this vault; what another vault made can only be opened there.`,
      );
    }
    return found;
  }

  #assertFree(id: string): void {
    if (this.#keys.has(id)) {
      throw new VaultError(`There is a key "${id}" already; choose another id.`);
    }
    if (this.#keys.size >= LIMITS.keys) {
      throw new VaultError(`The vault holds ${LIMITS.keys} keys, the most it can; delete one first.`);
    }
  }

  #add(key: StoredKey): KeyInfo {
    this.#keys.set(key.id, key);
    return describe(key);
  }
}

/** Additional data of the cipher: a ciphertext relabelled to another key, version or context does not open. */
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
