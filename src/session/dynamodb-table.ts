import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ATTRIBUTES, type Condition, type SessionItem } from './dynamodb-item.js';

/**
 * Opens a table for the three requests that the store sends. Each can be aborted. The AWS client is loaded by the first request.
 *
 * @param TableName the table's name or ARN
 * @param given the client to use instead of the default one
 * @returns the requests
 */
export function openTable(TableName: string, given: Pick<DynamoDBClient, 'send'> | undefined) {
  let client: Pick<DynamoDBClient, 'send'> | undefined = given;
  const load = async () => {
    // A failed import is not cached, so the next call tries again.
    const { createClient, ...commands } = await import('./dynamodb-client.js');
    client ??= createClient();
    return { client, ...commands };
  };
  const key = (id: string): SessionItem => ({ [ATTRIBUTES.id]: { S: id } });

  return {
    async get(id: string, abortSignal: AbortSignal): Promise<SessionItem | undefined> {
      const { client, GetItemCommand } = await load();
      const command = new GetItemCommand({ TableName, Key: key(id), ConsistentRead: true });
      return (await client.send(command, { abortSignal })).Item;
    },

    /** Sets these attributes, and keeps the others. Returns whether the condition was satisfied. */
    async set(id: string, attributes: SessionItem, condition: Condition, abortSignal: AbortSignal) {
      const { client, UpdateItemCommand } = await load();
      const entries = Object.entries(attributes);
      const command = new UpdateItemCommand({
        TableName,
        Key: key(id),
        UpdateExpression: `SET ${entries.map((_, index) => `#${index} = :${index}`).join(', ')}`,
        ConditionExpression: condition.expression,
        ExpressionAttributeNames: {
          ...Object.fromEntries(entries.map(([name], index) => [`#${index}`, name])),
          ...condition.names,
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(entries.map(([, value], index) => [`:${index}`, value])),
          ...condition.values,
        },
      });
      return succeeded(client.send(command, { abortSignal }));
    },

    /** Replaces the whole item. Returns whether the condition was satisfied. */
    async replace(id: string, attributes: SessionItem, abortSignal: AbortSignal, condition?: Condition) {
      const { client, PutItemCommand } = await load();
      const command = new PutItemCommand({
        TableName,
        Item: { ...key(id), ...attributes },
        ConditionExpression: condition?.expression,
        ExpressionAttributeNames: condition?.names,
        ExpressionAttributeValues: condition?.values,
      });
      return succeeded(client.send(command, { abortSignal }));
    },
  };
}

async function succeeded(sent: Promise<unknown>): Promise<boolean> {
  try {
    await sent;
    return true;
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'ConditionalCheckFailedException') return false;
    throw cause;
  }
}
