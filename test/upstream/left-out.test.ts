import { Client as ModernClient } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { describe, expect, it, vi } from 'vitest';
import { upstreamLine } from '../../src/cli/serving/upstream-line.js';
import type { UpstreamEvent } from '../../src/core/telemetry/upstream-event.js';
import { read } from '../../src/core/wire/messages.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { policyOf } from '../gate/gate-harness.js';
import { ListingServer, listing, tool } from './listing-server.js';
import { connect, namesOf, newClient, open, textOf } from './several-harness.js';

const LEFT_OUT = 'io.github.mcp-concerns/left-out';
const KINDS = {
  tools: { whole: tool('look'), list: 'listTools' },
  prompts: { whole: { name: 'look' }, list: 'listPrompts' },
  resources: { whole: { uri: 'a://b', name: 'look' }, list: 'listResources' },
  resourceTemplates: { whole: { uriTemplate: 'a://{b}', name: 'look' }, list: 'listResourceTemplates' },
} as const;
const INVALID: readonly (readonly [keyof typeof KINDS, unknown, object])[] = [
  [
    'tools',
    tool('x', { annotations: { readOnlyHint: null } }),
    { name: 'x', at: '/annotations/readOnlyHint' },
  ],
  ['tools', { name: 'x' }, { name: 'x', at: '/inputSchema' }],
  ['tools', { name: 'x', inputSchema: { type: 'string' } }, { name: 'x', at: '/inputSchema/type' }],
  [
    'tools',
    tool('x', { inputSchema: { type: 'object', properties: { p: 1 } } }),
    { name: 'x', at: '/inputSchema/properties/p' },
  ],
  ['tools', tool('x', { description: 7 }), { name: 'x', at: '/description' }],
  ['tools', tool('x', { icons: [{}] }), { name: 'x', at: '/icons/0/src' }],
  ['tools', { inputSchema: { type: 'object' }, uri: 'x' }, { at: '/name' }],
  ['tools', 'x', { at: '' }],
  ['tools', null, { at: '' }],
  ['prompts', { name: 'x', arguments: [{}] }, { name: 'x', at: '/arguments/0/name' }],
  ['prompts', { name: 'x', title: [] }, { name: 'x', at: '/title' }],
  ['resources', { uri: 'x://y', name: 1 }, { name: 'x://y', at: '/name' }],
  ['resources', { uri: 'x://y', name: 'x', size: '1' }, { name: 'x://y', at: '/size' }],
  ['resources', { name: 'x' }, { at: '/uri' }],
  [
    'resourceTemplates',
    { uriTemplate: 'x://{y}', name: 'x', annotations: { audience: ['all'] } },
    { name: 'x://{y}', at: '/annotations/audience/0' },
  ],
];

const servers = (kind: string, whole: unknown, invalid: unknown) => ({
  bad: new ListingServer(listing({ [kind]: [invalid, whole] })).start,
  good: new ListingServer(listing({ [kind]: [whole] })).start,
});

const withoutForms = () => new Client({ name: 'host', version: '1' });

describe('a definition that does not fit the protocol', () => {
  it.each(INVALID)(
    'of %s costs no client of either SDK a list, and is named: %j',
    async (kind, invalid, named) => {
      const { whole, list } = KINDS[kind];
      const client = await connect(servers(kind, whole, invalid));
      const result = await client[list]();
      expect(read(result, kind)).toHaveLength(2);
      expect(read(result, '_meta', LEFT_OUT)).toEqual({ bad: [named] });

      const several = bridgeSeveral(new Map(Object.entries(servers(kind, whole, invalid))), 'per-session');
      const modern = new ModernClient({ name: 'host', version: '1' });
      const { InMemoryTransport } = await import('@modelcontextprotocol/client');
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await several.connection().connect(theirs as never);
      open.push(
        () => several.close(),
        () => modern.close(),
      );
      await modern.connect(ours);
      expect(read(await modern[list](), kind)).toHaveLength(2);
    },
  );

  it('is named in a line for the operator, once, and again when it is another one', async () => {
    const tools: unknown[] = [tool('x', { annotations: { readOnlyHint: null } }), tool('look')];
    const lines: (string | undefined)[] = [];
    const report = (event: UpstreamEvent): void => {
      if (event.leftOut !== undefined) lines.push(`${event.upstream}: ${upstreamLine(event)}`);
    };
    const client = await connect(
      {
        bad: new ListingServer(listing({ tools })).start,
        good: new ListingServer(listing({ tools: [] })).start,
      },
      newClient(),
      undefined,
      undefined,
      report,
    );
    await client.listTools();
    await client.listTools();
    tools[0] = tool('x', { title: 1 });
    await client.listTools();
    tools.shift();
    await client.listTools();
    const others = 'Other servers are not affected.';
    expect(lines).toEqual([
      `bad: the tool "x" is left out, because /annotations/readOnlyHint does not fit the protocol. ${others}`,
      `bad: the tool "x" is left out, because /title does not fit the protocol. ${others}`,
      `bad: none of its tools is left out any more. ${others}`,
    ]);
  });

  it('is one of 20 that are named, of any number', async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({ name: `${'x'.repeat(200)}${at}` }));
    const client = await connect(servers('tools', tool('look'), {}));
    expect(await namesOf(client)).toEqual(['bad__look', 'good__look']);
    const flooded = await connect({
      bad: new ListingServer(listing({ tools: many })).start,
      good: new ListingServer(listing({ tools: [tool('look')] })).start,
    });
    const result = await flooded.listTools();
    expect(result.tools.map(({ name }) => name)).toEqual(['good__look']);
    const found = read(result._meta, LEFT_OUT, 'bad');
    expect(found).toHaveLength(20);
    expect(JSON.stringify(found).length).toBeLessThan(4000);
  });

  it('is told by the tool concerns, and under enforce without its name', async () => {
    const invalid = tool('purge_all', { title: 1 });
    const policy = (mode: string) =>
      policyOf(`settings: { enforcement: ${mode}, panel: on }\nconcerns: { effect: { values: [read] } }`);
    const told = async (mode: string): Promise<string> => {
      const client = await connect(servers('tools', tool('look'), invalid), withoutForms(), policy(mode));
      const listed = JSON.stringify(await client.listTools());
      return `${textOf(await client.callTool({ name: 'concerns', arguments: {} }))} ${listed}`;
    };
    const sentence =
      'Of the server bad, the tool "purge_all" is left out, because /title does not fit the protocol.';
    expect(await told('advisory')).toContain(sentence);
    const enforced = await told('enforce');
    expect(enforced).toContain('Of the server bad, the tool without a name is left out, because /title');
    expect(enforced).not.toContain('purge_all');
  });
});

it('a client of one server gets what that server lists, also what does not fit', async () => {
  const lenient = vi.fn();
  const server = new ListingServer(listing({ tools: [{ name: 'x' }] }));
  const { bridge } = await import('../../src/proxy/isolation.js');
  const one = bridge(server.start, 'per-session');
  open.push(() => one.close());
  const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js');
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  ours.onmessage = lenient;
  await ours.start();
  await one.connection().connect(theirs);
  const send = (message: object) => ours.send({ jsonrpc: '2.0', ...message } as never);
  const clientInfo = { name: 'host', version: '1' };
  await send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  });
  await send({ method: 'notifications/initialized' });
  await send({ id: 2, method: 'tools/list' });
  await expect
    .poll(() => lenient.mock.calls.flat().find((message) => read(message, 'id') === 2))
    .toMatchObject({
      result: { tools: [{ name: 'x' }] },
    });
});
