import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { createVaultServer, Vault } from '../../../../examples/vault/server.js';
import { timeRatio } from '../../../growth.js';

const SCRIPT = `
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { createVaultServer } from './examples/vault/server.js';

async function main() {
  const client = new Client({ name: 'test', version: '1' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createVaultServer().connect(serverSide);
  await client.connect(clientSide);
  await client.callTool({ name: 'storeRecord', arguments: { id: 'note', content: 'x' } });
  await client.callTool({ name: 'rotateKey', arguments: { id: 'default' } });
  const params = { name: 'reencryptAll', arguments: {}, task: { ttl: 3600000 } };
  const { task } = await client.request({ method: 'tools/call', params }, CreateTaskResultSchema);
  const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  console.log(JSON.stringify(result.structuredContent));
}
main();
`;

describe('a vault server', () => {
  it('does not keep its process alive, even with a task that expires in an hour', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vault-'));
    try {
      const outfile = join(folder, 'script.cjs');
      const stdin = { contents: SCRIPT, resolveDir: process.cwd(), loader: 'ts' } as const;
      await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'silent' });
      const { stdout } = await promisify(execFile)(process.execPath, [outfile]);
      expect(JSON.parse(stdout)).toEqual({ keyId: 'default', records: 1, reencrypted: 1 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is as cheap to create as a few vaults, so that each request can have its own', async () => {
    const vault = new Vault();
    const fifty = (create: () => unknown) => () => {
      for (let count = 0; count < 50; count += 1) create();
    };
    const server = fifty(() => createVaultServer(vault));
    // A server takes the time of two vaults with their keys. The limit allows for a busy machine.
    expect(
      await timeRatio(
        server,
        fifty(() => new Vault()),
      ),
    ).toBeLessThan(10);
  });

  it('shares its keys with later servers of the same vault only', async () => {
    const vault = new Vault();
    createVaultServer(vault);
    vault.keys.generate('mail', 'encryption');
    expect(new Vault().keys.has('mail')).toBe(false);
    expect(vault.keys.decrypt(vault.keys.encrypt('mail', 'x', ''), '')).toBe('x');
  });
});
