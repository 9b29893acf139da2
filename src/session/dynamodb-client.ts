import { DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

export { GetItemCommand, PutItemCommand, UpdateItemCommand };

/**
 * Makes the client that the store uses unless it is given one. This module is imported by the first call to the store:
 * the AWS client is 5 times the rest of the store's code, and a cold start should not wait for it.
 *
 * An attempt that is not answered within a second is given up: DynamoDB answers within some ten milliseconds, and a
 * socket that Lambda froze with its environment never does. The SDK's standard retries follow, with jitter.
 */
export function createClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 500, requestTimeout: 1000, throwOnRequestTimeout: true },
  });
}
