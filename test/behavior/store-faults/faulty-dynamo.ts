import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a table does to a store that needs it. */
export const FAULTS = [
  'refuse',
  'hang',
  '500',
  'throttle',
  'half answer',
  'lost answer',
  'lost write',
  'missing table',
  'bad credentials',
] as const;
export type Fault = (typeof FAULTS)[number];

/** A proxy in front of a DynamoDB. */
export interface FaultyDynamo {
  readonly endpoint: string;
  /** Sets the fault of each request from now on; `undefined` for none. */
  fail(fault: Fault | undefined): Promise<void>;
  close(): Promise<void>;
}

/** Errors that the service answers with. */
const ANSWERS: { readonly [F in Fault]?: readonly [status: number, type: string] } = {
  '500': [500, 'InternalServerError'],
  throttle: [400, 'ThrottlingException'],
  'bad credentials': [400, 'UnrecognizedClientException'],
};

/**
 * Starts a proxy that injects faults on the way to a DynamoDB.
 *
 * @param target the URL of the DynamoDB
 */
export async function startFaultyDynamo(target: string): Promise<FaultyDynamo> {
  let fault: Fault | undefined;
  const server = createServer((incoming, outgoing) => {
    forward(target, fault, incoming, outgoing).catch(() => outgoing.destroy());
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  const port = await listen(0);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async fail(next) {
      fault = next;
      // Open connections would not notice that nobody listens any more.
      if (next === 'refuse') await stop();
      else if (!server.listening) await listen(port);
    },
    async close() {
      if (server.listening) await stop();
    },
  };
}

async function forward(
  target: string,
  fault: Fault | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const sent = await text(incoming);
  const isRead = String(incoming.headers['x-amz-target']).endsWith('.GetItem');
  if (fault === 'hang') return;
  const answer = fault === undefined ? undefined : ANSWERS[fault];
  if (answer !== undefined) {
    const [status, type] = answer;
    const body = JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'injected' });
    outgoing.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
    return;
  }
  const body =
    fault === 'missing table' ? sent.replace(/"TableName":"[^"]+"/, '"TableName":"nowhere"') : sent;
  const { 'content-length': _length, ...headers } = incoming.headers;
  const passed = request(target, { method: 'POST', headers: { ...headers, 'content-length': body.length } });
  passed.end(body);
  const [response] = (await once(passed, 'response')) as [IncomingMessage];
  const received = await text(response);
  // The DynamoDB has done what it was asked for.
  if (fault === 'lost answer' || (fault === 'lost write' && !isRead)) return void outgoing.destroy();
  outgoing.writeHead(response.statusCode ?? 500, response.headers);
  if (fault !== 'half answer') return void outgoing.end(received);
  outgoing.write(received.slice(0, Math.floor(received.length / 2)), () => outgoing.destroy());
}
