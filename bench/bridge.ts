import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Policy, preparePolicy } from '../src/core/engine/policy.js';
import { createModernHandler } from '../src/core/http/sdk-v2.js';
import { ListenStreams } from '../src/core/http/streams/listen-streams.js';
import { createMemoryStore } from '../src/core/session/memory.js';
import { EXTENSION_ID, read } from '../src/core/wire/messages.js';
import { bridge } from '../src/proxy/isolation.js';
import { SessionProxy } from '../src/proxy/sessions/session-proxy.js';
import { ChildTransport } from '../src/proxy/wires/child-process.js';
import { compiledFixture, FIXTURE_CONCERNS, fixtureTools } from './fixture.js';
import { type Ratio, ratio } from './measure.js';

const tools = fixtureTools(100);
const SERVER = 'bench/bridge/server.mjs';
const openServer = (): ChildTransport =>
  new ChildTransport(process.execPath, [SERVER], { TOOLS: JSON.stringify(tools) });

function policyUnder(enforcement: 'enforce'): Policy {
  const compiled = compiledFixture(tools);
  return preparePolicy({ ...compiled, settings: { ...compiled.settings, enforcement } });
}

/** A session with a server of its own behind it, of which nothing but the messages is known: the least that a proxy does. */
class PassingServer {
  private readonly child = openServer();

  async connect(client: Transport): Promise<void> {
    client.onmessage = (message) => void this.child.send(message);
    this.child.onmessage = (message) => {
      const id = 'id' in message ? message.id : undefined;
      void client.send(message, id === undefined ? {} : { relatedRequestId: id });
    };
    await this.child.start();
    await client.start();
  }

  close(): Promise<void> {
    return this.child.close();
  }
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const CALL = { name: tools.find(({ annotations }) => annotations.readOnlyHint)?.name, arguments: {} };
const PREFERS = { [EXTENSION_ID]: { concerns: FIXTURE_CONCERNS } };

type Send = (method: string, params: object) => Promise<string>;

/** Posts messages to a handler. Throws an Error for an answer that is not a result. */
function sender(
  handle: (request: Request, body: object) => Promise<Response>,
  own: () => Record<string, string>,
): Send {
  let id = 0;
  return async (method, params) => {
    const name = read(params, 'name');
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...own(),
    };
    const body = { jsonrpc: '2.0', id: ++id, method, params };
    const response = await handle(new Request('http://localhost/mcp', { method: 'POST', headers }), body);
    const text = await response.text();
    if (!text.includes('"result"'))
      throw new Error(`${method} was answered with ${response.status}: ${text}`);
    return text;
  };
}

async function legacyHost(proxy: SessionProxy): Promise<Send> {
  let session: string | null = null;
  const send = sender(
    async (request, parsedBody) => {
      const response = await proxy.fetch(request, { parsedBody });
      session ??= response.headers.get('mcp-session-id');
      return response;
    },
    () => ({
      'mcp-protocol-version': '2025-11-25',
      ...(session === null ? {} : { 'mcp-session-id': session }),
    }),
  );
  const clientInfo = { name: 'bench', version: '1.0.0' };
  await send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  return send;
}

/** Compares a list and a call through the bridge with a proxy that only passes messages, and hosts of both eras. */
export async function bridgeRatios(): Promise<Ratio[]> {
  const policy = policyUnder('enforce');
  const bridged = bridge(openServer, 'per-session', { isLongLived: true, isOfOnePerson: true });
  const [proxy, passing] = [
    new SessionProxy({ server: () => bridged.connection(), policy, store: createMemoryStore() }),
    new SessionProxy({ server: () => new PassingServer(), policy, store: createMemoryStore() }),
  ];
  const streams = new ListenStreams((context) => bridged.make(context));
  const modernHandler = createModernHandler({ server: (context) => bridged.make(context), policy }, streams);
  const modern = sender(
    (request, body) => modernHandler(request, body, {}),
    () => ({ 'mcp-protocol-version': '2026-07-28' }),
  );
  try {
    const [legacy, passed] = [await legacyHost(proxy), await legacyHost(passing)];
    const list = (send: Send, meta = {}) => ({
      work: () => send('tools/list', { _meta: { ...PREFERS, ...meta } }),
      row: 10,
    });
    const call = (send: Send, meta = {}) => ({
      work: () => send('tools/call', { ...CALL, _meta: meta }),
      row: 10,
    });
    return [
      await ratio(
        'a list of a legacy host through the bridge / through a proxy that only passes messages',
        1.05,
        list(legacy),
        list(passed),
      ),
      await ratio('a call of the same / of the same', 1.05, call(legacy), call(passed)),
      await ratio(
        'a list of a modern host of a legacy server / of a legacy host',
        1.3,
        list(modern, META),
        list(legacy),
      ),
      await ratio('a call of the same / of the same', undefined, call(modern, META), call(legacy)),
    ];
  } finally {
    await Promise.all([proxy.close(), passing.close(), streams.close()]);
    await bridged.close();
  }
}
