import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  McpServer as ServerV1,
  ResourceTemplate as TemplateV1,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  createMcpHandler,
  type McpHttpHandler,
  McpServer as ServerV2,
  ResourceTemplate as TemplateV2,
} from '@modelcontextprotocol/server';
import { afterEach } from 'vitest';
import { type Concerns, createConcerns, type HostPreferences } from '../../src/client/index.js';
import type { Policy } from '../../src/core/engine/policy.js';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { serveLocally } from '../../src/core/http/local.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { type Era, EXTENSION_ID, read } from '../../src/core/wire/messages.js';
import { policyOf } from '../policy/author.js';

/** A policy with every type of concern. `settings` is YAML. */
export const policyWith = (settings = '{}'): Policy =>
  policyOf(`
version: 1
concerns:
  security: { description: How safe it is, values: [low, medium, high] }
  topic: { values: [documents, charts], multiple: true }
  budget: { values: { min: 0, max: 100 } }
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
presets:
  safe: { security: high, budget: 20 }
primitives:
  tools:
    encrypt: { security: high, budget: 10 }
    audit: { security: high, budget: 50 }
    log: { security: [low, medium] }
    draw: { topic: charts }
    open: {}
  prompts:
    review: { security: high }
    note: { security: low }
  resources:
    "vault://keys": { security: high }
    "vault://notes": { security: low }
  resourceTemplates:
    "vault://keys/{id}": { security: high }
    "vault://notes/{id}": { security: low }
settings: ${settings}
`);
export const policy = policyWith();

export const TOOLS = ['encrypt', 'audit', 'log', 'draw', 'open'];
export const SAFE = ['encrypt', 'audit', 'draw', 'open'];

/** The methods that the servers of SDK v1 and v2 share. */
interface Registry {
  registerTool(name: string, config: object, call: () => object): unknown;
  registerPrompt(name: string, config: object, get: () => object): unknown;
  registerResource(name: string, uri: never, config: object, read: () => object): unknown;
}

function fill<S>(server: S, template: (uri: string) => unknown): S {
  const registry = server as Registry;
  for (const name of TOOLS) {
    registry.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `${name} did it` }] }));
  }
  for (const name of ['review', 'note']) {
    registry.registerPrompt(name, {}, () => ({
      messages: [{ role: 'user', content: { type: 'text', text: name } }],
    }));
  }
  for (const name of ['keys', 'notes']) {
    const uri = `vault://${name}`;
    registry.registerResource(name, uri as never, {}, () => ({ contents: [{ uri, text: name }] }));
    registry.registerResource(`${name} by id`, template(`${uri}/{id}`) as never, {}, () => ({
      contents: [{ uri, text: name }],
    }));
  }
  return server;
}

const INFO = { name: 'vault', version: '1.0.0' };
export const serverV1 = (): ServerV1 =>
  fill(new ServerV1(INFO), (uri) => new TemplateV1(uri, { list: undefined }));
export const serverV2 = (): ServerV2 =>
  fill(new ServerV2(INFO), (uri) => new TemplateV2(uri, { list: undefined }));

/** A message that the client sent. */
export interface Message {
  readonly method?: string;
  readonly id?: unknown;
  readonly params?: Record<string, unknown>;
}

/** The preferences in `_meta` of a request. */
export const preferencesIn = (message: Message | undefined): unknown =>
  read(message?.params, '_meta', EXTENSION_ID, 'concerns');

/** A connected host. Its client is of SDK v1 or v2; tests use both in the same way. */
export interface Host {
  readonly client: ClientV1;
  readonly concerns: Concerns<ClientV1>;
  /** The messages that it sent since it was created, or since the test emptied this array. */
  readonly sent: Message[];
  /** The methods of these messages. */
  methods(): string[];
  /** Closes the connection, and connects the same client to a new server of the same type. */
  reconnect(): Promise<void>;
}

export interface HostOptions {
  readonly policy?: Policy | undefined;
  readonly preferences?: HostPreferences;
  /** Whether the transport is wrapped by `concerns.over`. */
  readonly over?: boolean;
  readonly store?: SessionStore | undefined;
}

export interface Link {
  readonly name: string;
  readonly era: Era;
  /** How preferences reach the server. */
  readonly via: 'update' | 'requests';
  connect(options?: HostOptions): Promise<Host>;
}

interface Closing {
  close(): Promise<void>;
}
const open: Closing[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
export const closeLater = <T extends Closing>(each: T): T => {
  open.push(each);
  return each;
};

/** Connects a client over a new transport for each connection, and records the messages that it sends. */
export async function connectHost(
  client: ClientV1 | ClientV2,
  transport: () => Promise<object>,
  { preferences, over = false }: HostOptions = {},
): Promise<Host> {
  const sent: Message[] = [];
  const host = client as ClientV1;
  const concerns = createConcerns(host, preferences === undefined ? {} : { preferences });
  const connect = async (): Promise<void> => {
    const made = (await transport()) as InMemoryTransport;
    const send = made.send.bind(made);
    made.send = (message, options) => {
      sent.push(structuredClone(message) as Message);
      return send(message, options);
    };
    await host.connect(over ? concerns.over(made) : made);
  };
  await connect();
  closeLater(client);
  return {
    client: host,
    concerns,
    sent,
    methods: () => sent.flatMap(({ method }) => method ?? []),
    reconnect: async () => {
      await client.close();
      await connect();
    },
  };
}

/** Returns a function that creates transports to a v1 server in memory. */
export const inMemory =
  (given: Policy | undefined, server: () => ServerV1 = serverV1) =>
  async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const made = server();
    if (given !== undefined) attachConcerns(made, { policy: given });
    await made.connect(far);
    return near;
  };

const NO_POLICY = policyOf('version: 1\nconcerns: {}\n');

async function overHttp(
  { policy: given = policy, store }: HostOptions,
  make: (url: URL) => object,
): Promise<() => Promise<object>> {
  const endpoint = closeLater(await serveLocally({ server: serverV1, policy: given ?? NO_POLICY, store }));
  return async () => make(new URL(endpoint.url));
}

/** A v2 server that supports both eras, without a network. */
export function handlerV2(given: Policy = policy): McpHttpHandler {
  return closeLater(
    createMcpHandler(() => {
      const server = serverV2();
      attachConcerns(server, { policy: given });
      return server;
    }),
  );
}

export const overHandler = (handler: McpHttpHandler) => async () =>
  new HttpV2(new URL('http://vault.test/mcp'), {
    fetch: (url, init) => handler.fetch(new Request(url, init)),
  });

const HOST = { name: 'host', version: '1.0.0' };
export const clientV1 = (): ClientV1 => new ClientV1(HOST);
export const clientV2 = (era: Era): ClientV2 =>
  new ClientV2(HOST, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {});

export const LINKS: readonly Link[] = [
  {
    name: 'v1 client, v1 server in memory',
    era: 'legacy',
    via: 'update',
    connect: async (options = {}) => connectHost(clientV1(), inMemory(options.policy ?? policy), options),
  },
  {
    name: 'v1 client, v1 server over HTTP',
    era: 'legacy',
    via: 'update',
    connect: async (options = {}) => {
      const given = { store: createMemoryStore(), ...options };
      return connectHost(clientV1(), await overHttp(given, (url) => new HttpV1(url)), options);
    },
  },
  {
    name: 'v1 client, v1 server over HTTP without a store',
    era: 'legacy',
    via: 'requests',
    connect: async (options = {}) =>
      connectHost(clientV1(), await overHttp(options, (url) => new HttpV1(url)), options),
  },
  {
    name: 'v2 client, v1 server over HTTP',
    era: 'legacy',
    via: 'update',
    connect: async (options = {}) => {
      const given = { store: createMemoryStore(), ...options };
      return connectHost(clientV2('legacy'), await overHttp(given, (url) => new HttpV2(url)), options);
    },
  },
  {
    name: 'v2 client, v2 server without sessions, 2025-11-25',
    era: 'legacy',
    via: 'requests',
    connect: async (options = {}) =>
      connectHost(clientV2('legacy'), overHandler(handlerV2(options.policy)), options),
  },
  {
    name: 'v2 client, v2 server, 2026-07-28',
    era: 'modern',
    via: 'requests',
    connect: async (options = {}) =>
      connectHost(clientV2('modern'), overHandler(handlerV2(options.policy)), options),
  },
];

export const names = ({ tools }: { readonly tools: readonly { readonly name: string }[] }): string[] =>
  tools.map(({ name }) => name);

/** Waits until a condition holds, for at most ten seconds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !condition(); tries++)
    await new Promise((done) => setTimeout(done, 10));
  if (!condition()) throw new Error('The condition did not hold within ten seconds.');
}

/** Waits long enough to see requests that must not be sent. */
export const quiet = (): Promise<void> => new Promise((done) => setTimeout(done, 60));
