import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer as McpServerV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport as ServerHttpV1 } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  CallToolResultSchema,
  ElicitRequestSchema,
  ElicitResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import {
  McpServer as McpServerV2,
  WebStandardStreamableHTTPServerTransport as ServerHttpV2,
} from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { attachConcerns } from '../../src/core/gate/attach.js';
import { createHandler as createHandlerV2 } from '../../src/core/http/sdk-v2.js';
import { policyOf } from '../gate/gate-harness.js';

/** What belongs to a request while it runs: progress, a question to the user, its cancellation. */
const policy = policyOf(`
concerns: { tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier } }
primitives: { tools: { secret: { tier: pro } } }
settings: { enforcement: enforce }
`);

const FORM = { message: 'Continue?', requestedSchema: { type: 'object', properties: {} } } as const;
const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: String(value) }] });

/** Resolves with `aborted` when the tool `wait` is cancelled. */
interface Waits {
  started: () => void;
  aborted: () => void;
}

function createServerV1(waits: Waits): McpServerV1 {
  const server = new McpServerV1({ name: 'related', version: '1.0.0' });
  server.registerTool('progress', {}, async ({ _meta, sendNotification }) => {
    const progressToken = _meta?.progressToken ?? '';
    for (const progress of [1, 2]) {
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    return text('done');
  });
  server.registerTool('ask', {}, async ({ sendRequest }) => {
    const { action } = await sendRequest({ method: 'elicitation/create', params: FORM }, ElicitResultSchema);
    return text(action);
  });
  server.registerTool('wait', {}, ({ signal }) => {
    setImmediate(waits.started);
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        waits.aborted();
        resolve(text('late'));
      });
    });
  });
  return server;
}

function createServerV2(waits: Waits): McpServerV2 {
  const server = new McpServerV2({ name: 'related', version: '1.0.0' });
  server.registerTool('progress', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? '';
    for (const progress of [1, 2]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress } });
    }
    return text('done');
  });
  server.registerTool('ask', {}, async ({ mcpReq }) => text((await mcpReq.elicitInput(FORM)).action));
  server.registerTool('wait', {}, ({ mcpReq }) => {
    setImmediate(waits.started);
    return new Promise((resolve) => {
      mcpReq.signal.addEventListener('abort', () => {
        waits.aborted();
        resolve(text('late'));
      });
    });
  });
  return server;
}

const URL_OF = new URL('http://related.test/mcp');

interface Call {
  readonly onprogress?: (progress: { readonly progress: number }) => void;
  readonly signal?: AbortSignal;
}
interface Related {
  call(name: string, options?: Call): Promise<unknown>;
  close(): Promise<void>;
}

const mounts: readonly (readonly [string, boolean, (waits: Waits) => Promise<Related>])[] = [
  [
    'SDK v1 with a session',
    true,
    async (waits) => {
      const server = createServerV1(waits);
      attachConcerns(server, { policy });
      const transport = new ServerHttpV1({ sessionIdGenerator: () => crypto.randomUUID() });
      await server.connect(transport);
      const client = new ClientV1(
        { name: 'client', version: '1' },
        { capabilities: { elicitation: { form: {} } } },
      );
      client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'decline' as const }));
      const fetch = (url: string | URL, init?: RequestInit) =>
        transport.handleRequest(new Request(url, init));
      await client.connect(new HttpV1(URL_OF, { fetch }) as never);
      return {
        call: (name, options = {}) => client.callTool({ name }, CallToolResultSchema, options),
        close: () => client.close(),
      };
    },
  ],
  [
    'SDK v2 with a session',
    true,
    async (waits) => {
      const server = createServerV2(waits);
      attachConcerns(server, { policy });
      const transport = new ServerHttpV2({ sessionIdGenerator: () => crypto.randomUUID() });
      await server.connect(transport);
      const client = new ClientV2(
        { name: 'client', version: '1' },
        { capabilities: { elicitation: { form: {} } } },
      );
      client.setRequestHandler('elicitation/create', async () => ({ action: 'decline' as const }));
      const fetch = (url: string | URL, init?: RequestInit) =>
        transport.handleRequest(new Request(url, init));
      await client.connect(new HttpV2(URL_OF, { fetch }));
      return {
        call: (name, options = {}) => client.callTool({ name }, options),
        close: () => client.close(),
      };
    },
  ],
  [
    'SDK v2, 2026-07-28',
    false,
    async (waits) => {
      const handle = createHandlerV2({ server: () => createServerV2(waits), policy });
      const client = new ClientV2({ name: 'client', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const fetch = (url: string | URL, init?: RequestInit) => handle(new Request(url, init));
      await client.connect(new HttpV2(URL_OF, { fetch }));
      return {
        call: (name, options = {}) => client.callTool({ name }, options),
        close: () => client.close(),
      };
    },
  ],
];

describe.each(mounts)('under enforce, %s', (_name, asks, connect) => {
  const never: Waits = { started: () => undefined, aborted: () => undefined };

  it('delivers the progress of a call', async () => {
    const { call, close } = await connect(never);
    const received: number[] = [];
    const result = await call('progress', { onprogress: ({ progress }) => received.push(progress) });
    expect(result).toMatchObject(text('done'));
    expect(received).toEqual([1, 2]);
    await close();
  });

  // A server of protocol 2026-07-28 cannot send a request, so there is nothing to deliver.
  if (asks) {
    it('delivers what the server asks the user during a call', async () => {
      const { call, close } = await connect(never);
      expect(await call('ask')).toMatchObject(text('decline'));
      await close();
    });
  }

  it('cancels a call at the server', async () => {
    const controller = new AbortController();
    let stop = (): void => undefined;
    const aborted = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const { call, close } = await connect({ started: () => controller.abort(), aborted: () => stop() });
    const called = call('wait', { signal: controller.signal });
    await Promise.all([expect(called).rejects.toThrow(), aborted]);
    await close();
  });

  it('handles calls at the same time', async () => {
    const { call, close } = await connect(never);
    const results = await Promise.all(Array.from({ length: 20 }, () => call('progress')));
    for (const result of results) expect(result).toMatchObject(text('done'));
    await close();
  });
});
