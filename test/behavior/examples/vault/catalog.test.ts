import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CompleteRequestParams } from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { createVaultServer, Vault } from '../../../../examples/vault/server.js';

let vault: Vault;
let client: Client;

beforeEach(async () => {
  vault = new Vault();
  client = new Client({ name: 'test', version: '1' });
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await createVaultServer(vault).connect(serverSide);
  await client.connect(clientSide);
});

async function complete(ref: CompleteRequestParams['ref'], name: string, value: string): Promise<string[]> {
  return (await client.complete({ ref, argument: { name, value } })).completion.values;
}

async function read(uri: string): Promise<string> {
  const [content] = (await client.readResource({ uri })).contents;
  return content && 'text' in content ? content.text : '';
}

describe('the declaration of the server', () => {
  it('announces changes of every list, completions and tasks', () => {
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
      completions: {},
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
  });

  it('does not name a tool in its instructions or in the description of another tool', async () => {
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const others = tools.filter((tool) => tool.name !== name);
      expect(JSON.stringify([client.getInstructions(), others])).not.toMatch(new RegExp(`\\b${name}\\b`));
    }
  });
});

describe('tools', () => {
  it('are 24 in a stable order, with a description, a closed schema and all annotations', async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(24);
    expect((await client.listTools()).tools).toEqual(tools);
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-z]+(?:[A-Z][a-z]+)+$/);
      expect(tool.description).toMatch(/^[A-Z].{10,140}\.$/);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.annotations).toEqual({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: expect.any(Boolean),
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      });
    }
  });

  it('have annotations that match their behavior', async () => {
    const { tools } = await client.listTools();
    const annotated = (hint: 'readOnlyHint' | 'destructiveHint') =>
      tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name);
    expect(annotated('destructiveHint')).toEqual(['deleteKey', 'clearLog', 'deleteRecord', 'restoreVault']);
    expect(annotated('readOnlyHint')).toEqual([
      ...[
        'encryptData',
        'decryptData',
        'signData',
        'verifySignature',
        'hashData',
        'tokenizeData',
        'listKeys',
      ],
      ...['readLog', 'validateData', 'redactData', 'compressData', 'decompressData', 'fetchRecord'],
    ]);
  });
});

describe('prompts', () => {
  it('include the state of the vault, and their arguments', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([
      'reviewAccess',
      'explainEncryption',
      'incidentReport',
      'planRotation',
    ]);
    vault.log.record('Something odd happened.', 'alert');
    const review = await client.getPrompt({ name: 'reviewAccess', arguments: { keyId: 'signing' } });
    expect(JSON.stringify(review)).toContain('Something odd happened.');
    expect(JSON.stringify(review)).toContain('above all to the key \\"signing\\"');
    const report = await client.getPrompt({ name: 'incidentReport', arguments: { summary: 'A leak.' } });
    expect(JSON.stringify(report)).toContain('Summary: A leak.');
    const explained = await client.getPrompt({
      name: 'explainEncryption',
      arguments: { audience: 'a child' },
    });
    expect(JSON.stringify(explained)).toContain('a child');
    const plan = await client.getPrompt({ name: 'planRotation', arguments: { keyId: 'default' } });
    expect(JSON.stringify(plan)).toContain('vault://keys');
  });

  it('reject a missing argument', async () => {
    await expect(client.getPrompt({ name: 'incidentReport' })).rejects.toThrow('incidentReport');
  });

  it('complete their arguments', async () => {
    vault.keys.generate('archive', 'encryption');
    expect(await complete({ type: 'ref/prompt', name: 'planRotation' }, 'keyId', 'ar')).toEqual(['archive']);
    expect(await complete({ type: 'ref/prompt', name: 'reviewAccess' }, 'keyId', '')).toHaveLength(3);
    expect(await complete({ type: 'ref/prompt', name: 'explainEncryption' }, 'audience', 'd')).toEqual([
      'developer',
    ]);
    expect(await complete({ type: 'ref/prompt', name: 'incidentReport' }, 'severity', 'h')).toEqual(['high']);
  });
});

describe('resources', () => {
  it('are the documents of the vault and its records', async () => {
    vault.records.store(
      { id: 'note', labels: [], content: 'Hello', createdAt: '2026-01-01T00:00:00Z' },
      'default',
    );
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'vault://audit',
      'vault://keys',
      'vault://policy/retention',
      'vault://policy/algorithms',
      'vault://records/note',
    ]);
    for (const { uri } of resources) expect(await read(uri)).not.toBe('');
    expect(await read('vault://records/note')).toBe('Hello');
  });

  it('are announced as changed when a record is stored or deleted', async () => {
    let announced = 0;
    const other = new Client(
      { name: 'test', version: '1' },
      {
        listChanged: {
          resources: {
            autoRefresh: false,
            debounceMs: 0,
            onChanged: () => {
              announced += 1;
            },
          },
        },
      },
    );
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await createVaultServer(vault).connect(serverSide);
    await other.connect(clientSide);
    await other.callTool({ name: 'storeRecord', arguments: { id: 'a', content: '1' } });
    expect(announced).toBe(1);
    await other.callTool({ name: 'storeRecord', arguments: { id: 'a', content: '1' } });
    expect(announced).toBe(1);
    await other.callTool({ name: 'deleteRecord', arguments: { id: 'a' } });
    expect(announced).toBe(2);
  });

  it('contain the public metadata of keys, also by template', async () => {
    expect(JSON.parse(await read('vault://keys'))).toMatchObject({
      keys: [
        { id: 'default', kind: 'encryption', version: 1 },
        { id: 'signing', publicKey: expect.stringContaining('BEGIN PUBLIC KEY') },
      ],
    });
    expect(JSON.parse(await read('vault://keys/default'))).toMatchObject({ id: 'default', records: [] });
  });

  it.each(['vault://keys/nothing', 'vault://records/nothing', 'vault://nothing'])(
    'return the same error for %s as for any unknown URI',
    async (uri) => {
      await expect(client.readResource({ uri })).rejects.toThrow(`Resource ${uri} not found`);
    },
  );

  it('complete ids in templates', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'vault://keys/{id}',
      'vault://records/{id}',
    ]);
    vault.records.store(
      { id: 'note', labels: [], content: '', createdAt: '2026-01-01T00:00:00Z' },
      'default',
    );
    expect(await complete({ type: 'ref/resource', uri: 'vault://keys/{id}' }, 'id', 's')).toEqual([
      'signing',
    ]);
    expect(await complete({ type: 'ref/resource', uri: 'vault://records/{id}' }, 'id', '')).toEqual(['note']);
  });
});
