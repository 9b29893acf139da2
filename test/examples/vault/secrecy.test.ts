import type * as NodeCrypto from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createVaultServer, Vault } from '../../../examples/vault/server.js';

const { secrets } = vi.hoisted(() => ({ secrets: [] as Buffer[] }));

// The vault gives its keys to nobody, so they are caught where they are made.
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof NodeCrypto>();
  return {
    ...original,
    createSecretKey: (bytes: Buffer) => {
      secrets.push(Buffer.from(bytes));
      return original.createSecretKey(bytes);
    },
    generateKeyPairSync: (type: 'ed25519') => {
      const pair = original.generateKeyPairSync(type);
      secrets.push(Buffer.from(pair.privateKey.export({ format: 'jwk' }).d ?? '', 'base64url'));
      return pair;
    },
  };
});

const PASSPHRASE = 'correct horse battery staple';
const sent: string[] = [];
const vault = new Vault();
const client = new Client({ name: 'test', version: '1' });

beforeAll(async () => {
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const send = serverSide.send.bind(serverSide);
  serverSide.send = (message, options) => {
    sent.push(JSON.stringify(message));
    return send(message, options);
  };
  await createVaultServer(vault).connect(serverSide);
  await client.connect(clientSide);
});

afterAll(() => client.close());

async function call(name: string, args: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError, `${name}: ${JSON.stringify(result.content)}`).toBeUndefined();
  return z.record(z.string(), z.unknown()).parse(result.structuredContent);
}

/** Everything that the server can be asked, once. */
async function askEverything(): Promise<Set<string>> {
  const called = new Set<string>();
  const ask = (name: string, args?: Record<string, unknown>) => {
    called.add(name);
    return call(name, args);
  };
  const { ciphertext } = await ask('encryptData', { data: 'x' });
  await ask('decryptData', { ciphertext });
  const { signature } = await ask('signData', { data: 'x' });
  await ask('verifySignature', { data: 'x', signature });
  await ask('hashData', { data: 'x' });
  await ask('tokenizeData', { value: '1234567890', keepLast: 4 });
  await ask('generateKey', { id: 'fresh' });
  await ask('generateKey', { id: 'pen', kind: 'signing' });
  await ask('deriveKey', { id: 'derived', passphrase: PASSPHRASE });
  await ask('rotateKey', { id: 'default' });
  await ask('rotateKey', { id: 'pen' });
  await ask('listKeys');
  await ask('logData', { message: 'x' });
  await ask('validateData', { data: 'x' });
  await ask('redactData', { data: 'x' });
  const { data } = await ask('compressData', { data: 'x' });
  await ask('decompressData', { data });
  await ask('storeRecord', { id: 'note', content: 'x' });
  await ask('fetchRecord', { id: 'note' });
  const { archive } = await ask('backupVault', { passphrase: PASSPHRASE });
  await ask('restoreVault', { archive, passphrase: PASSPHRASE });
  await ask('reencryptAll', { keyId: 'derived' });
  await client.callTool({ name: 'deleteKey', arguments: { id: 'derived' } });
  await client.callTool({ name: 'decryptData', arguments: { ciphertext: `${ciphertext}AAAA` } });
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  for (const { id } of vault.keys.list()) await client.readResource({ uri: `vault://keys/${id}` });
  for (const { name } of (await client.listPrompts()).prompts) {
    await client.getPrompt({ name, arguments: { keyId: 'default', audience: 'x', summary: 'x' } });
  }
  await ask('deleteRecord', { id: 'note' });
  await ask('deleteKey', { id: 'fresh' });
  await ask('readLog', { limit: 100 });
  await ask('clearLog');
  return called;
}

describe('keys', () => {
  it('never leave the vault, whatever is called or read', async () => {
    const called = await askEverything();
    expect([...called].sort()).toEqual((await client.listTools()).tools.map(({ name }) => name).sort());
    // Four that a vault starts with or rotates to, with those above and those of the backup's passphrase.
    expect(secrets.length).toBeGreaterThanOrEqual(10);
    const output = sent.join('\n');
    for (const secret of secrets) {
      expect(secret).toHaveLength(32);
      const forms = [
        secret.toString('hex'),
        secret.toString('base64').replace(/=+$/, ''),
        secret.toString('base64url'),
      ];
      for (const form of forms) expect(output.toLowerCase()).not.toContain(form.toLowerCase());
    }
    expect(output).not.toContain('PRIVATE KEY');
    expect(output).not.toContain(PASSPHRASE);
  });

  it('show in no inspection and no serialisation of the vault', async () => {
    const { inspect } = await import('node:util');
    const shown = [inspect(vault, { depth: 20, showHidden: true }), JSON.stringify(vault)]
      .join('\n')
      .toLowerCase();
    for (const secret of secrets) {
      expect(shown).not.toContain(secret.toString('hex'));
      expect(shown).not.toContain(secret.toString('base64url').toLowerCase());
    }
  });
});
