import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, it } from 'vitest';
import { attachGate } from '../../src/core/gate/attach.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { policyOf } from '../gate/gate-harness.js';
import { ListingServer, listing, tool } from './listing-server.js';
import { open, text } from './several-harness.js';

it.each([{}, { upstream: undefined }])(
  'a gate knows by itself that a server is several: %j',
  async (given) => {
    const servers = ['one', 'two'].map(
      (slug) =>
        [
          slug,
          new ListingServer(
            listing({ tools: [tool('x')] }, (method) =>
              method === 'tools/call' ? { result: text('ran') } : undefined,
            ),
          ).start,
        ] as const,
    );
    const several = bridgeSeveral(new Map(servers), 'per-session', {
      isLongLived: true,
      isOfOnePerson: true,
    });
    const reports: unknown[] = [];
    const server = several.connection();
    const policy = policyOf('concerns: { effect: { values: [read, write], match: at-most } }\n');
    attachGate(server, { policy, report: (line) => reports.push(line), ...given });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    const client = new Client({ name: 'host', version: '1' });
    open.push(
      () => several.close(),
      () => client.close(),
    );
    await client.connect(ours);
    await client.listTools();
    await client.callTool({ name: 'two__x', arguments: {} });
    expect(reports).toContainEqual(expect.objectContaining({ method: 'tools/call', server: 'two' }));
  },
);
