import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { unlessConditionFailed } from '../../core/session/dynamodb-expressions.js';
import { lazyClient } from '../../core/session/lazy-client.js';
import { limitCalls } from '../../core/session/table-calls.js';
import { isTaskId } from '../records/owner.js';
import { hasEmptyRange, matchesQuery, pageOf, positionOf } from '../records/query.js';
import {
  type TaskChange,
  type TaskPage,
  type TaskPosition,
  type TaskQuery,
  type TaskRecord,
  type TaskRecords,
  TaskStoreError,
  type TaskSummary,
} from '../records/record.js';
import { fromItem, SUMMARY_ATTRIBUTES, summaryFromItem, text, toItem } from './item.js';
import { listOf, startKey } from './query.js';
import { updateOf } from './update.js';

/** The table of the records, and its limits. */
export interface DynamoRecordsOptions {
  /** The table's name or ARN. `serverless.yml` in the guide has its keys and its index. */
  readonly table: string;
  /** The AWS client. The default one has short timeouts, five attempts, and the region of the environment. */
  readonly client?: Pick<DynamoDBClient, 'send'>;
  /** Milliseconds that a call may take, including its retries. The default is 4000. */
  readonly timeoutMs?: number;
}

/** How many entries a list examines for one page. A filter that matches few of them gives a short page. */
const MAX_EXAMINED = 1000;
/** BatchGetItem reads at most 100 items. */
const BATCH = 100;

/**
 * Keeps the records of tasks in a DynamoDB table, which all processes share. A read is one GetItem with consistent read,
 * a change is one conditional UpdateItem that can be repeated, a page of a list is one Query or a few.
 *
 * @param options the table and its limits
 * @returns the records. Their promises reject with a {@link TaskStoreError}.
 * @throws {TaskStoreError} if the name of the table is empty
 * @example
 * const tasks = createTasks({ definitions, records: createDynamoRecords({ table: 'tasks' }) });
 */
export function createDynamoRecords(options: DynamoRecordsOptions): TaskRecords {
  const { table: TableName, timeoutMs = 4000 } = options;
  if (TableName === '') {
    throw new TaskStoreError(
      'The task table has no name. Pass the name of a table, or set the variable that it is read from.',
    );
  }
  const load = lazyClient(options.client, () => import('./client.js'));
  const keyOf = (owner: string, id: string) => ({ owner: text(owner), id: text(id) });
  const live = (task: { readonly expiresAt: number }): boolean => task.expiresAt * 1000 > Date.now();

  const get = async (owner: string, id: string, abortSignal: AbortSignal) => {
    const { client, GetItemCommand } = await load();
    const command = new GetItemCommand({ TableName, Key: keyOf(owner, id), ConsistentRead: true });
    const { Item } = await client.send(command, { abortSignal });
    const record = Item === undefined ? undefined : fromItem(Item);
    return record !== undefined && live(record) ? record : undefined;
  };

  const words = {
    table: `The task table ${TableName}`,
    user: 'The task table',
    check: 'its name, its keys and the permissions of this process',
    package: '@aws-sdk/client-dynamodb',
  };
  const withLimit = limitCalls({ ms: timeoutMs, loadMs: timeoutMs }, words, TaskStoreError, load);

  return {
    create: (record) =>
      withLimit(async (abortSignal) => {
        const { client, PutItemCommand } = await load();
        const command = new PutItemCommand({
          TableName,
          Item: toItem(record),
          ConditionExpression: 'attribute_not_exists(#owner)',
          ExpressionAttributeNames: { '#owner': 'owner' },
        });
        // An id has 128 random bits. If its item exists, an earlier attempt wrote it and its answer was lost.
        await client.send(command, { abortSignal }).catch(unlessConditionFailed);
      }),

    get: (owner, id) => withLimit((signal) => get(owner, id, signal)),

    change: (owner, id, change) =>
      withLimit(async (abortSignal) => {
        const { client, UpdateItemCommand } = await load();
        const command = new UpdateItemCommand({
          TableName,
          Key: keyOf(owner, id),
          ...updateOf(change, Date.now()),
          ReturnValues: 'ALL_NEW',
        });
        const output = await client.send(command, { abortSignal }).catch(unlessConditionFailed);
        if (output?.Attributes !== undefined) return fromItem(output.Attributes);
        // The change does not apply, or an earlier attempt made it and its answer was lost.
        const record = await get(owner, id, abortSignal);
        return record !== undefined && isMade(record, change) ? record : undefined;
      }),

    list: (owner, query) =>
      withLimit((signal) => (query.ids === undefined ? queryPage : getPage)(owner, query, signal)),
  };

  async function queryPage(owner: string, query: TaskQuery, abortSignal: AbortSignal): Promise<TaskPage> {
    const { client, QueryCommand } = await load();
    if (query.states?.length === 0 || query.tools?.length === 0 || hasEmptyRange(query)) return { tasks: [] };
    const parameters = listOf(owner, query);
    const found: TaskSummary[] = [];
    let examined = 0;
    let start = query.after === undefined ? undefined : startKey(owner, query, query.after);
    let last: TaskPosition | undefined;
    // One more than a page tells whether there is a next one. If a filter leaves little, the next reads are larger.
    for (let limit = query.limit + 1; found.length <= query.limit && examined < MAX_EXAMINED; limit *= 4) {
      const command = new QueryCommand({
        TableName,
        ...parameters,
        Limit: Math.min(limit, MAX_EXAMINED - examined),
        ExclusiveStartKey: start,
      });
      const { Items = [], ScannedCount = 0, LastEvaluatedKey } = await client.send(command, { abortSignal });
      found.push(...Items.map(summaryFromItem).filter((task) => live(task) && matchesQuery(task, query)));
      examined += ScannedCount;
      start = LastEvaluatedKey;
      if (start === undefined) break;
      last = { id: start.id?.S ?? '', at: Number(start.updatedAt?.N ?? 0) };
    }
    const page = found.slice(0, query.limit);
    const end = page.at(-1);
    if (found.length > query.limit && end !== undefined) return { tasks: page, next: positionOf(end, query) };
    return start === undefined || last === undefined ? { tasks: page } : { tasks: page, next: last };
  }

  /** Lists tasks of which the ids are known. */
  async function getPage(owner: string, query: TaskQuery, abortSignal: AbortSignal): Promise<TaskPage> {
    const { client, BatchGetItemCommand } = await load();
    const wanted = [...new Set(query.ids)].filter(isTaskId).map((id) => keyOf(owner, id));
    const names = Object.fromEntries(SUMMARY_ATTRIBUTES.map((name, index) => [`#${index}`, name]));
    const found: TaskSummary[] = [];
    while (wanted.length > 0) {
      const request = {
        Keys: wanted.splice(0, BATCH),
        ConsistentRead: true,
        ProjectionExpression: Object.keys(names).join(', '),
        ExpressionAttributeNames: names,
      };
      const command = new BatchGetItemCommand({ RequestItems: { [TableName]: request } });
      const { Responses, UnprocessedKeys } = await client.send(command, { abortSignal });
      found.push(...(Responses?.[TableName] ?? []).map(summaryFromItem));
      // DynamoDB answers with a part if it is busy or the items are large.
      for (const { id } of UnprocessedKeys?.[TableName]?.Keys ?? []) wanted.push(keyOf(owner, id?.S ?? ''));
    }
    return pageOf(found.filter(live), query);
  }
}

/** Whether a record already has a change. */
function isMade(record: TaskRecord, change: TaskChange): boolean {
  switch (change.kind) {
    case 'asked':
      // Its key is there, or it was answered meanwhile: otherwise the update would have written it.
      return record.status === 'open';
    case 'sent':
      return record.inputs[change.key]?.sent?.by === change.sent.by;
    case 'ended':
      return record.status === change.end.status;
    default:
      return false;
  }
}
