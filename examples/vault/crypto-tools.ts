import { createHash } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { context, encoded, id, text } from './inputs.js';
import { READS, replying } from './tool-reply.js';
import type { Vault } from './vault.js';
import { VaultError } from './vault-error.js';

const encryptInput = z.strictObject({
  data: text.describe('Text to encrypt'),
  keyId: id.default('default'),
  context,
});
const decryptInput = z.strictObject({ ciphertext: encoded.describe('Starts with "enc1."'), context });
const signInput = z.strictObject({ data: text, keyId: id.default('signing') });
const verifyInput = z.strictObject({
  data: text,
  signature: z.string().max(256).describe('Starts with "sig1."'),
});
const hashInput = z.strictObject({
  data: text,
  algorithm: z.enum(['sha256', 'sha512']).default('sha256'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
});
const tokenizeInput = z.strictObject({
  value: z.string().min(1).max(1_024).describe('The sensitive value, for example a card number'),
  keepLast: z.int().min(0).max(4).default(0).describe('How many of its last characters the token shows'),
});

/** Tools that work with keys and leave the vault as it was. */
export function addCryptoTools(server: McpServer, { keys }: Vault): void {
  server.registerTool(
    'encryptData',
    {
      description: 'Encrypt text with AES-256-GCM and a key of the vault.',
      inputSchema: encryptInput,
      annotations: READS,
    },
    replying(({ data, keyId, context }) => ({ ciphertext: keys.encrypt(keyId, data, context) })),
  );
  server.registerTool(
    'decryptData',
    {
      description: 'Decrypt a ciphertext of this vault; it contains the id of its key.',
      inputSchema: decryptInput,
      annotations: READS,
    },
    replying(({ ciphertext, context }) => ({ data: keys.decrypt(ciphertext, context) })),
  );
  server.registerTool(
    'signData',
    {
      description: 'Sign text with an Ed25519 key of the vault.',
      inputSchema: signInput,
      annotations: READS,
    },
    replying(({ data, keyId }) => ({ signature: keys.sign(keyId, data) })),
  );
  server.registerTool(
    'verifySignature',
    {
      description: 'Check whether a signature of this vault is valid for a text.',
      inputSchema: verifyInput,
      annotations: READS,
    },
    replying(({ data, signature }) => keys.verify(signature, data)),
  );
  server.registerTool(
    'hashData',
    {
      description: 'Compute the SHA-256 or SHA-512 digest of text.',
      inputSchema: hashInput,
      annotations: READS,
    },
    replying(({ data, algorithm, encoding }) => ({
      algorithm,
      digest: createHash(algorithm).update(data).digest(encoding),
    })),
  );
  server.registerTool(
    'tokenizeData',
    {
      description:
        'Replace a sensitive value with a token: equal values have equal tokens, and a token does not reveal its value.',
      inputSchema: tokenizeInput,
      annotations: READS,
    },
    replying(({ value, keepLast }) => ({ token: tokenize(value, keepLast, keys.pseudonym(value)) })),
  );
}

function tokenize(value: string, keepLast: number, pseudonym: string): string {
  if (keepLast === 0) return `tok_${pseudonym}`;
  const characters = [...value];
  if (characters.length < keepLast * 2) {
    throw new VaultError(
      `The value is too short to show ${keepLast} characters of it; use a smaller keepLast.`,
    );
  }
  return `tok_${pseudonym}_${characters.slice(-keepLast).join('')}`;
}
