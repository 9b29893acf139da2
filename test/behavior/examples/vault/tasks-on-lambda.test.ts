import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterEach, expect, it, vi } from 'vitest';
import { createVaultServer, Vault } from '../../../../examples/vault/server.js';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['', true],
  ['mcp', false],
])('has tasks only where its process lasts: function "%s"', async (name, hasTasks) => {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', name === '' ? undefined : name);
  const client = new Client({ name: 'host', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createVaultServer(new Vault()).connect(far);
  await client.connect(near);
  expect(client.getServerCapabilities()?.tasks !== undefined).toBe(hasTasks);
  const { tools } = await client.listTools();
  const task = tools.find((tool) => tool.name === 'reencryptAll');
  expect(task?.execution?.taskSupport).toBe(hasTasks ? 'optional' : undefined);
  await client.close();
});
