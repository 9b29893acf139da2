import { DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

export { GetItemCommand, PutItemCommand, UpdateItemCommand };

/**
 * Creates the store's default client. The first call to the store imports this module, because the AWS client is five
 * times as large as the rest of the store's code, and a cold start must not wait for it.
 *
 * An attempt without an answer after a quarter of a second is given up: DynamoDB usually answers within ten milliseconds, and
 * a socket that was frozen with its Lambda environment never answers. The SDK then retries, with jitter.
 */
export async function createClient(): Promise<DynamoDBClient> {
  const client = new DynamoDBClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 250, requestTimeout: 250, throwOnRequestTimeout: true },
  });
  // Another service can have them, so the table is not to blame for the time that this takes.
  await client.config.credentials();
  return client;
}
