import { randomBytes } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { id, notBase64, passphrase } from './inputs.js';
import { decodeStrictly } from './sealed-text.js';
import { ADDS, ADDS_ONCE, DESTROYS, READS, replying } from './tool-reply.js';
import type { Vault } from './vault.js';
import { VaultError } from './vault-error.js';

const SALT_BYTES = 16;

const listInput = z.strictObject({});
const generateInput = z.strictObject({
  id: id.optional().describe('Generated if left out'),
  kind: z.enum(['encryption', 'signing']).default('encryption'),
});
const deriveInput = z.strictObject({
  id,
  passphrase,
  salt: z
    .string()
    .max(64)
    .optional()
    .describe('Base64 of 16 bytes, as an earlier derivation returned it; random if left out'),
});
const existingInput = z.strictObject({ id });

/** Adds tools that manage keys. Their results have public metadata, but never a secret. */
export function addKeyTools(server: McpServer, vault: Vault): void {
  const { keys, log } = vault;
  server.registerTool(
    'listKeys',
    {
      description: 'List all keys: id, kind, version and fingerprint, never the key itself.',
      inputSchema: listInput,
      annotations: READS,
    },
    replying(() => ({ keys: keys.list() })),
  );
  server.registerTool(
    'generateKey',
    {
      description: 'Generate a new encryption or signing key inside the vault.',
      inputSchema: generateInput,
      annotations: ADDS,
    },
    replying(({ id = `key-${randomBytes(6).toString('hex')}`, kind }) => {
      const key = keys.generate(id, kind);
      log.record(`Key "${id}" for ${kind} was generated.`);
      return { key };
    }),
  );
  server.registerTool(
    'deriveKey',
    {
      description:
        'Derive an encryption key from a passphrase with scrypt and keep it in the vault; returns the salt, never the key.',
      inputSchema: deriveInput,
      annotations: ADDS_ONCE,
    },
    replying(async ({ id, passphrase, salt }) => {
      const saltBytes =
        salt === undefined ? randomBytes(SALT_BYTES) : decodeStrictly(salt, 'base64', notBase64('salt'));
      if (saltBytes.length !== SALT_BYTES) {
        throw new VaultError(
          `The salt has ${saltBytes.length} bytes instead of ${SALT_BYTES}; pass the salt that an earlier derivation returned, or leave it out.`,
        );
      }
      const before = keys.has(id);
      const key = await keys.derive(id, passphrase, saltBytes);
      if (!before) log.record(`Key "${id}" was derived from a passphrase.`);
      return { key, salt: saltBytes.toString('base64') };
    }),
  );
  server.registerTool(
    'rotateKey',
    {
      description: 'Add a new version to a key; data of older versions can still be decrypted and verified.',
      inputSchema: existingInput,
      annotations: ADDS,
    },
    replying(({ id }) => {
      const key = keys.rotate(id);
      log.record(`Key "${id}" was rotated to version ${key.version}.`);
      return { key };
    }),
  );
  server.registerTool(
    'deleteKey',
    {
      description:
        'Delete a key permanently, which makes data encrypted with it unreadable; fails while the key protects a record.',
      inputSchema: existingInput,
      annotations: DESTROYS,
    },
    replying(({ id }) => {
      vault.deleteKey(id);
      return { deleted: id };
    }),
  );
}
