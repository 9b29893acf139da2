import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Policy } from '../../../src/core/engine/policy.js';
import type { FetchHandler, FetchOptions } from '../../../src/core/http/fetch-handler.js';
import { createHandler, type HandlerOptionsV2 } from '../../../src/core/http/sdk-v2.js';
import { createDynamoStore } from '../../../src/core/session/dynamodb.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { PATIENCE } from '../../patience.js';
import { policyFromText } from '../../policy-text.js';
import type { LocalDynamo } from '../../session/dynamo.js';
import { injectFaults, type SentCommand } from '../../session/faults.js';

export type Values = { readonly security?: string | null; readonly topic?: string | null };

const TOPICS = ['a', 'b', 'c', 'd'];
/** Each tool has one value of both concerns, so its name tells when it must be shown. */
const TOOLS = ['low', 'high'].flatMap((security) => TOPICS.map((topic) => ({ security, topic })));
const nameOf = ({ security, topic }: { security: string; topic: string }) => `${security}-${topic}`;

/** @returns the names that preferences must show, worked out without the engine */
export const shownUnder = ({ security, topic }: Values): string[] =>
  TOOLS.filter(
    (tool) => (security ?? tool.security) === tool.security && (topic ?? tool.topic) === tool.topic,
  ).map(nameOf);

export const policyWith = (settings = 'panel: on'): Policy => policyFromText(textWith(settings));

const textWith = (settings: string): string => `
version: 1
concerns:
  security: { values: [low, high], match: exact }
  topic: { values: [${TOPICS.join(', ')}], match: exact }
presets:
  safe: { security: high }
  open: { security: low }
primitives:
  tools:
${TOOLS.map((tool) => `    ${nameOf(tool)}: { security: ${tool.security}, topic: ${tool.topic} }`).join('\n')}
settings: { ${settings} }
`;

export const serverOf = (): McpServer => {
  const server = new McpServer({ name: 'world', version: '1' }, { instructions: 'Use low-a or high-b.' });
  for (const tool of TOOLS) {
    server.registerTool(nameOf(tool), {}, () => ({ content: [{ type: 'text', text: nameOf(tool) }] }));
  }
  return server;
};

export const callerOf = (iss: string | undefined, sub: string | undefined): AuthInfo => ({
  token: 'secret',
  clientId: 'host',
  scopes: [],
  extra: { ...(iss === undefined ? {} : { iss }), ...(sub === undefined ? {} : { sub }) },
});

/** Handlers with clients of their own on one table, as the environments of a function are. */
export async function environments(
  dynamo: LocalDynamo,
  count: number,
  options: Partial<HandlerOptionsV2> = {},
): Promise<{
  readonly handlers: readonly FetchHandler[];
  readonly sent: SentCommand[][];
  readonly table: string;
}> {
  const table = await dynamo.table();
  const clients = Array.from({ length: count }, () => dynamo.client());
  const sent = clients.map((client) => injectFaults(client).sent);
  const policy = policyWith();
  const handlers = clients.map((client) =>
    createHandler({
      server: serverOf,
      policy,
      store: createDynamoStore({ timeoutMs: PATIENCE.wait, table, client }),
      preferences: 'principal',
      ...options,
    }),
  );
  return { handlers, sent, table };
}

const anything = z.looseObject({});

/** A client of one caller. */
export interface Host {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  /** Sends `updateConcerns`. */
  update(concerns: unknown): Promise<Record<string, unknown>>;
  list(params?: object): Promise<Listed>;
  /** The instructions of the server, as the host got them. */
  readonly instructions: string | undefined;
  close(): Promise<void>;
}

export interface Listed {
  readonly names: readonly string[];
  readonly concerns: Readonly<Record<string, unknown>>;
}

export interface HostOptions {
  readonly authInfo?: AuthInfo | undefined;
  readonly given?: FetchOptions;
  /** Preferences that the client sends when it connects. */
  readonly initial?: Values | undefined;
  readonly query?: string;
  readonly capabilities?: object;
}

/**
 * Connects an SDK client. Each of its HTTP requests goes to the handler that `pick` chooses.
 *
 * @param era `legacy` connects SDK v1 with a session, `modern` SDK v2 without one
 */
export async function connect(
  era: 'legacy' | 'modern',
  pick: () => FetchHandler,
  { authInfo, given, initial, query = '', capabilities = {} }: HostOptions,
): Promise<Host> {
  const url = new URL(`http://world.test/mcp${query}`);
  const fetch = (to: string | URL, init?: RequestInit) =>
    pick()(new Request(to, init), { ...given, ...(authInfo === undefined ? {} : { authInfo }) });
  const declared = {
    capabilities: {
      ...capabilities,
      extensions: {
        ...Object(read(capabilities, 'extensions')),
        ...(initial === undefined ? {} : { [EXTENSION_ID]: { concerns: initial } }),
      },
    },
  };
  const send = await connected(era, { url, fetch, declared });
  return {
    request: send.request,
    update: (concerns) => send.request('updateConcerns', { concerns }),
    async list(params = {}) {
      const result = await send.request('tools/list', params);
      const tools = Array.isArray(result.tools) ? result.tools : [];
      const names = tools.map((tool) => String(read(tool, 'name'))).filter((name) => name.includes('-'));
      return { names, concerns: Object(read(result, '_meta', EXTENSION_ID, 'concerns')) };
    },
    instructions: send.instructions,
    close: send.close,
  };
}

interface ClientOptions {
  readonly url: URL;
  readonly fetch: (to: string | URL, init?: RequestInit) => Promise<Response>;
  readonly declared: { readonly capabilities: object };
}

async function connected(era: 'legacy' | 'modern', { url, fetch, declared }: ClientOptions) {
  const info = { name: 'host', version: '1' };
  if (era === 'modern') {
    const client = new ClientV2(info, { ...declared, versionNegotiation: { mode: 'auto' } });
    await client.connect(new HttpV2(url, { fetch }));
    return {
      request: (method: string, params: object = {}) =>
        client.request({ method, params: { ...params } }, anything),
      instructions: client.getInstructions(),
      close: () => client.close(),
    };
  }
  const client = new ClientV1(info, declared);
  // The cast selects one of two declarations of the same interface.
  await client.connect(new HttpV1(url, { fetch }) as Transport);
  return {
    request: (method: string, params: object = {}) =>
      client.request({ method, params: { ...params } }, anything),
    instructions: client.getInstructions(),
    close: () => client.close(),
  };
}
