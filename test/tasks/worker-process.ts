import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { createTaskWorker } from '../../src/tasks/durable/worker.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import { definitions } from './demo-tasks.js';

/** One invocation of the worker: the event on stdin, the answer as the last line of stdout. */
const { TASK_TABLE = '', DYNAMO_ENDPOINT = '', LAMBDA_ENDPOINT = '' } = process.env;
const account = { region: 'eu-central-1', credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
const worker = createTaskWorker({
  definitions,
  records: createDynamoRecords({
    table: TASK_TABLE,
    client: new DynamoDBClient({ ...account, endpoint: DYNAMO_ENDPOINT }),
  }),
  client: new LambdaClient({ ...account, endpoint: LAMBDA_ENDPOINT }),
});
const context = { awsRequestId: 'request', functionName: 'tasks', getRemainingTimeInMillis: () => 60_000 };
const answer = await worker(JSON.parse(await text(process.stdin)), context);
// Ends when the answer is written: an exit at once would cut a long one.
process.stdout.write(`\n${JSON.stringify(answer)}\n`, () => process.exit(0));
