import { BatchWriteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toItem } from '../../src/tasks/dynamodb/item.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import { createMemoryRecords } from '../../src/tasks/records/memory.js';
import { newTaskId } from '../../src/tasks/records/owner.js';
import type {
  TaskQuery,
  TaskRecord,
  TaskRecords,
  TaskState,
  TaskStatus,
  TaskSummary,
} from '../../src/tasks/records/record.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { describeManyTasks } from './many-tasks-suite.js';
import { newRecord } from './records-suite.js';
import { createTaskTable } from './table.js';

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

const NOW = Date.now();
const STATUSES: readonly TaskStatus[] = ['open', 'completed', 'tool_error', 'failed', 'cancelled'];
const TOOLS = ['report', 'quick', 'ask'];

/** A record in the state that a test wants, with times relative to now. */
function recordAt(created: number, updated: number, rest: Partial<TaskRecord>): TaskRecord {
  const createdAt = NOW - 100_000 + created;
  return newRecord({ id: newTaskId(createdAt), createdAt, updatedAt: createdAt + updated, ...rest });
}

/** Writes records as they are, also ended ones. */
async function writeAll(table: string, records: readonly TaskRecord[]): Promise<void> {
  const client = dynamo.client();
  for (let from = 0; from < records.length; from += 25) {
    const puts = records.slice(from, from + 25).map((record) => ({ PutRequest: { Item: toItem(record) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: puts } }));
  }
}

/** Walks all pages. */
async function walk(records: TaskRecords, owner: string, query: TaskQuery) {
  const tasks: TaskSummary[] = [];
  let pages = 0;
  for (let after = query.after; ; ) {
    const page = await records.list(owner, after === undefined ? query : { ...query, after });
    pages += 1;
    tasks.push(...page.tasks);
    expect(page.tasks.length).toBeLessThanOrEqual(query.limit);
    if (page.next === undefined) return { tasks, pages };
    after = page.next;
  }
}

const record = fc
  .record({
    created: fc.nat(30),
    updated: fc.nat(30),
    status: fc.constantFrom(...STATUSES),
    waits: fc.nat(2),
    tool: fc.constantFrom(...TOOLS),
    expired: fc.boolean(),
  })
  .map(({ created, updated, expired, ...rest }) =>
    recordAt(created, updated, { ...rest, ...(expired ? { expiresAt: Math.floor(NOW / 1000) - 10 } : {}) }),
  );
const bound = fc.option(
  fc.integer({ min: -1, max: 61 }).map((time) => NOW - 100_000 + time),
  { nil: undefined },
);
const query = fc.record(
  {
    orderBy: fc.constantFrom('createdAt' as const, 'updatedAt' as const),
    ascending: fc.boolean(),
    limit: fc.integer({ min: 1, max: 7 }),
    states: fc.uniqueArray(
      fc.constantFrom<TaskState>(
        'working',
        'input_required',
        'completed',
        'tool_error',
        'failed',
        'cancelled',
      ),
    ),
    tools: fc.uniqueArray(fc.constantFrom(...TOOLS, 'other')),
    createdAfter: bound,
    createdBefore: bound,
    updatedAfter: bound,
    updatedBefore: bound,
  },
  { requiredKeys: ['orderBy', 'ascending', 'limit'] },
);

/** The query without members that are `undefined`. */
const clean = (value: object): TaskQuery => JSON.parse(JSON.stringify(value));

describe('lists of tasks', () => {
  it('are the same in memory and in DynamoDB, for every query', async () => {
    let runs = 0;
    const table = await createTaskTable(dynamo);
    const stored = createDynamoRecords({ table, client: dynamo.client() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 15 }),
        fc.array(query, { minLength: 1, maxLength: 8 }),
        async (made, queries) => {
          // One table for all runs: creating one takes half a second.
          const owner = `p#${++runs}`;
          const records = made.map((each) => ({ ...each, owner }));
          const memory = createMemoryRecords();
          await writeAll(table, records);
          for (const each of records) await memory.create(each);
          for (const each of queries.map(clean)) {
            const ids = [...records.slice(0, 9).map(({ id }) => id), newTaskId(NOW), 'x'];
            for (const query of [each, { ...each, ids }]) {
              const [found, expected] = [await walk(stored, owner, query), await walk(memory, owner, query)];
              // DynamoDB does not say in which order an index has entries with the same time.
              const times = ({ tasks }: typeof found) => tasks.map((task) => task[query.orderBy]);
              expect(times(found)).toEqual(times(expected));
              const byId = ({ tasks }: typeof found) => tasks.toSorted((a, b) => (a.id < b.id ? -1 : 1));
              expect(byId(found)).toEqual(byId(expected));
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('match more tools than DynamoDB can compare', async () => {
    const table = await createTaskTable(dynamo);
    await writeAll(table, [recordAt(1, 0, { tool: 'report' }), recordAt(2, 0, { tool: 'quick' })]);
    const tools = ['quick', ...Array.from({ length: 150 }, (_, each) => `tool-${each}`)];
    const records = createDynamoRecords({ table, client: dynamo.client() });
    const { tasks } = await walk(records, 'p#ann', {
      orderBy: 'createdAt',
      ascending: true,
      limit: 5,
      tools,
    });
    expect(tasks.map(({ tool }) => tool)).toEqual(['quick']);
  });
});

describe('the index of a table', () => {
  it('has no results and no arguments of tasks', async () => {
    const table = await createTaskTable(dynamo);
    await writeAll(table, [recordAt(1, 0, {})]);
    const answer = await dynamo.client().send(
      new QueryCommand({
        TableName: table,
        IndexName: 'byUpdate',
        KeyConditionExpression: '#o = :o',
        ExpressionAttributeNames: { '#o': 'owner' },
        ExpressionAttributeValues: { ':o': { S: 'p#ann' } },
        Limit: 1,
      }),
    );
    expect(Object.keys(answer.Items?.[0] ?? {})).not.toContain('args');
  });
});

describeManyTasks(() => dynamo, 400);
