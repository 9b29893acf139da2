import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { placeholders, unlessConditionFailed } from './dynamodb-expressions.js';
import type { Condition, SessionItem } from './dynamodb-item.js';
import { lazyClient } from './lazy-client.js';

/** The table of a store. */
export interface SessionTable {
  /** Loads the client, and what it needs for its first request. */
  readonly load: () => Promise<unknown>;
  get(id: string, abortSignal: AbortSignal): Promise<SessionItem | undefined>;
  /** Sets these attributes, and keeps the others. Returns whether the condition was satisfied. */
  set(id: string, attributes: SessionItem, condition: Condition, abortSignal: AbortSignal): Promise<boolean>;
  /** Replaces the whole item. Returns whether the condition was satisfied. */
  replace(
    id: string,
    attributes: SessionItem,
    abortSignal: AbortSignal,
    condition?: Condition,
  ): Promise<boolean>;
}

/**
 * Opens a table for the three requests that the store sends. Each can be aborted. The AWS client is loaded by the first request.
 *
 * @param TableName the table's name or ARN
 * @param given the client to use instead of the default one
 * @returns the requests
 */
export function openTable(TableName: string, given: Pick<DynamoDBClient, 'send'> | undefined): SessionTable {
  const load = lazyClient(given, () => import('./dynamodb-client.js'));
  const key = (id: string): SessionItem => ({ id: { S: id } });

  return {
    load,
    async get(id: string, abortSignal: AbortSignal): Promise<SessionItem | undefined> {
      const { client, GetItemCommand } = await load();
      const command = new GetItemCommand({ TableName, Key: key(id), ConsistentRead: true });
      return (await client.send(command, { abortSignal })).Item;
    },

    async set(id: string, attributes: SessionItem, condition: Condition, abortSignal: AbortSignal) {
      const { client, UpdateItemCommand } = await load();
      const used = placeholders();
      const assigned = Object.entries(attributes).map(([name, value]) => used.is(name, '=', value));
      const command = new UpdateItemCommand({
        TableName,
        Key: key(id),
        UpdateExpression: `SET ${assigned.join(', ')}`,
        ConditionExpression: condition(used),
        ...used.parameters(),
      });
      return succeeded(client.send(command, { abortSignal }));
    },

    async replace(id: string, attributes: SessionItem, abortSignal: AbortSignal, condition?: Condition) {
      const { client, PutItemCommand } = await load();
      const used = placeholders();
      const command = new PutItemCommand({
        TableName,
        Item: { ...key(id), ...attributes },
        ...(condition && { ConditionExpression: condition(used), ...used.parameters() }),
      });
      return succeeded(client.send(command, { abortSignal }));
    },
  };
}

const succeeded = async (sent: Promise<unknown>): Promise<boolean> =>
  (await sent.then(() => true, unlessConditionFailed)) === true;
