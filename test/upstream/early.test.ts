import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  PromptListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { pinsOf } from '../../src/core/engine/pins.js';
import { preparePolicy } from '../../src/core/engine/policy.js';
import { attachGate } from '../../src/core/gate/attach.js';
import { parsePolicy } from '../../src/core/policy/compile/parse.js';
import type { SavedCatalog } from '../../src/proxy/early/start.js';
import { startAtOnce } from '../../src/proxy/early/start-at-once.js';
import { inProcessTransport } from '../../src/proxy/in-process.js';
import { behindOne, bridgeTo } from '../../src/proxy/isolation.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { UpstreamError } from '../../src/proxy/upstream-error.js';
import { policyOf } from '../gate/gate-harness.js';
import { text, textOf } from './several-harness.js';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function createServer(description: string): McpServer {
  const server = new McpServer({ name: 'slow', version: '1' }, { instructions: 'Be patient.' });
  server.registerTool('who', { description }, () => text('here'));
  server.registerTool('same', {}, () => text('as before'));
  server.registerResource('notes', 'data://notes', { description }, ({ href }) => ({
    contents: [{ uri: href, text: 'read' }],
  }));
  return server;
}

/** A server that starts when it is told, and a keeper of what it listed. */
function slow(description = 'one') {
  let start = (): void => undefined;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const transport = () =>
    inProcessTransport(async () => {
      await started;
      return createServer(description);
    });
  return { start, transport };
}

function keeper() {
  let catalog: SavedCatalog | undefined;
  const write = vi.fn((given: SavedCatalog) => {
    catalog = JSON.parse(JSON.stringify(given));
  });
  return { read: () => catalog, write };
}

async function connect(server: { connect(transport: never): Promise<void> }) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(theirs as never);
  const client = new Client({ name: 'host', version: '1' });
  const changes: string[] = [];
  for (const schema of [ToolListChangedNotificationSchema, PromptListChangedNotificationSchema])
    client.setNotificationHandler(schema, ({ method }) => void changes.push(method));
  open.push(() => client.close());
  await client.connect(ours);
  return { client, changes };
}

function earlyBridge(
  transport: () => ReturnType<typeof inProcessTransport>,
  kept: ReturnType<typeof keeper>,
) {
  const bridged = bridgeTo(
    startAtOnce(
      behindOne(transport, 'per-session', { isLongLived: true, isOfOnePerson: true }),
      () => kept,
      false,
    ),
  );
  open.push(() => bridged.close());
  return bridged;
}

function early(transport: () => ReturnType<typeof inProcessTransport>, kept: ReturnType<typeof keeper>) {
  const bridged = earlyBridge(transport, kept);
  return connect(bridged.connection());
}

/** What a server leaves that was up once. */
async function keptOf(description: string) {
  const kept = keeper();
  const { start, transport } = slow(description);
  start();
  await early(transport, kept);
  await expect.poll(() => kept.write.mock.calls.length).toBe(1);
  return kept;
}

describe('a server that was up before', () => {
  it('is listed at once, and a call waits until it is up; equal lists are not announced', async () => {
    const kept = await keptOf('one');
    const { start, transport } = slow('one');
    const { client, changes } = await early(transport, kept);
    expect(client.getInstructions()).toBe('Be patient.');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['who', 'same']);
    const call = client.callTool({ name: 'who' });
    await expect(Promise.race([call, Promise.resolve('waits')])).resolves.toBe('waits');
    start();
    expect(textOf(await call)).toBe('here');
    expect([changes, kept.write.mock.calls.length]).toEqual([[], 1]);
  });

  it('is announced if it lists something else, and no call reaches a definition that nobody was shown', async () => {
    const kept = await keptOf('one');
    const { start, transport } = slow('harmless no more');
    const { client, changes } = await early(transport, kept);
    expect((await client.listTools()).tools[0]?.description).toBe('one');
    const changed = client.callTool({ name: 'who' }).catch(({ message }: Error) => message);
    const same = client.callTool({ name: 'same' });
    start();
    expect(await changed).toContain('changed while its server started');
    expect(textOf(await same)).toBe('as before');
    await expect.poll(() => changes).toEqual(['notifications/tools/list_changed']);
    expect((await client.listTools()).tools[0]?.description).toBe('harmless no more');
    expect(JSON.stringify(kept.read())).toContain('harmless no more');
    expect(textOf(await client.callTool({ name: 'who' }))).toBe('here');
  });

  it('is listed through the gate, which hides what it hides of a server that is up', async () => {
    const kept = await keptOf('one');
    const { transport, start } = slow('one');
    const server = earlyBridge(transport, kept).connection();
    const policy = policyOf(
      'primitives: { tools: { same: {} } }\nsettings: { unmapped: hide, enforcement: enforce }',
    );
    attachGate(server, { policy });
    const { client } = await connect(server);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['same']);
    const hidden = client.callTool({ name: 'who' });
    start();
    expect(textOf(await hidden)).toContain('not found');
  });

  it.each([
    ['one', ['who', 'same'], ['same']],
    ['harmless no more', ['same'], ['who', 'same']],
  ])(
    'shows only definitions that are pinned, if those of "%s" are, before it is up and after',
    async (reviewed, before, after) => {
      const kept = await keptOf('one');
      const pinned = await keptOf(reviewed);
      const { transport, start } = slow('harmless no more');
      const server = earlyBridge(transport, kept).connection();
      const source = 'version: 1\nsettings: { enforcement: enforce }';
      const { compiled } = parsePolicy(new Map([['policy.yaml', source]]));
      if (compiled === undefined) throw new Error('The policy has errors.');
      const pins = pinsOf(JSON.parse(JSON.stringify(pinned.read()?.lists)));
      const policy = preparePolicy({ ...compiled, pins });
      attachGate(server, { policy });
      const { client, changes } = await connect(server);
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      expect(await names()).toEqual(before);
      const read = client.readResource({ uri: 'data://notes' }).catch(({ message }: Error) => message);
      start();
      expect(await read).toEqual(expect.stringMatching(/not found$/));
      await expect.poll(() => changes).toEqual(['notifications/tools/list_changed']);
      expect(await names()).toEqual(after);
    },
  );

  it('is not listed any more when it cannot be started, and can be called when it works again', async () => {
    const kept = await keptOf('one');
    let works = false;
    const { start, transport } = slow('one');
    start();
    const { client, changes } = await early(() => {
      if (!works) throw new UpstreamError('it is gone');
      return transport();
    }, kept);
    await expect.poll(() => changes.length).toBe(2);
    await expect(client.listTools()).rejects.toThrow('it is gone');
    works = true;
    expect(textOf(await client.callTool({ name: 'who' }))).toBe('here');
  });

  it('does not wait for the other of several servers, whose lists come when it is up', async () => {
    const kept = await keptOf('one');
    const [known, unknown] = [slow('one'), slow('two')];
    const several = bridgeSeveral(
      new Map([
        ['known', known.transport],
        ['unknown', unknown.transport],
      ]),
      'per-session',
      { isLongLived: true, isOfOnePerson: true },
      (made, slug) => startAtOnce(made, () => (slug === 'known' ? kept : keeper()), false),
    );
    open.push(() => several.close());
    unknown.start();
    const { client } = await connect(several.connection());
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(['known__who', 'known__same', 'unknown__who', 'unknown__same']);
    const call = client.callTool({ name: 'known__who' });
    expect(textOf(await client.callTool({ name: 'unknown__who' }))).toBe('here');
    known.start();
    expect(textOf(await call)).toBe('here');
  });
});
