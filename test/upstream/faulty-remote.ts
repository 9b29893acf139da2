import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a remote server fails. */
export type RemoteFault = 'forgets' | 'restarts' | '404' | '500' | 'nothing' | 'half';

/** A remote MCP server that fails. */
export interface FaultyRemote {
  readonly url: string;
  /** How many sessions were initialized. */
  readonly sessions: () => number;
  /** Whether it fails now. `forgets` ends a session after ten requests, `half` and `500` fail every tenth request. */
  failing: boolean;
  /** Ends the server, and starts it again on the same port without its sessions. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

interface Sent {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly n?: number } };
}

export async function startFaultyRemote(fault: RemoteFault): Promise<FaultyRemote> {
  const known = new Map<string, number>();
  let [initialized, requests] = [0, 0];

  const respond = (response: ServerResponse, { id, method, params }: Sent, session: string): void => {
    const result =
      method === 'initialize'
        ? {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'faulty', version: '1' },
          }
        : method === 'tools/list'
          ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
          : { content: [{ type: 'text', text: String(params?.arguments?.n) }] };
    const event = `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': session });
    if (fault === 'half' && remote.failing && method === 'tools/call' && requests % 10 === 0) {
      response.write(event.slice(0, event.length / 2));
      response.end();
    } else response.end(event);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let text = '';
    for await (const chunk of request) text += chunk;
    const message = JSON.parse(text) as Sent;
    requests++;
    if (remote.failing && fault === 'nothing') return;
    if (remote.failing && fault === '404') return void response.writeHead(404).end('Not found');
    if (remote.failing && fault === '500' && requests % 10 === 0)
      return void response.writeHead(500).end('Oops');
    if (message.method === 'initialize') {
      initialized++;
      const session = randomUUID();
      known.set(session, 0);
      return respond(response, message, session);
    }
    const session = String(request.headers['mcp-session-id']);
    const used = known.get(session);
    if (used === undefined) return void response.writeHead(404).end('Session not found');
    known.set(session, used + 1);
    if (fault === 'forgets' && remote.failing && used >= 10) {
      known.delete(session);
      return void response.writeHead(404).end('Session not found');
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    respond(response, message, session);
  };

  let server: Server = createServer();
  const listen = (port: number): Promise<void> => {
    server = createServer((request, response) => void handle(request, response));
    return new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  };
  const stop = (): Promise<unknown> =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const remote: FaultyRemote = {
    url: `http://127.0.0.1:${port}/mcp`,
    sessions: () => initialized,
    failing: true,
    async restart() {
      await stop();
      known.clear();
      await new Promise((resolve) => setTimeout(resolve, 300));
      await listen(port);
    },
    close: async () => void (await stop()),
  };
  return remote;
}
