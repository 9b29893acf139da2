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
const pass = stopClock();

describeStore('the DynamoDB store', {
  open: async (options) =>
    createDynamoStore({ ...options, table: await dynamo.table(), client: dynamo.client() }),
  pass,
});

describe.each<[string, readonly Fault[]]>([
  ['requests that do not arrive', ['timeout']],
  ['answers that do not come back', ['lost reply']],
  ['throttling', ['throttled']],
  ['failures of the service', ['server error']],
  ['latency', ['latency']],
  ['all of these', ['timeout', 'lost reply', 'throttled', 'server error', 'latency']],
])('under %s', (_what, faults) => {
  describeStore('the DynamoDB store', {
    open: async (options) => {
      const client = dynamo.client();
      // Each request fails twice, and then works.
      injectFaults(client, ({ request, attempt }) =>
        attempt < 2 ? faults[(request + attempt) % faults.length] : undefined,
      );
      return createDynamoStore({ ...options, table: await dynamo.table(), client });
    },
    pass,
  });
});
