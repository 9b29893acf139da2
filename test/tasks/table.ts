import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import type { LocalDynamo } from '../session/dynamo.js';

let tables = 0;

/** Creates a table with the keys and the index of the deployment guide, and returns its name. */
export async function createTaskTable(dynamo: LocalDynamo): Promise<string> {
  const TableName = `tasks-${++tables}`;
  await dynamo.client().send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'owner', AttributeType: 'S' },
        { AttributeName: 'id', AttributeType: 'S' },
        { AttributeName: 'updatedAt', AttributeType: 'N' },
      ],
      KeySchema: [
        { AttributeName: 'owner', KeyType: 'HASH' },
        { AttributeName: 'id', KeyType: 'RANGE' },
      ],
      LocalSecondaryIndexes: [
        {
          IndexName: 'byUpdate',
          KeySchema: [
            { AttributeName: 'owner', KeyType: 'HASH' },
            { AttributeName: 'updatedAt', KeyType: 'RANGE' },
          ],
          Projection: {
            ProjectionType: 'INCLUDE',
            NonKeyAttributes: ['tool', 'status', 'message', 'waits', 'createdAt', 'ttlMs', 'expiresAt'],
          },
        },
      ],
    }),
  );
  return TableName;
}
