import { BatchWriteItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toItem } from '../../src/tasks/dynamodb/item.js';
import { createDynamoRecords } from '../../src/tasks/dynamodb/records.js';
import { createMemoryRecords } from '../../src/tasks/records/memory.js';
import { newTaskId } from '../../src/tasks/records/owner.js';
import {
  stateOf,
  type TaskQuery,
  type TaskRecord,
  type TaskRecords,
  type TaskState,
  type TaskStatus,
  type TaskSummary,
} from '../../src/tasks/records/record.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
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
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 15 }),
        fc.array(query, { minLength: 1, maxLength: 8 }),
        async (records, queries) => {
          const table = await createTaskTable(dynamo);
          const stored = createDynamoRecords({ table, client: dynamo.client() });
          const memory = createMemoryRecords();
          await writeAll(table, records);
          for (const each of records) await memory.create(each);
          for (const each of queries.map(clean)) {
            const expected = await walk(memory, 'p#ann', each);
            expect((await walk(stored, 'p#ann', each)).tasks).toEqual(expected.tasks);
            const ids = { ...each, ids: [...records.slice(0, 9).map(({ id }) => id), newTaskId(NOW), 'x'] };
            expect((await walk(stored, 'p#ann', ids)).tasks).toEqual(
              (await walk(memory, 'p#ann', ids)).tasks,
            );
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

describe('10,000 tasks of one owner', () => {
  const all: TaskRecord[] = [];
  let table: string;
  let units = 0;
  let queries = 0;
  let records: TaskRecords;
  beforeAll(async () => {
    for (let each = 0; each < 10_000; each++) {
      const status = each % 100 === 7 ? 'open' : (STATUSES[1 + (each % 4)] ?? 'failed');
      const waits = each % 200 === 7 ? 1 : 0;
      all.push(recordAt(each * 5, each % 3, { status, waits, tool: TOOLS[each % 3] ?? '' }));
    }
    table = await createTaskTable(dynamo);
    await writeAll(table, all);
    const client = dynamo.client();
    client.middlewareStack.add(
      (next) => async (args) => {
        const counted = { ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } };
        const result = await next(counted);
        const { output } = result as { output: { ConsumedCapacity?: { CapacityUnits?: number } } };
        units += output.ConsumedCapacity?.CapacityUnits ?? 0;
        queries += 1;
        return result;
      },
      { step: 'initialize' },
    );
    records = createDynamoRecords({ table, client, timeoutMs: 20_000 });
  });

  const page = async (rest: Partial<TaskQuery>) => {
    units = 0;
    queries = 0;
    const listed = await records.list('p#ann', {
      orderBy: 'updatedAt',
      ascending: false,
      limit: 50,
      ...rest,
    });
    return { ...listed, units, queries };
  };
  /** A read unit is 4 KB of strongly consistent reads. An entry of the index has about 250 bytes. */
  const UNITS_PER_1000 = 70;

  it.each<[string, Partial<TaskQuery>, number, number]>([
    ['no filter', {}, 1, 5],
    ['the order of creation', { orderBy: 'createdAt', ascending: true }, 1, 6],
    ['an update after a time', { updatedAfter: NOW - 100_000 + 25_000 }, 1, 5],
    ['an update before a time', { updatedBefore: NOW - 100_000 + 25_000 }, 1, 5],
    [
      'a creation in a range',
      { orderBy: 'createdAt', createdAfter: NOW - 90_000, createdBefore: NOW - 80_000 },
      1,
      6,
    ],
    ['a quarter of the states', { states: ['completed'] }, 2, 25],
    ['a third of the tools', { tools: ['quick'] }, 2, 25],
  ])('reads one page and a little more with %s', async (_filter, rest, most, mostUnits) => {
    const { tasks, next, units, queries } = await page(rest);
    expect(tasks).toHaveLength(50);
    expect(next).toBeDefined();
    expect(queries).toBeLessThanOrEqual(most);
    expect(units).toBeLessThanOrEqual(mostUnits);
  });

  it.each<[string, Partial<TaskQuery>]>([
    ['1 % of the states', { states: ['working', 'input_required'] }],
    ['0.5 % of the states', { states: ['input_required'] }],
    ['a tool that has no task', { tools: ['none'] }],
    ['a creation range in the order of updates', { createdAfter: NOW - 100_000 + 49_000 }],
  ])('examines at most 1000 entries for a page with %s', async (_filter, rest) => {
    const { units, queries } = await page({ ...rest, ascending: true });
    expect(queries).toBeLessThanOrEqual(4);
    expect(units).toBeLessThanOrEqual(UNITS_PER_1000);
  });

  it('finds every match on the pages of a rare state', async () => {
    const rare = { orderBy: 'updatedAt', ascending: false, limit: 50, states: ['input_required'] } as const;
    const { tasks, pages } = await walk(records, 'p#ann', rare);
    expect(tasks).toHaveLength(50);
    expect(pages).toBeLessThanOrEqual(11);
    expect(new Set(tasks.map(stateOf))).toEqual(new Set(['input_required']));
  });

  it('reads known ids with one BatchGetItem for each hundred', async () => {
    const ids = all.slice(0, 150).map(({ id }) => id);
    const { tasks, queries } = await page({ ids, limit: 200 });
    expect(tasks).toHaveLength(150);
    expect(queries).toBe(2);
  });

  it('lists each task once while others are created', async () => {
    for (const [orderBy, ascending] of [
      ['createdAt', true],
      ['createdAt', false],
      ['updatedAt', true],
      ['updatedAt', false],
    ] as const) {
      const seen: string[] = [];
      let after: TaskQuery['after'];
      do {
        const query = { orderBy, ascending, limit: 500 };
        const listed = await records.list('p#ann', after === undefined ? query : { ...query, after });
        seen.push(...listed.tasks.map(({ id }) => id));
        after = listed.next;
        const createdAt = Date.now();
        await records.create(
          newRecord({ id: newTaskId(createdAt), createdAt, updatedAt: createdAt, tool: 'new' }),
        );
      } while (after !== undefined && seen.length < 20_000);
      expect(new Set(seen).size).toBe(seen.length);
      const before = new Set(seen);
      expect(all.filter(({ id }) => !before.has(id))).toEqual([]);
    }
  });

  it('leaves results and arguments out of what lists read', async () => {
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
