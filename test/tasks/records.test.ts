import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import { createMemoryRecords } from '../../src/tasks/records/memory.js';
import { TaskStoreError } from '../../src/tasks/records/record.js';
import { stopClock } from '../session/clock.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { type Fault, injectFaults } from '../session/faults.js';
import { describeRecords, newRecord } from './records-suite.js';
import { createTaskTable } from './table.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());
const advance = stopClock();

describeRecords('records in memory', { open: async () => createMemoryRecords(), advance });

describeRecords('records in DynamoDB', {
  open: async () => createDynamoRecords({ table: await createTaskTable(dynamo), client: dynamo.client() }),
  advance,
});

describe.each<[string, readonly Fault[]]>([
  ['requests that do not arrive', ['timeout']],
  ['lost answers', ['lost reply']],
  ['throttling and errors of the service', ['throttled', 'server error']],
])('with %s', (_case, faults) => {
  describeRecords('records in DynamoDB', {
    open: async () => {
      const client = dynamo.client();
      // The first two attempts of each request fail.
      injectFaults(client, ({ request, attempt }) =>
        attempt < 2 ? faults[(request + attempt) % faults.length] : undefined,
      );
      return createDynamoRecords({ table: await createTaskTable(dynamo), client });
    },
    advance,
  });
});

describe('a table that cannot be used', () => {
  it('rejects with an error that names the table', async () => {
    const records = createDynamoRecords({ table: 'missing', client: dynamo.client() });
    const attempts = [
      () => records.create(newRecord()),
      () => records.get('p#ann', newRecord().id),
      () => records.change('p#ann', newRecord().id, { kind: 'progress', message: 'x' }),
      () => records.list('p#ann', { orderBy: 'createdAt', ascending: true, limit: 1 }),
    ];
    for (const attempt of attempts) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TaskStoreError);
      expect(error).toMatchObject({
        code: 'TASK_STORE_FAILED',
        message: expect.stringContaining('The task table missing cannot be used'),
        cause: { name: 'ResourceNotFoundException' },
      });
    }
  });
});
