import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** A client of SDK v1; one of SDK v2 that speaks only 2026-07-28; and one that finds out what the endpoint speaks. */
export const HOSTS = ['legacy', 'modern', 'auto'] as const;
export type HostKind = (typeof HOSTS)[number];

/** How a host reaches the endpoint: the URL of one, or the command that it starts. */
export type Front = { readonly url: string } | { readonly command: readonly string[] };

/** What both SDKs give to those who call a tool. */
interface CallOptions {
  readonly onprogress?: (progress: { progress: number }) => void;
  readonly signal?: AbortSignal;
}

/** One host with a connection, and what it was told. */
export interface Host {
  readonly client: Pick<ClientV1, 'listTools' | 'getPrompt' | 'readResource' | 'getServerVersion' | 'close'>;
  /** Whether the connection is of 2026-07-28. */
  readonly isModern: boolean;
  readonly logs: string[];
  changes: number;
  call(name: string, given?: object, options?: CallOptions): Promise<{ text: string; isError: boolean }>;
  /** Asks for all messages of the log. A modern host does that in each request. */
  wantLogs(): Promise<unknown>;
}

const read = ({ content, isError }: Record<string, unknown>) => ({
  text: String((content as { text?: string }[])[0]?.text),
  isError: isError === true,
});
const INFO = { name: 'host', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };
const ACCEPTED = { action: 'accept' as const, content: { color: 'blue' } };
const stdioOf = ([command = '', ...args]: readonly string[]) => ({
  command,
  args,
  stderr: 'ignore' as const,
});

async function connectV1(front: Front): Promise<Host> {
  const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
  const host: Host = {
    client,
    isModern: false,
    logs: [],
    changes: 0,
    call: async (name, given = {}, options = {}) =>
      read(await client.callTool({ name, arguments: {}, ...given }, undefined, options)),
    wantLogs: () => client.setLoggingLevel('debug').catch(() => undefined),
  };
  client.setRequestHandler(ElicitRequestSchema, () => ACCEPTED);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    host.logs.push(String(params.data));
  });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    host.changes++;
  });
  await client.connect('url' in front ? new HttpV1(new URL(front.url)) : new StdioV1(stdioOf(front.command)));
  return host;
}

/** @param kind which host connects */
export async function connect(kind: HostKind, front: Front): Promise<Host> {
  if (kind === 'legacy') return connectV1(front);
  const mode = kind === 'modern' ? { pin: '2026-07-28' } : ('auto' as const);
  const told = { changes: 0 };
  const client = new Client(INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode },
    listChanged: { tools: { autoRefresh: false, onChanged: () => void told.changes++ } },
  });
  const logs: string[] = [];
  client.setRequestHandler('elicitation/create', async () => ACCEPTED);
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(String(params.data)));
  await client.connect(
    'url' in front
      ? new StreamableHTTPClientTransport(new URL(front.url))
      : new StdioClientTransport(stdioOf(front.command)),
  );
  const isModern = client.getNegotiatedProtocolVersion() === '2026-07-28';
  // The types of both SDKs name the same members.
  const shared = client as unknown as Host['client'];
  return Object.assign(told, {
    client: shared,
    isModern,
    logs,
    call: async (name: string, given: object = {}, options: CallOptions = {}) =>
      read(await client.callTool({ name, arguments: {}, ...given }, options)),
    wantLogs: async () => (isModern ? undefined : client.setLoggingLevel('debug').catch(() => undefined)),
  });
}
