import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { placeholders } from '../../session/dynamodb-expressions.js';
import { timeDigits } from '../records/owner.js';
import type { TaskPosition, TaskQuery, TaskState } from '../records/record.js';
import { number, SUMMARY_ATTRIBUTES, type TaskItem, text, UPDATE_INDEX } from './item.js';

/** DynamoDB compares an attribute with at most 100 values. */
export const MAX_IN = 100;

/**
 * Writes a query as a Query of the table: the order and the bounds of its time are key conditions, which cost nothing
 * for what they leave out; everything else is a filter.
 *
 * @param owner whose tasks
 * @param query which tasks
 * @param now the current time in milliseconds
 * @returns the parameters of a Query, without limit and start
 */
export function listOf(owner: string, query: TaskQuery, now: number) {
  const used = placeholders();
  const { is } = used;
  const byUpdate = query.orderBy === 'updatedAt';
  const keys = [is('owner', '=', text(owner))];
  const filters = [is('expiresAt', '>', number(Math.floor(now / 1000)))];

  const range = byUpdate ? updateRange(query) : creationRange(query);
  if (range !== undefined) {
    const [from, to] = range.map((bound) => used.value(bound));
    keys.push(`${used.name(byUpdate ? 'updatedAt' : 'id')} BETWEEN ${from} AND ${to}`);
  }
  const others = byUpdate
    ? { attribute: 'createdAt', after: query.createdAfter, before: query.createdBefore }
    : { attribute: 'updatedAt', after: query.updatedAfter, before: query.updatedBefore };
  if (others.after !== undefined) filters.push(is(others.attribute, '>', number(others.after)));
  if (others.before !== undefined) filters.push(is(others.attribute, '<', number(others.before)));
  if (query.states !== undefined) {
    filters.push(`(${query.states.map((state) => stateCondition(state, is)).join(' OR ')})`);
  }
  if (query.tools !== undefined && query.tools.length <= MAX_IN) {
    filters.push(`${used.name('tool')} IN (${query.tools.map((tool) => used.value(text(tool))).join(', ')})`);
  }
  return {
    KeyConditionExpression: keys.join(' AND '),
    FilterExpression: filters.join(' AND '),
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
  const from = createdAfter === undefined ? '' : timeDigits(createdAfter + 1);
  const to = timeDigits(createdBefore ?? LAST);
  // The empty text is not a valid key.
  return [text(from === '' ? '0' : from), text(to)];
}

function stateCondition(state: TaskState, is: ReturnType<typeof placeholders>['is']): string {
  if (state !== 'working' && state !== 'input_required') return is('status', '=', text(state));
  const waits = is('waits', state === 'working' ? '=' : '>', number(0));
  // AND binds stronger than OR, and DynamoDB refuses parentheses around parentheses.
  return `${is('status', '=', text('open'))} AND ${waits}`;
}
