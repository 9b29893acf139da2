import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { expect, it } from 'vitest';
import { attachGate } from '../../src/core/gate/attach.js';
import type { UpstreamServer } from '../../src/core/http/upstream-server.js';
import { inProcessTransport } from '../../src/proxy/in-process.js';
import { bridge } from '../../src/proxy/isolation.js';
import { bridgeSeveral } from '../../src/proxy/several/bridge-several.js';
import { policyOf } from '../gate/gate-harness.js';

/** Names that all three servers have, and that are words in the texts of each. */
const NAMES = ['read', 'drop_table', 'list_all', 'send-mail', 'x'];
const URIS = ['data://a', 'data://b/c', 'data://b'];
const SERVERS = ['one', 'two', 'three'];
const ROUNDS = 40;

const random = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

function createServer(): McpServer {
  const said = `Not ${NAMES.map((name) => `"${name}"`).join(', ')}, nor ${URIS.join(' or ')}`;
  const server = new McpServer({ name: 'same', version: '1' });
  for (const name of NAMES)
    server.registerTool(name, { description: said }, () => ({
      content: [{ type: 'text', text: said }],
      isError: true,
    }));
  for (const uri of URIS) server.registerResource(uri, uri, {}, () => ({ contents: [{ uri, text: said }] }));
  return server;
}

type Shown = { readonly tools: ReadonlySet<string>; readonly resources: ReadonlySet<string> };

/** A policy that shows some primitives of each server, under the names that hosts see. */
function policyFor(
  shown: readonly (readonly [Shown, name: (own: string) => string, uri: (own: string) => string])[],
) {
  const tools = shown.flatMap(([each, name]) => [...each.tools].map((own) => [name(own), {}]));
  const resources = shown.flatMap(([each, , uri]) => [...each.resources].map((own) => [uri(own), {}]));
  const primitives = { tools: Object.fromEntries(tools), resources: Object.fromEntries(resources) };
  return policyOf(`
primitives: ${JSON.stringify(primitives)}
settings: { unmapped: hide, enforcement: enforce }`);
}

/** What a host sees of one server: its lists, and the answers to everything that the server has. */
async function seenBy(client: Client, name: (own: string) => string, uri: (own: string) => string) {
  const { tools } = await client.listTools();
  const { resources } = await client.listResources();
  const called = NAMES.map((own) => client.callTool({ name: name(own) }).then(answerOf, () => UNKNOWN));
  const read = URIS.map((own) => client.readResource({ uri: uri(own) }).then(answerOf, () => UNKNOWN));
  const text = JSON.stringify([await Promise.all(called), await Promise.all(read)]);
  return { tools, resources, text };
}

const UNKNOWN = 'unknown';
/** SDK v1 answers an unknown tool with a result; behind several servers, nobody has the name. */
const answerOf = (result: object): unknown => (/ not found/.test(JSON.stringify(result)) ? UNKNOWN : result);

async function connect(server: UpstreamServer, policy: ReturnType<typeof policyOf>) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  attachGate(server, { policy, upstream: server.behind });
  await server.connect(theirs);
  const client = new Client({ name: 'host', version: '1' });
  await client.connect(ours);
  return client;
}

it('three servers with equal names behind one gate show and hide what each does alone', async () => {
  const below = random(7);
  const open = () => inProcessTransport(createServer);
  let compared = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const some = (all: readonly string[]) => new Set(all.filter(() => below(2) === 0));
    const shown = SERVERS.map(() => ({ tools: some(NAMES), resources: some(URIS) }));
    const outside = SERVERS.map(
      (slug) => [(own: string) => `${slug}__${own}`, (own: string) => `${slug}+${own}`] as const,
    );
    const several = bridgeSeveral(new Map(SERVERS.map((slug) => [slug, open])), 'per-session', {
      isLongLived: true,
      isOfOnePerson: true,
    });
    const all = shown.map(
      (each, at) => [each, outside[at]?.[0] ?? String, outside[at]?.[1] ?? String] as const,
    );
    const together = await connect(several.connection(), policyFor(all));
    for (const [at, each] of shown.entries()) {
      const slug = SERVERS[at] ?? '';
      const [name, uri] = outside[at] ?? [String, String];
      const single = bridge(open, 'per-session', { isLongLived: true, isOfOnePerson: true });
      const alone = await connect(single.connection(), policyFor([[each, String, String]]));
      const [one, other] = [await seenBy(alone, String, String), await seenBy(together, name, uri)];
      const own = other.tools.filter((tool) => tool.name.startsWith(`${slug}__`));
      // Shown siblings are named as hosts call them.
      const inside = (text: string | undefined) => text?.replaceAll(`${slug}__`, '');
      expect(own.map((tool) => [inside(tool.name), inside(tool.description)])).toEqual(
        one.tools.map((tool) => [tool.name, tool.description]),
      );
      const listed = other.resources.filter((each) => each.uri.startsWith(`${slug}+`));
      expect(listed.map((each) => each.uri.replace(`${slug}+`, ''))).toEqual(
        one.resources.map((each) => each.uri),
      );
      expect(other.text.replaceAll(`${slug}+`, '')).toBe(one.text.replaceAll(`${slug}+`, ''));
      compared += 2 * (NAMES.length + URIS.length);
      await alone.close();
      await single.close();
    }
    await together.close();
    await several.close();
  }
  expect(compared).toBe(ROUNDS * SERVERS.length * 16);
});
