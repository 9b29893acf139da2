import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { buildSync } from 'esbuild';
import { attachConcerns, attachGate } from '../../../src/core/gate/attach.js';
import { takeKey } from '../../../src/core/gate/whole-list-key.js';
import { createHandler } from '../../../src/core/http/sdk-v1.js';
import { createHandler as createHandlerV2 } from '../../../src/core/http/sdk-v2.js';
import { createFunction } from '../../../src/core/lambda/function.js';
import type { HttpResult } from '../../../src/core/lambda/result.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { type Era, read } from '../../../src/core/wire/messages.js';
import { bridge, shareUpstream } from '../../../src/proxy/isolation.js';
import { SessionProxy } from '../../../src/proxy/sessions/session-proxy.js';
import { ChildTransport } from '../../../src/proxy/wires/child-process.js';
import { httpEvent } from '../../lambda/events.js';
import type { SuitePolicy } from '../mounts.js';
import { LeakyServer } from './leaky-server.js';
import { leakyServerV2 } from './leaky-server-v2.js';

/** A raw client: what it receives is kept as text, whether it is a valid message or not. */
export interface RawClient {
  /** Sends a message, and waits for its answer if it is a request, unless a transport may drop it. */
  send(message: object, waits?: boolean): Promise<void>;
  readonly seen: readonly string[];
  close(): Promise<void>;
}

/** How preferences get to a mount over HTTP. */
export interface HttpPreferences {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

export interface LeakyMount {
  readonly name: string;
  readonly http: boolean;
  readonly era: Era;
  connect(policy: SuitePolicy, instructs: boolean, preferences: HttpPreferences): Promise<RawClient>;
}

type Fetch = (request: Request) => Promise<Response>;

/** Sends each message as a POST of its own, in the session that `initialize` opened. */
function overHttp(
  handle: Fetch,
  { headers = {}, query = '' }: HttpPreferences,
  stop = async (): Promise<void> => undefined,
): RawClient {
  const seen: string[] = [];
  const url = `http://leaks.test/mcp${query}`;
  const accept = { accept: 'application/json, text/event-stream', ...headers };
  const aborter = new AbortController();
  let session: Record<string, string> = {};
  let stream: Promise<void> | undefined;
  /** Messages that belong to no request arrive on a stream of their own, if the mount has one. */
  const listen = async (): Promise<void> => {
    const response = await handle(
      new Request(url, { headers: { ...accept, ...session }, signal: aborter.signal }),
    );
    if (!response.ok || response.body === null) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) seen.push(part.value);
  };
  return {
    seen,
    async send(message) {
      const sent = { ...accept, ...headers, 'content-type': 'application/json', ...session };
      const response = await handle(
        new Request(url, { method: 'POST', headers: sent, body: JSON.stringify(message) }),
      );
      seen.push(JSON.stringify([...response.headers]), await response.text());
      const id = response.headers.get('mcp-session-id');
      if (id === null || 'mcp-session-id' in session) return;
      session = { 'mcp-session-id': id };
      stream = listen().catch(() => undefined);
    },
    async close() {
      await stop();
      aborter.abort();
      await stream;
    },
  };
}

/** Waits until something was received since the message was sent that has its id. */
class Answers {
  readonly seen: string[] = [];
  private readonly waiting = new Map<unknown, () => void>();

  receive(text: string, id: unknown): void {
    this.seen.push(text);
    this.waiting.get(id)?.();
  }

  of(message: object): Promise<void> {
    return new Promise((resolve) => this.waiting.set(read(message, 'id'), resolve));
  }
}

function inMemory({ policy }: SuitePolicy, instructs: boolean): Promise<RawClient> {
  const server = new LeakyServer(instructs);
  // The server is not one of an SDK. What others get from attachConcerns is the same.
  attachGate(server, { policy, opens: takeKey });
  return overTransport((transport) => server.connect(transport));
}

async function overTransport(connect: (transport: Transport) => Promise<void>): Promise<RawClient> {
  const answers = new Answers();
  const transport: Transport = {
    start: async () => undefined,
    close: async () => undefined,
    send: async (message) => {
      answers.receive(JSON.stringify(message), 'method' in message ? undefined : read(message, 'id'));
    },
  };
  await connect(transport);
  return {
    seen: answers.seen,
    async send(message, waits = 'id' in message) {
      const answered = waits ? answers.of(message) : undefined;
      transport.onmessage?.(message as JSONRPCMessage);
      await answered;
    },
    close: async () => undefined,
  };
}

/** Bundled once: a child process cannot run TypeScript. */
function program(): string {
  mkdirSync('build', { recursive: true });
  const outfile = join(mkdtempSync(join(process.cwd(), 'build/leaky-')), 'leaky.mjs');
  const entryPoints = ['test/behavior/leaks/leaky-program.ts'];
  buildSync({ entryPoints, outfile, bundle: true, packages: 'external', platform: 'node', format: 'esm' });
  return outfile;
}
const PROGRAM = program();
const child = (instructs: boolean): [string, string[]] => [
  process.execPath,
  [PROGRAM, instructs ? 'instructs' : 'silent'],
];

async function overStdio({ file }: SuitePolicy, instructs: boolean): Promise<RawClient> {
  const [command, args] = child(instructs);
  const running: ChildProcessWithoutNullStreams = spawn(command, [...args, file]);
  running.stderr.pipe(process.stderr);
  const answers = new Answers();
  let rest = '';
  running.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message: unknown = JSON.parse(line);
      answers.receive(line, read(message, 'method') === undefined ? read(message, 'id') : undefined);
    }
  });
  return {
    seen: answers.seen,
    async send(message, waits = 'id' in message) {
      const answered = waits ? answers.of(message) : undefined;
      running.stdin.write(`${JSON.stringify(message)}\n`);
      await answered;
    },
    async close() {
      const ended = once(running, 'exit');
      running.stdin.end();
      await ended;
    },
  };
}

function overLambda({ policy }: SuitePolicy, instructs: boolean, preferences: HttpPreferences): RawClient {
  const invoke = createFunction({
    server: () => new LeakyServer(instructs),
    policy,
    store: createMemoryStore(),
    env: {},
    log: () => undefined,
    warn: () => undefined,
    response: 'buffered',
  });
  const handle = async (request: Request): Promise<Response> => {
    const event = httpEvent(request.method, await request.text(), {
      headers: Object.fromEntries(request.headers),
      rawQueryString: new URL(request.url).search.slice(1),
    });
    // Nothing of the context is read before the deadline.
    const context = { getRemainingTimeInMillis: () => 60_000, awsRequestId: 'r' };
    const { statusCode, headers, body }: HttpResult = await invoke(event, context as never);
    return new Response(statusCode === 202 ? null : body, { status: statusCode, headers });
  };
  return overHttp(handle, preferences);
}

const overSessions = (proxy: SessionProxy, preferences: HttpPreferences): RawClient =>
  overHttp(
    (request) => proxy.fetch(request),
    preferences,
    () => proxy.close(),
  );

const mount = (name: string, http: boolean, connect: LeakyMount['connect']): LeakyMount => ({
  name,
  http,
  era: 'legacy',
  connect,
});

/** What each request of 2026-07-28 carries. */
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Adds what requests of 2026-07-28 carry to each message, and to the headers that the client sends. */
function modern(client: RawClient, headers: Record<string, string>): RawClient {
  return {
    ...client,
    send(message, waits) {
      const { method, params } = message as { method?: string; params?: Record<string, unknown> };
      const _meta = { ...ENVELOPE, ...(params?._meta as object | undefined) };
      headers['mcp-method'] = method ?? '';
      delete headers['mcp-name'];
      const name = params?.name ?? params?.uri ?? params?.taskId;
      if (typeof name === 'string') headers['mcp-name'] = name;
      return client.send({ ...message, params: { ...params, _meta } }, waits);
    },
  };
}

function inMemoryV2({ policy }: SuitePolicy, instructs: boolean): Promise<RawClient> {
  const server = leakyServerV2(instructs);
  attachConcerns(server, { policy });
  return overTransport((transport) => server.connect(transport as never));
}

const handlerV2 = (policy: SuitePolicy['policy'], instructs: boolean): Fetch =>
  createHandlerV2({ server: () => leakyServerV2(instructs), policy, store: createMemoryStore() });

/** Every way to put the gate in front of a server. */
export const LEAKY_MOUNTS: readonly LeakyMount[] = [
  mount('in memory', false, inMemory),
  mount('stdio', false, overStdio),
  mount('the handler of SDK v1', true, async ({ policy }, instructs, preferences) =>
    overHttp(
      createHandler({ server: () => new LeakyServer(instructs), policy, store: createMemoryStore() }),
      preferences,
    ),
  ),
  mount('sessions of serve', true, async ({ policy }, instructs, preferences) => {
    const proxy = new SessionProxy({
      server: () => new LeakyServer(instructs),
      policy,
      store: createMemoryStore(),
    });
    return overSessions(proxy, preferences);
  }),
  mount('a child process behind serve', true, async ({ policy }, instructs, preferences) => {
    const { connection } = bridge(() => new ChildTransport(...child(instructs)), 'per-session');
    const server = () => connection();
    const proxy = new SessionProxy({ server, policy, store: createMemoryStore() });
    return overSessions(proxy, preferences);
  }),
  mount('a shared child process', true, async ({ policy }, instructs, preferences) => {
    const upstream = shareUpstream(() => new ChildTransport(...child(instructs)));
    const handle = createHandler({ server: () => upstream.server(), policy, store: createMemoryStore() });
    return overHttp(handle, preferences, () => upstream.close());
  }),
  mount('SDK v2 in memory', false, inMemoryV2),
  mount('the handler of SDK v2', true, async ({ policy }, instructs, preferences) =>
    overHttp(handlerV2(policy, instructs), preferences),
  ),
  {
    ...mount('the handler of SDK v2, 2026-07-28', true, async ({ policy }, instructs, { headers, query }) => {
      const sent = { ...headers, 'mcp-protocol-version': '2026-07-28' };
      const url = query === undefined ? {} : { query };
      return modern(overHttp(handlerV2(policy, instructs), { headers: sent, ...url }), sent);
    }),
    era: 'modern',
  },
  {
    ...mount(
      'a shared legacy child process, 2026-07-28',
      true,
      async ({ policy }, instructs, preferences) => {
        const { headers, query } = preferences;
        const upstream = shareUpstream(() => new ChildTransport(...child(instructs)), {
          isLongLived: true,
          isOfOnePerson: true,
        });
        const handle = createHandlerV2({ server: (context) => upstream.make(context), policy });
        const sent = { ...headers, 'mcp-protocol-version': '2026-07-28' };
        const url = query === undefined ? {} : { query };
        const client = overHttp(handle, { headers: sent, ...url }, () => upstream.close());
        return modern(client, sent);
      },
    ),
    era: 'modern',
  },
  mount('Lambda', true, async (policy, instructs, preferences) => overLambda(policy, instructs, preferences)),
];
