import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { build } from 'esbuild';
import * as z from 'zod';
import { type LocalEndpoint, listenLocally } from '../../../src/core/http/local.js';
import { createHandler } from '../../../src/core/http/sdk-v1.js';
import { createDynamoStore } from '../../../src/core/session/dynamodb.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { policyFromText } from '../../policy-text.js';
import type { LocalDynamo } from '../../session/dynamo.js';
import type { Fault, FaultyDynamo } from './faulty-dynamo.js';

export const REQUESTS = ['initialize', 'list', 'call', 'update', 'delete'] as const;
export const MODES = ['advisory', 'enforce'] as const;
/** Whether the process has served the session before, or was just started. */
export const STARTS = ['warm', 'cold'] as const;
export type Start = (typeof STARTS)[number];
export type RequestName = (typeof REQUESTS)[number];
export type Mode = (typeof MODES)[number];

/** What a host sees of one request while the table fails, and of the session afterwards. */
export interface Cell {
  readonly fault: Fault;
  readonly request: RequestName;
  readonly mode: Mode;
  readonly start: Start;
  /** Of the longest HTTP request: to connect takes two. */
  readonly ms: number;
  /** What was answered, in a few words. */
  readonly answer: string;
  /** The tools that the session shows while the table fails, if it was a list, and after the table is back. */
  readonly shown: readonly string[];
  readonly afterwards: readonly string[] | 'gone';
  /** Whether more was shown than the person chose, or a hidden tool ran. */
  readonly showsMore: boolean;
  /** Whether the client was told: `store-unavailable`, or an error with a reason. */
  readonly isTold: boolean;
  /** Whether the log of the request has the failed call to the store, with its reason. */
  readonly isLogged: boolean;
}

const policyIn = (mode: Mode) => `version: 1
concerns: { security: { values: [low, medium, high], match: at-least } }
primitives: { tools: { a: { security: low }, b: { security: high }, c: {} } }
settings: { enforcement: ${mode} }
`;
/** All processes of the endpoint can open the ids of its sessions. */
const SECRET = 'secret of the endpoint';
/** Of the preference `high`. */
const FEWER: readonly string[] = ['b', 'c'];

const server = () => {
  const made = new McpServer({ name: 'small', version: '1.0.0' });
  for (const name of ['a', 'b', 'c'])
    made.registerTool(name, {}, () => ({ content: [{ type: 'text', text: `ran ${name}` }] }));
  return made;
};

const anything = z.looseObject({});
type Log = string[];

async function serve(
  mode: Mode,
  store: ReturnType<typeof createDynamoStore>,
  log: Log,
): Promise<LocalEndpoint> {
  const handle = createHandler({ server, policy: policyFromText(policyIn(mode)), store });
  return listenLocally((request, given) => handle(request, { ...given, sessionSecret: SECRET }), {
    log: (entry) => note(entry, log),
  });
}

type Entry = Parameters<NonNullable<Parameters<typeof listenLocally>[1]['log']>>[0];

function note({ storeCalls, reports }: Pick<Entry, 'storeCalls' | 'reports'>, log: Log): void {
  for (const { failed } of storeCalls ?? []) if (failed !== undefined) log.push(failed);
  log.push(...(JSON.stringify(reports).match(/store could not be \w+ \([^)]+\)/g) ?? []));
}

let program: Promise<string> | undefined;

async function bundleProgram(): Promise<string> {
  const outfile = 'build/cold-process.mjs';
  await build({
    entryPoints: ['test/behavior/store-faults/cold-process.ts'],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  return outfile;
}

/** Starts a process that knows no session. */
async function startProcess(mode: Mode, table: string, log: Log): Promise<LocalEndpoint['url']> {
  program ??= bundleProgram();
  const child = spawn(process.execPath, [await program, table, policyIn(mode), SECRET], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Not what a log of the endpoint would have.
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  children.add(child);
  const lines = createInterface(child.stdout);
  const url = await new Promise<string>((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => note(JSON.parse(line), log));
  return url;
}

const children = new Set<ReturnType<typeof spawn>>();

/** A host that prefers something when it connects. */
async function connect(url: string, security: string, took: number[], sessionId?: string) {
  const concerns = { [EXTENSION_ID]: { concerns: { security } } };
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions: concerns } });
  let received = '';
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(sessionId === undefined ? {} : { sessionId }),
    fetch: async (to, init) => {
      const before = performance.now();
      const response = await fetch(to, init);
      if (init?.method === 'POST') received += await response.clone().text();
      // The stream of a GET has no end.
      if (init?.method !== 'GET') took.push(Math.round(performance.now() - before));
      return response;
    },
  });
  await client.connect(transport as never);
  return { client, transport, took, isTold: () => received.includes('store-unavailable') };
}

type Host = Awaited<ReturnType<typeof connect>>;
const ask = ({ client }: Host, method: string, params: object = {}) =>
  client.request({ method, params } as never, anything);

/** What a request was answered with: a result, or an error. */
interface Outcome {
  readonly answer: string;
  readonly isTold: boolean;
  readonly shown: readonly string[];
  readonly ran?: boolean;
}

const REQUEST: { readonly [R in RequestName]: (url: string, host: Host) => Promise<Outcome> } = {
  async initialize(url, host) {
    const opened = await connect(url, 'high', host.took);
    Object.assign(host, opened);
    return { answer: 'a session', isTold: opened.isTold(), shown: [] };
  },
  async list(_url, host) {
    const shown = namesIn(await ask(host, 'tools/list'));
    return { answer: shown.join(' '), isTold: host.isTold(), shown };
  },
  async call(_url, host) {
    const text = JSON.stringify(await ask(host, 'tools/call', { name: 'a', arguments: {} }));
    const ran = text.includes('ran a');
    return { answer: ran ? 'the tool ran' : text, isTold: false, shown: [], ran };
  },
  async update(_url, host) {
    await ask(host, 'updateConcerns', { concerns: { security: 'low' } });
    return { answer: 'updated', isTold: false, shown: [] };
  },
  async delete(_url, { transport }) {
    await transport.terminateSession();
    return { answer: 'ended', isTold: false, shown: [] };
  },
};

const refused = (cause: unknown): Outcome => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return { answer: message, isTold: message.length > 10, shown: [] };
};

/** Makes one request of a session that was narrowed to `high`, while the table fails. */
export async function measure(
  { dynamo, faulty, table }: { dynamo: LocalDynamo; faulty: FaultyDynamo; table: string },
  fault: Fault,
  request: RequestName,
  mode: Mode,
  start: Start,
): Promise<Cell> {
  await faulty.fail(undefined);
  const log: Log = [];
  const first = await serve(mode, createDynamoStore({ table }), log);
  const second = await serve(mode, createDynamoStore({ table, client: dynamo.client() }), []);
  let host: Host = await connect(first.url, 'low', []);
  let url = first.url;
  try {
    await ask(host, 'updateConcerns', { concerns: { security: 'high' } });
    await faulty.fail(fault);
    log.length = 0;
    host.took.length = 0;
    if (start === 'cold') {
      url = await startProcess(mode, table, log);
      await host.client.close();
      // With an id, the client does not initialize.
      host = await connect(url, 'low', host.took, host.transport.sessionId);
    }
    const outcome = await REQUEST[request](url, host).catch(refused);
    const ms = Math.max(...host.took);
    await faulty.fail(undefined);
    const after = await afterwards(second.url, host);
    const mayChange = request === 'update' && /^updated$|may or may not/.test(outcome.answer);
    const seen = [...outcome.shown, ...(mayChange || after === 'gone' ? [] : after)];
    return {
      fault,
      request,
      mode,
      start,
      ms,
      answer: outcome.answer,
      shown: outcome.shown,
      afterwards: after,
      showsMore: seen.some((name) => !FEWER.includes(name)) || (mode === 'enforce' && outcome.ran === true),
      isTold: outcome.isTold,
      isLogged: log.length > 0,
    };
  } finally {
    await host.client.close();
    for (const child of children) child.kill();
    children.clear();
    await Promise.all([first.close(), second.close()]);
  }
}

/** What the session shows in another process, after the table is back. */
async function afterwards(url: string, { transport }: Host): Promise<readonly string[] | 'gone'> {
  const id = transport.sessionId;
  if (id === undefined) return 'gone';
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': id,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  if (response.status === 404) return 'gone';
  return namesIn(read(await response.json(), 'result'));
}

function namesIn(result: unknown): readonly string[] {
  const listed: unknown = read(result, 'tools');
  return Array.isArray(listed) ? listed.map((each) => String(read(each, 'name'))) : [];
}

/**
 * Whether nothing tells of a fault: not the log, or not the client. Under `advisory` a call needs no preferences. An update
 * whose write arrived is what the client asked for. A list and a call only read.
 */
export function isSilent({ fault, request, mode, answer, isTold, isLogged }: Cell): boolean {
  if (fault === 'lost write' && (request === 'list' || request === 'call')) return false;
  const needsNothing = (request === 'call' && mode === 'advisory') || answer === 'updated';
  return !isLogged || (!isTold && !needsNothing);
}
