import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as MemoryV1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { InMemoryTransport as MemoryV2 } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Policy } from '../../../src/core/engine/policy.js';
import { attachConcerns } from '../../../src/core/gate/attach.js';
import { createHandler as createHandlerV2 } from '../../../src/core/http/sdk-v2.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { serverV1, serverV2 } from '../../behavior/servers.js';

/** Accepts any result: these tests look at the messages themselves. */
const anything = z.looseObject({});

/** The answer of a person to a form, or a function that makes it. */
export type Person = (form: {
  message: string;
  requestedSchema: { properties: Record<string, unknown> };
}) => {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
};

export interface Host {
  request(method: string, params?: object): Promise<Record<string, unknown>>;
  readonly notified: string[];
  readonly capabilities: Record<string, unknown>;
}

interface HostOptions {
  readonly policy: Policy;
  /** Answers forms. Without it, the client declares no elicitation. */
  readonly person?: Person;
  readonly capabilities?: Record<string, unknown>;
  /** Whether the endpoint verifies the caller of 2026-07-28, and keeps its preferences. */
  readonly verified?: boolean;
}

/** An SDK v1 client and an SDK v1 server in memory. */
export async function hostV1({ policy, person, capabilities = {} }: HostOptions): Promise<Host> {
  const server = serverV1();
  attachConcerns(server, { policy });
  const client = new ClientV1(
    { name: 'host', version: '1' },
    { capabilities: { ...capabilities, ...(person === undefined ? {} : { elicitation: {} }) } },
  );
  if (person !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => person(params as never));
  }
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
  const [near, far] = MemoryV1.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return {
    request: async (method, params = {}) => client.request({ method, params } as never, anything),
    notified,
    capabilities: (client.getServerCapabilities() ?? {}) as Record<string, unknown>,
  };
}

/** An SDK v2 client: in memory in the legacy era, over HTTP in the modern one. */
export async function hostV2(
  era: 'legacy' | 'modern',
  { policy, person, capabilities = {}, verified = false }: HostOptions,
): Promise<Host> {
  const client = new ClientV2(
    { name: 'host', version: '1' },
    {
      capabilities: { ...capabilities, ...(person === undefined ? {} : { elicitation: { form: {} } }) },
      ...(era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {}),
    },
  );
  if (person !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => person(params as never));
  }
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
  if (era === 'legacy') {
    const server = serverV2();
    attachConcerns(server, { policy });
    const [near, far] = MemoryV2.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near as never)]);
  } else {
    const keeps = verified ? ({ preferences: 'principal', store: createMemoryStore() } as const) : {};
    const handle = createHandlerV2({ server: serverV2, policy, ...keeps });
    const extra = { iss: 'https://login.example', sub: 'ada' };
    const authInfo = { token: 'secret', clientId: 'host', scopes: [], extra };
    const fetch = (url: string | URL, init?: RequestInit) =>
      handle(new Request(url, init), verified ? { authInfo } : {});
    await client.connect(new HttpV2(new URL('http://panel.test/mcp'), { fetch }));
  }
  return {
    request: async (method, params = {}) => client.request({ method, params } as never, anything),
    notified,
    capabilities: (client.getServerCapabilities() ?? {}) as Record<string, unknown>,
  };
}

export const namesOf = (result: Record<string, unknown>, kind: 'tools' | 'prompts'): string[] =>
  (result[kind] as { name: string }[]).map(({ name }) => name);

export const textOf = (result: Record<string, unknown>): string =>
  (result.content as { text: string }[]).map(({ text }) => text).join('\n');
