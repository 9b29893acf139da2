import { afterAll, beforeAll, it } from 'vitest';
import { createDynamoStore } from '../../src/core/session/dynamodb.js';
import { testSessionStore } from '../../src/core/session/testing.js';
import { PATIENCE } from '../patience.js';
import { stopClock } from './clock.js';
import { type LocalDynamo, startDynamo } from './dynamo.js';
import { type Fault, injectFaults } from './faults.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const advance = stopClock();

it('the DynamoDB store does what every session store must do', async () => {
  await testSessionStore(
    async (options) =>
      createDynamoStore({
        timeoutMs: PATIENCE.wait,
        ...options,
        table: await dynamo.table(),
        client: dynamo.client(),
      }),
    advance,
  );
});

it.each<[string, readonly Fault[]]>([
  ['requests that do not arrive', ['timeout']],
  ['lost answers', ['lost reply']],
  ['throttling', ['throttled']],
  ['errors of the service', ['server error']],
  ['latency', ['latency']],
  ['all of these faults', ['timeout', 'lost reply', 'throttled', 'server error', 'latency']],
])('the DynamoDB store does so with %s', async (_case, faults) => {
  await testSessionStore(async (options) => {
    const client = dynamo.client();
    // The first two attempts of each request fail.
    injectFaults(client, ({ request, attempt }) =>
      attempt < 2 ? faults[(request + attempt) % faults.length] : undefined,
    );
    return createDynamoStore({ timeoutMs: PATIENCE.wait, ...options, table: await dynamo.table(), client });
  }, advance);
});
