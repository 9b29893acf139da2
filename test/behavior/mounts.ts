import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as MemoryV2 } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { buildSync } from 'esbuild';
import * as z from 'zod';
import type { Policy } from '../../src/core/engine/policy.js';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../src/core/session/memory.js';
import type { Era } from '../../src/core/wire/messages.js';
import { inProcessTransport } from '../../src/proxy/in-process.js';
import { bridge } from '../../src/proxy/isolation.js';
import { serverV1, serverV2 } from './servers.js';

/** A connected client of either SDK, with the methods that both have. */
export interface Connection {
  readonly era: Era;
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  readonly capabilities: Record<string, unknown>;
  /** The methods of received notifications, in order. */
  readonly notified: string[];
  close(): Promise<void>;
}

/** A policy, and the file that it was loaded from. */
export interface SuitePolicy {
  readonly policy: Policy;
  readonly file: string;
}

export interface Mount {
  readonly name: string;
  connect(policy: SuitePolicy | undefined): Promise<Connection>;
}

/** The text of everything that servers of this file sent, without child processes. Tests empty it. */
export const SENT: string[] = [];

/** Keeps the text of every response. */
const recorded =
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const text = await response.text();
    SENT.push(text);
    return new Response(text, { status: response.status, headers: response.headers });
  };

/** Keeps every message that a transport sends. */
function recordedTransport<T extends { send(message: never, options?: never): Promise<void> }>(
  transport: T,
): T {
  const send = transport.send.bind(transport);
  transport.send = (message: never, options?: never) => {
    SENT.push(JSON.stringify(message));
    return send(message, options);
  };
  return transport;
}

const INFO = { name: 'suite', version: '1.0.0' };

async function withV1(connect: (client: ClientV1) => Promise<void>): Promise<Connection> {
  const client = new ClientV1(INFO);
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
  await connect(client);
  return {
    era: 'legacy',
    request: async (method, params = {}) => client.request({ method, params } as never, ResultSchema),
    capabilities: (client.getServerCapabilities() ?? {}) as Record<string, unknown>,
    notified,
    close: () => client.close(),
  };
}

/** Accepts any result: these tests check the messages themselves. */
const anything = z.looseObject({});

async function withV2(era: Era, connect: (client: ClientV2) => Promise<void>): Promise<Connection> {
  const client = new ClientV2(INFO, era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {});
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
  await connect(client);
  return {
    era: client.getNegotiatedProtocolVersion() === '2026-07-28' ? 'modern' : 'legacy',
    request: async (method, params = {}) => client.request({ method, params } as never, anything),
    capabilities: (client.getServerCapabilities() ?? {}) as Record<string, unknown>,
    notified,
    close: () => client.close(),
  };
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
const URL_OF = new URL('http://suite.test/mcp');

function endpointV1(given: SuitePolicy | undefined): Fetch {
  if (given === undefined) return bareV1;
  const { policy } = given;
  const handle = createHandler({ server: serverV1, policy, store: createMemoryStore() });
  return (url, init) => handle(new Request(url, init));
}

const bareV1: Fetch = async (url, init) => {
  const request = new Request(url, init);
  if (request.method !== 'POST') return new Response(null, { status: 405 });
  const server = serverV1();
  const transport = new WebStandardStreamableHTTPServerTransport({});
  await server.connect(transport);
  return transport.handleRequest(request);
};

async function endpointV2(given: SuitePolicy | undefined): Promise<Fetch> {
  if (given !== undefined) {
    const { policy } = given;
    const handle = createHandlerV2({ server: serverV2, policy, store: createMemoryStore() });
    return (url, init) => handle(new Request(url, init));
  }
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const handler = createMcpHandler(serverV2, { maxSubscriptions: 0 });
  return (url, init) => handler.fetch(new Request(url, init));
}

const attached = <S extends Parameters<typeof attachConcerns>[0]>(
  server: S,
  given: SuitePolicy | undefined,
): S => {
  if (given !== undefined) attachConcerns(server, { policy: given.policy });
  return server;
};

/** Bundled once: a child process cannot run TypeScript. */
let program: string | undefined;

/** The path of the bundled server, which is built for the first mount that starts it. */
function stdioServer(): string {
  if (program !== undefined) return program;
  program = join(mkdtempSync(join(process.cwd(), 'build/stdio-')), 'server.mjs');
  buildSync({
    entryPoints: ['test/behavior/stdio-server.ts'],
    outfile: program,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return program;
}

function overStdio(generation: 'v1' | 'v2', given: SuitePolicy | undefined): StdioClientTransport {
  const args = [stdioServer(), generation, ...(given === undefined ? [] : [given.file])];
  return new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' });
}

export const MOUNTS: readonly Mount[] = [
  {
    name: 'SDK v1 McpServer in memory, v1 client',
    connect: (given) =>
      withV1(async (client) => {
        const [near, far] = MemoryV1.createLinkedPair();
        await Promise.all([
          attached(serverV1(), given).connect(recordedTransport(far)),
          client.connect(near),
        ]);
      }),
  },
  {
    name: 'SDK v1 Server in memory, v1 client',
    connect: (given) =>
      withV1(async (client) => {
        const [near, far] = MemoryV1.createLinkedPair();
        const { server } = serverV1();
        attached(server, given);
        await Promise.all([server.connect(recordedTransport(far)), client.connect(near)]);
      }),
  },
  {
    name: 'SDK v1 over HTTP, v1 client',
    connect: (given) =>
      withV1((client) => client.connect(new HttpV1(URL_OF, { fetch: recorded(endpointV1(given)) }) as never)),
  },
  {
    name: 'SDK v1 over HTTP, v2 client',
    connect: (given) =>
      withV2('legacy', (client) =>
        client.connect(new HttpV2(URL_OF, { fetch: recorded(endpointV1(given)) })),
      ),
  },
  {
    name: 'SDK v1 over stdio, v1 client',
    connect: (given) => withV1((client) => client.connect(overStdio('v1', given))),
  },
  {
    name: 'SDK v2 over stdio, v1 client',
    connect: (given) => withV1((client) => client.connect(overStdio('v2', given))),
  },
  {
    name: 'SDK v2 in memory, v2 client',
    connect: (given) =>
      withV2('legacy', async (client) => {
        const [near, far] = MemoryV2.createLinkedPair();
        await Promise.all([
          attached(serverV2(), given).connect(recordedTransport(far)),
          client.connect(near as never),
        ]);
      }),
  },
  {
    name: 'SDK v2 over HTTP, v1 client',
    connect: async (given) => {
      const fetch = recorded(await endpointV2(given));
      return withV1((client) => client.connect(new HttpV1(URL_OF, { fetch }) as never));
    },
  },
  {
    name: 'SDK v2 over HTTP, v2 client, 2025-11-25',
    connect: async (given) => {
      const fetch = recorded(await endpointV2(given));
      return withV2('legacy', (client) => client.connect(new HttpV2(URL_OF, { fetch })));
    },
  },
  {
    name: 'SDK v2 over HTTP, v2 client, 2026-07-28',
    connect: async (given) => {
      const fetch = recorded(await endpointV2(given));
      return withV2('modern', (client) => client.connect(new HttpV2(URL_OF, { fetch })));
    },
  },
];

/** An endpoint in front of a server that speaks only one era. Nothing closes it: everything is in this process. */
function translated(behind: Era, { policy }: SuitePolicy): Fetch {
  const modernOnly = {
    connect: async (transport: unknown) =>
      void serveStdio(serverV2, { legacy: 'reject', transport: transport as never }),
  };
  const open = () => inProcessTransport(() => (behind === 'legacy' ? serverV1() : modernOnly));
  const bridged = bridge(open, 'per-session', { isLongLived: true, isOfOnePerson: true });
  const handle = createHandlerV2({
    server: (context) => bridged.make(context),
    policy,
    store: createMemoryStore(),
  });
  return (url, init) => handle(new Request(url, init));
}

/** Endpoints that translate between the eras of client and server. They have no counterpart without a policy. */
export const TRANSLATED: readonly (Omit<Mount, 'connect'> & {
  connect(policy: SuitePolicy): Promise<Connection>;
})[] = [
  {
    name: 'a server of 2025-11-25 behind a translation, v2 client, 2026-07-28',
    connect: (given) =>
      withV2('modern', (client) =>
        client.connect(new HttpV2(URL_OF, { fetch: recorded(translated('legacy', given)) })),
      ),
  },
  {
    name: 'a server of 2026-07-28 behind a translation, v1 client',
    connect: (given) =>
      withV1((client) =>
        client.connect(new HttpV1(URL_OF, { fetch: recorded(translated('modern', given)) }) as never),
      ),
  },
];
