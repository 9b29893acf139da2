import type * as NodeCrypto from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createVaultServer, Vault } from '../../../../examples/vault/server.js';

const { secrets } = vi.hoisted(() => ({ secrets: [] as Buffer[] }));

// The vault does not return its keys, so this test records them where they are created.
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

/** Calls every tool and reads every resource and prompt. Returns the names of the tools. */
async function useEverything(): Promise<Set<string>> {
  const called = new Set<string>();
  const use = (name: string, args?: Record<string, unknown>) => {
    called.add(name);
    return call(name, args);
  };
  const { ciphertext } = await use('encryptData', { data: 'x' });
  await use('decryptData', { ciphertext });
  const { signature } = await use('signData', { data: 'x' });
  await use('verifySignature', { data: 'x', signature });
  await use('hashData', { data: 'x' });
  await use('tokenizeData', { value: '1234567890', keepLast: 4 });
  await use('generateKey', { id: 'fresh' });
  await use('generateKey', { id: 'pen', kind: 'signing' });
  await use('deriveKey', { id: 'derived', passphrase: PASSPHRASE });
  await use('rotateKey', { id: 'default' });
  await use('rotateKey', { id: 'pen' });
  await use('listKeys');
  await use('logData', { message: 'x' });
  await use('validateData', { data: 'x' });
  await use('redactData', { data: 'x' });
  const { data } = await use('compressData', { data: 'x' });
  await use('decompressData', { data });
  await use('storeRecord', { id: 'note', content: 'x' });
  await use('fetchRecord', { id: 'note' });
  const { archive } = await use('backupVault', { passphrase: PASSPHRASE });
  await use('restoreVault', { archive, passphrase: PASSPHRASE });
  await use('reencryptAll', { keyId: 'derived' });
  await client.callTool({ name: 'deleteKey', arguments: { id: 'derived' } });
  await client.callTool({ name: 'decryptData', arguments: { ciphertext: `${ciphertext}AAAA` } });
  for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
  for (const { id } of vault.keys.list()) await client.readResource({ uri: `vault://keys/${id}` });
  for (const { name } of (await client.listPrompts()).prompts) {
    await client.getPrompt({ name, arguments: { keyId: 'default', audience: 'x', summary: 'x' } });
  }
  await use('deleteRecord', { id: 'note' });
  await use('deleteKey', { id: 'fresh' });
  await use('readLog', { limit: 100 });
  await use('clearLog');
  return called;
}

describe('keys', () => {
  it('are not in the result of any tool, resource or prompt', async () => {
    const called = await useEverything();
    expect([...called].sort()).toEqual((await client.listTools()).tools.map(({ name }) => name).sort());
    // Created at the start, by rotation, by the calls above, and from the passphrase of the backup.
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

  it('are not in the inspection or serialization of the vault', async () => {
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
