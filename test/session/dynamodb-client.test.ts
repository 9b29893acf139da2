import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoStore } from '../../src/core/session/dynamodb.js';
import type { SessionStore } from '../../src/core/session/store.js';
import { ACCOUNT, type LocalDynamo, startDynamo } from './dynamo.js';

let dynamo: LocalDynamo;
const open: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];

beforeAll(async () => {
  dynamo = await startDynamo();
  vi.stubEnv('AWS_REGION', ACCOUNT.region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCOUNT.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', ACCOUNT.credentials.secretAccessKey);
});
beforeEach(() => {
  // On a busy machine, a call takes longer than the store waits. What is tested are the limits of the client.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  }
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await dynamo.close();
});

/** A network in front of DynamoDB. A connection that `handle` does not pipe gets no answer. */
async function network(handle: (socket: Socket, connection: number) => void): Promise<void> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    handle(socket, connections++);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push({ server, sockets });
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
const pipeToDynamo = (socket: Socket): void => {
  const upstream = connect(Number(new URL(dynamo.endpoint).port), '127.0.0.1');
  upstream.on('error', () => socket.destroy());
  socket.on('close', () => upstream.destroy());
  socket.pipe(upstream).pipe(socket);
};

/** A call fails if the machine is so busy that each attempt takes longer than the client waits. */
const update = (store: SessionStore, change = {}) => store.update('a', change).catch(String);
const read = (store: SessionStore) => store.read('a').catch(String);

describe('the default client', () => {
  it('reads region, credentials and endpoint from the environment', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamo.endpoint);
    const store = createDynamoStore({ table: await dynamo.table() });
    await expect.poll(() => update(store, { concerns: { security: 'high' } })).toBe('stored');
    await expect
      .poll(() => read(store))
      .toEqual({ state: 'live', record: { concerns: { security: 'high' } } });
  });

  it('retries on a new connection if one does not answer within a second', async () => {
    await network((socket, connection) => connection > 0 && pipeToDynamo(socket));
    const store = createDynamoStore({ table: await dynamo.table() });
    await expect.poll(() => update(store)).toBe('stored');
    await expect.poll(() => read(store)).toEqual({ state: 'live', record: {} });
  });

  it('retries if a connection closes in the middle of an answer', async () => {
    await network((socket, connection) => {
      if (connection > 0) return pipeToDynamo(socket);
      socket.once('data', () =>
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{', () => socket.destroy()),
      );
    });
    const store = createDynamoStore({ table: await dynamo.table() });
    await expect.poll(() => update(store)).toBe('stored');
  });

  it('rejects after the timeout if no connection answers', async () => {
    vi.restoreAllMocks();
    await network(() => undefined);
    await expect(createDynamoStore({ table: 'any', timeoutMs: 300 }).read('a')).rejects.toThrow(
      'did not answer within 300 ms',
    );
  });

  it('rejects if the connection is refused', async () => {
    await network(() => undefined);
    for (const { server } of open) server.close();
    await expect(createDynamoStore({ table: 'any' }).read('a')).rejects.toMatchObject({
      name: 'DynamoStoreError',
      cause: { code: 'ECONNREFUSED' },
    });
    open.length = 0;
  });
});
