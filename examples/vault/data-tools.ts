import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';
import { ALGORITHMS, compress, decompress } from './compression.js';
import { encoded, notBase64, text } from './inputs.js';
import { LIMITS } from './limits.js';
import { REDACTABLE, redact } from './redact.js';
import { decodeStrictly } from './sealed-text.js';
import { READS, replying } from './tool-reply.js';
import { FORMATS, findProblems } from './validate.js';
import { VaultError } from './vault-error.js';

const algorithm = z.enum(ALGORITHMS).default('gzip');

const validateInput = z.strictObject({
  data: text,
  format: z.enum(FORMATS).default('json'),
  requiredFields: z
    .array(z.string().min(1).max(64))
    .max(32)
    .default([])
    .describe('Fields that a JSON object must have'),
});
const redactInput = z.strictObject({
  data: text,
  kinds: z
    .array(z.enum(REDACTABLE))
    .min(1)
    .max(REDACTABLE.length)
    .default([...REDACTABLE]),
});
const compressInput = z.strictObject({ data: text, algorithm });
const decompressInput = z.strictObject({
  data: encoded.describe('Base64'),
  algorithm,
  encoding: z
    .enum(['text', 'base64'])
    .default('text')
    .describe('The encoding of the result; use base64 for binary data'),
});

/** Adds tools that use neither keys nor records. */
export function addDataTools(server: McpServer): void {
  server.registerTool(
    'validateData',
    {
      description: 'Check that text is well-formed JSON, Base64, a UUID, an email address, a URL and so on.',
      inputSchema: validateInput,
      annotations: READS,
    },
    replying(({ data, format, requiredFields }) => {
      const problems = findProblems(data, format, requiredFields);
      return { valid: problems.length === 0, problems };
    }),
  );
  server.registerTool(
    'redactData',
    {
      description:
        'Replace email addresses, card numbers, international phone numbers and IPv4 addresses in text.',
      inputSchema: redactInput,
      annotations: READS,
    },
    replying(({ data, kinds }) => {
      const redaction = redact(data, kinds);
      return { data: redaction.text, found: redaction.found };
    }),
  );
  server.registerTool(
    'compressData',
    { description: 'Compress text; returns Base64.', inputSchema: compressInput, annotations: READS },
    replying(async ({ data, algorithm }) => {
      const before = Buffer.from(data);
      const after = await compress(before, algorithm);
      return { data: after.toString('base64'), bytesBefore: before.length, bytesAfter: after.length };
    }),
  );
  server.registerTool(
    'decompressData',
    {
      description: 'Decompress Base64 of gzip or brotli data.',
      inputSchema: decompressInput,
      annotations: READS,
    },
    replying(async ({ data, algorithm, encoding }) => {
      const packed = decodeStrictly(data, 'base64', notBase64('data'));
      const bytes = await decompress(packed, algorithm, LIMITS.outputBytes);
      return { data: encoding === 'base64' ? bytes.toString('base64') : asText(bytes), bytes: bytes.length };
    }),
  );
}

/** Decodes UTF-8. Other bytes are an error, because they would become replacement characters. */
function asText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new VaultError('The decompressed data is not text; ask for the encoding "base64".');
  }
}
