import { Client, type Notification, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  SubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import type { FetchHandler } from '../../../src/core/http/fetch-handler.js';
import { listenLocally } from '../../../src/core/http/local.js';
import { byEra, createModernHandler } from '../../../src/core/http/sdk-v2.js';
import { ListenStreams } from '../../../src/core/http/streams/listen-streams.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { inProcessTransport } from '../../../src/proxy/in-process.js';
import { bridge } from '../../../src/proxy/isolation.js';
import { policyOf } from '../../gate/gate-harness.js';

const LEVELS = ['low', 'high'] as const;
const TOOLS = ['a', 'b', 'c', 'd'];
export const TOOLS_CHANGED = 'notifications/tools/list_changed';

/** Hides tools by their level, and those that a rule names. */
export const policyHiding = (hidden: readonly string[] = [], enforcement = 'enforce') =>
  policyOf(`
concerns: { level: { values: [low, high] } }
primitives:
  tools: { ${TOOLS.map((name, index) => `${name}: { level: ${LEVELS[index % 2]} }`).join(', ')} }
  resources: { "r://low": { level: low }, "r://high": { level: high } }
rules: [{ id: closed, hide: [tools], when: { in: [{ var: primitive.name }, [${hidden.join(', ')}]] } }]
settings: { enforcement: ${enforcement}, panel: on }
`);

/** An endpoint in front of a server of the legacy era. Each host says who it is, as if its token had been verified. */
export async function listeningWorld() {
  const live = new LivePolicy(policyHiding());
  const tools = new Set(TOOLS);
  const watched = new Set<string>();
  const server = new Server(
    { name: 'changing', version: '1' },
    { capabilities: { tools: {}, resources: { subscribe: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: [...tools].map((name) => ({ name, inputSchema: { type: 'object' as const } })),
  }));
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({
    resources: LEVELS.map((level) => ({ name: level, uri: `r://${level}` })),
  }));
  server.setRequestHandler(SubscribeRequestSchema, async ({ params }) => {
    watched.add(params.uri);
    return {};
  });
  const bridged = bridge(() => inProcessTransport(() => server), 'shared', {
    isLongLived: true,
    isOfOnePerson: true,
  });
  const store = createMemoryStore();
  const streams = new ListenStreams((context) => bridged.make(context));
  const options = { server: bridged.make, policy: live, store, preferences: 'principal' as const };
  const modern = createModernHandler(options, streams);
  const refuseLegacy: FetchHandler = async () => new Response(null, { status: 405 });
  const endpoint = await listenLocally(
    byEra((request, body, given) => {
      const sub = request.headers.get('x-caller');
      const authInfo = { token: 't', clientId: 'host', scopes: [], extra: { iss: 'https://login', sub } };
      return modern(request, body, sub === null ? given : { ...given, authInfo });
    }, refuseLegacy),
    {},
  );
  const clients: Client[] = [];

  return {
    url: endpoint.url,
    live,
    store,
    watched,
    /** Connects a host. `concerns` is in its URL, and `caller` is who it is. */
    async connect(caller?: string, concerns = '') {
      const client = new Client(
        { name: 'host', version: '1' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      const told: Notification[] = [];
      client.fallbackNotificationHandler = async (notification) => void told.push(notification);
      const headers: Record<string, string> = caller === undefined ? {} : { 'x-caller': caller };
      const url = new URL(`${endpoint.url}${concerns === '' ? '' : `?concerns=${concerns}`}`);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      clients.push(client);
      const names = async () => (await client.listTools()).tools.map(({ name }) => name);
      const changes = () => told.filter(({ method }) => method === TOOLS_CHANGED).length;
      return { caller, concerns, client, told, names, changes };
    },
    /** Changes what the server lists, and announces it. */
    async toggle(tool: string) {
      if (!tools.delete(tool)) tools.add(tool);
      await server.sendToolListChanged();
    },
    touch: (uri: string) => server.sendResourceUpdated({ uri }),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      await streams.close();
      await endpoint.close();
      await bridged.close();
    },
  };
}

/** Waits for what the endpoint sends at once. */
export const settle = (ms = 60) => new Promise((resolve) => setTimeout(resolve, ms));
