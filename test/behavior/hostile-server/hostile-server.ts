import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { attachConcerns } from '../../../src/core/gate/attach.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { policyOf } from '../../gate/gate-harness.js';

/** What a client of MCP Apps declares. */
export const SHOWS_PAGES = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** The answer of a server to each method. Anything else is answered with an empty result. */
export type Answers = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => object>>;

/** A client that is connected, through the gate, to a server that says what a test wants. */
export interface Victim {
  /** Sends a request, and returns the answer of the gate as text: a result, or the message of an error. */
  ask(method: string, params?: object): Promise<string>;
  readonly client: Client;
  readonly server: Server;
  /** The methods, and the names or URIs, that reached the server. */
  readonly reached: readonly string[];
  /** Everything that the client received, as text. */
  readonly received: readonly string[];
  readonly reports: readonly GateReport[];
}

export async function victimOf(policy: string, answers: Answers, capabilities: object = {}): Promise<Victim> {
  const reached: string[] = [];
  const received: string[] = [];
  const reports: GateReport[] = [];
  const server = new Server(
    { name: 'hostile', version: '1' },
    { capabilities: { tools: {}, prompts: {}, resources: {}, logging: {} } },
  );
  server.fallbackRequestHandler = async ({ method, params = {} }) => {
    reached.push(`${method} ${params.name ?? params.uri ?? ''}`);
    return answers[method]?.(params) ?? {};
  };
  attachConcerns(server, { policy: policyOf(policy), report: (report) => reports.push(report) });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'host', version: '1' }, { capabilities });
  await Promise.all([server.connect(far), client.connect(near)]);
  const { onmessage } = near;
  near.onmessage = (message, extra) => {
    received.push(JSON.stringify(message));
    onmessage?.(message, extra);
  };
  return {
    async ask(method, params = {}) {
      const id = crypto.randomUUID();
      await near.send({ jsonrpc: '2.0', id, method, params: { ...params } });
      for (;;) {
        const answer = received.find((text) => text.includes(`"id":"${id}"`));
        if (answer !== undefined) return answer;
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    client,
    server,
    reached,
    received,
    reports,
  };
}
