import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach } from 'vitest';
import type { Policy } from '../../src/core/engine/policy.js';
import { attachGate } from '../../src/core/gate/attach.js';
import type { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import type { Report } from '../../src/core/gate/request/report.js';
import type { UpstreamOptions } from '../../src/proxy/options.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';

/** What a test opened, in the order of opening. */
export const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });

/** Connects a client of SDK v1 to several servers as one. */
export async function connect(
  servers: Readonly<Record<string, () => Transport>>,
  client = newClient(),
  policy?: Policy | LivePolicy,
  report?: Report,
  happened?: UpstreamOptions['report'],
) {
  const several = bridgeSeveral(new Map(Object.entries(servers)), 'per-session', {
    isLongLived: true,
    isOfOnePerson: true,
    report: happened,
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = await several.connection();
  if (policy !== undefined) attachGate(server, { policy, report, upstream: server.behind });
  await server.connect(theirs);
  open.push(
    () => several.close(),
    () => client.close(),
  );
  await client.connect(ours);
  return client;
}

export const newClient = () =>
  new Client({ name: 'host', version: '1' }, { capabilities: { elicitation: { form: {} } } });

export const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
export const textOf = (result: unknown) => JSON.parse(JSON.stringify(result)).content[0].text;
