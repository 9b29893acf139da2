import type { AttributeValue, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { placeholders } from '../../core/session/dynamodb-expressions.js';
import { timeDigits } from '../records/owner.js';
import type { TaskPosition, TaskQuery } from '../records/record.js';
import { number, SUMMARY_ATTRIBUTES, type TaskItem, text, UPDATE_INDEX } from './item.js';

/**
 * Writes a query as a Query of the table. The order and the bounds of its time are key conditions, which cost nothing for what
 * they leave out. Everything else is filtered by `matchesQuery`: a filter of DynamoDB costs as much.
 *
 * @param owner whose tasks
 * @param query which tasks
 * @returns the parameters of a Query, without limit and start
 */
export function listOf(owner: string, query: TaskQuery): Omit<QueryCommandInput, 'TableName'> {
  const used = placeholders();
  const byUpdate = query.orderBy === 'updatedAt';
  const keys = [used.is('owner', '=', text(owner))];
  const range = byUpdate ? updateRange(query) : creationRange(query);
  if (range !== undefined) {
    const [from, to] = range.map((bound) => used.value(bound));
    keys.push(`${used.name(byUpdate ? 'updatedAt' : 'id')} BETWEEN ${from} AND ${to}`);
  }
  return {
    KeyConditionExpression: keys.join(' AND '),
    ScanIndexForward: query.ascending,
    ConsistentRead: true,
    ...(byUpdate
      ? { IndexName: UPDATE_INDEX }
      : { ProjectionExpression: SUMMARY_ATTRIBUTES.map((attribute) => used.name(attribute)).join(', ') }),
    ...used.parameters(),
  };
}

/** Where a Query starts: after this task. */
export function startKey(owner: string, query: TaskQuery, { id, at }: TaskPosition): TaskItem {
  const key = { owner: text(owner), id: text(id) };
  return query.orderBy === 'updatedAt' ? { ...key, updatedAt: number(at) } : key;
}

/** The largest time that JavaScript dates have. */
const LAST = 8.64e15;

type Range = readonly [from: AttributeValue, to: AttributeValue];

/** Key conditions include their bounds, so an exclusive bound moves by one millisecond. */
function updateRange({ updatedAfter, updatedBefore }: TaskQuery): Range | undefined {
  if (updatedAfter === undefined && updatedBefore === undefined) return undefined;
  return [number((updatedAfter ?? -2) + 1), number((updatedBefore ?? LAST) - 1)];
}

/** Ids begin with the time of creation, so bounds of it are bounds of the id. */
function creationRange({ createdAfter, createdBefore }: TaskQuery): Range | undefined {
  if (createdAfter === undefined && createdBefore === undefined) return undefined;
  // The empty text is not a valid key.
  const from = createdAfter === undefined ? '0' : timeDigits(createdAfter + 1);
  return [text(from), text(timeDigits(createdBefore ?? LAST))];
}
