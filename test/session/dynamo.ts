import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  type GetItemOutput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { vi } from 'vitest';
import { PATIENCE } from '../patience.js';

/** A DynamoDB in this process. Unlike the real one, it does not delete expired items, and reads are always consistent. */
export interface LocalDynamo {
  readonly endpoint: string;
  /** Returns a client that waits as long as tests do: the table answers from the same process, which may be busy. */
  client(attempts?: number): DynamoDBClient;
  /** Creates a table with the same key as in `serverless.yml`, and returns its name. */
  table(): Promise<string>;
  /** Returns an item of a table, unchanged. */
  item(table: string, id: string): Promise<GetItemOutput['Item']>;
  /** Deletes all items of a table. */
  empty(table: string): Promise<void>;
  /** Returns how many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

/** The account settings that the AWS client requires. */
export const ACCOUNT = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

/** The environment of a program whose calls to a store take as long as they need. */
export const PATIENT = {
  NODE_OPTIONS: `--import=${new URL('patient-program.mjs', import.meta.url).href}`,
};

/**
 * Lets calls to stores in this process take as long as they need: their limits are fractions of a second, and here the database
 * is in the same process, which may be busy.
 *
 * @returns what sets the limits again
 */
export function liftLimits(): () => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  return () => {
    vi.useRealTimers();
    timeout.mockRestore();
  };
}

export async function startDynamo(): Promise<LocalDynamo> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clients: DynamoDBClient[] = [];
  const client = (maxAttempts = 5): DynamoDBClient => {
    const created = new DynamoDBClient({
      ...ACCOUNT,
      endpoint,
      maxAttempts,
      requestHandler: { connectionTimeout: PATIENCE.wait, requestTimeout: PATIENCE.wait },
    });
    clients.push(created);
    return created;
  };
  const admin = client();
  let tables = 0;
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });

  return {
    endpoint,
    client,
    async table() {
      const TableName = `sessions-${++tables}`;
      await admin.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
          KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        }),
      );
      return TableName;
    },
    async empty(TableName) {
      const { Items = [] } = await admin.send(new ScanCommand({ TableName }));
      for (const { id = { S: '' } } of Items)
        await admin.send(new DeleteItemCommand({ TableName, Key: { id } }));
    },
    connections: () => connections,
    async item(TableName, id) {
      return (await admin.send(new GetItemCommand({ TableName, Key: { id: { S: id } } }))).Item;
    },
    async close() {
      for (const each of clients) each.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
