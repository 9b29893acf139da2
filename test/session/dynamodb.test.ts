import { afterAll, beforeAll, describe } from 'vitest';
import { createDynamoStore } from '../../src/session/dynamodb.js';
import { stopClock } from './clock.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { type Fault, injectFaults } from './faults.js';
import { describeStore } from './store-suite.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const advance = stopClock();

describeStore('the DynamoDB store', {
  open: async (options) =>
    createDynamoStore({ ...options, table: await dynamo.table(), client: dynamo.client() }),
  advance,
});

describe.each<[string, readonly Fault[]]>([
  ['requests that do not arrive', ['timeout']],
  ['lost answers', ['lost reply']],
  ['throttling', ['throttled']],
  ['errors of the service', ['server error']],
  ['latency', ['latency']],
  ['all of these faults', ['timeout', 'lost reply', 'throttled', 'server error', 'latency']],
])('with %s', (_case, faults) => {
  describeStore('the DynamoDB store', {
    open: async (options) => {
      const client = dynamo.client();
      // The first two attempts of each request fail.
      injectFaults(client, ({ request, attempt }) =>
        attempt < 2 ? faults[(request + attempt) % faults.length] : undefined,
      );
      return createDynamoStore({ ...options, table: await dynamo.table(), client });
    },
    advance,
  });
});
