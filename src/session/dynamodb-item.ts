import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { SessionRead, SessionRecord } from './store.js';

/** A session as an item of the table. Times are whole seconds since 1970, as DynamoDB's TTL requires. */
export type SessionItem = Record<string, AttributeValue>;

/** The attributes next to those of the record: the key, the time when the session expires, and whether it was ended. */
export const ATTRIBUTES = { id: 'id', expiresAt: 'expiresAt', ended: 'ended' } as const;

/** Each field of a record is an attribute with this prefix, so that an update of one field keeps the others. */
const FIELD = 'record_';

/** Returns the second at which an item expires, or 0 if there is no item. */
export function expiryOf(item: SessionItem | undefined): number {
  return Number(item?.[ATTRIBUTES.expiresAt]?.N ?? 0);
}

/**
 * Reads an item. DynamoDB deletes expired items up to two days late, so an item that exists may have expired.
 *
 * @param item the item with the session's id, if there is one
 * @param now the current time, in seconds since 1970
 * @returns the state of the session, and its record
 * @throws {SyntaxError} if the item was not written by this store
 */
export function readItem(item: SessionItem | undefined, now: number): SessionRead {
  if (item === undefined || expiryOf(item) <= now) return { state: 'unknown' };
  if (item[ATTRIBUTES.ended] !== undefined) return { state: 'ended' };
  const fields = Object.entries(item)
    .filter(([name]) => name.startsWith(FIELD))
    .map(([name, value]) => [name.slice(FIELD.length), JSON.parse(value.S ?? 'null')]);
  return { state: 'live', record: Object.fromEntries(fields) as SessionRecord };
}

/** Returns the attributes of the fields that a change sets. */
export function toAttributes(change: SessionRecord): SessionItem {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.map(([name, value]) => [FIELD + name, { S: JSON.stringify(value) }]));
}

/** The condition of a write. DynamoDB does not write if the existing item does not satisfy it. */
export interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: SessionItem;
}

const EXPIRES = { '#expires': ATTRIBUTES.expiresAt };
const ENDED = { '#ended': ATTRIBUTES.ended };
const seconds = (value: number) => ({ N: String(value) });

/** There is no item yet, or its session is live. */
export const liveOrNew = (now: number): Condition => ({
  ConditionExpression: 'attribute_not_exists(#expires) OR (attribute_not_exists(#ended) AND #expires > :now)',
  ExpressionAttributeNames: { ...EXPIRES, ...ENDED },
  ExpressionAttributeValues: { ':now': seconds(now) },
});

/** There is no item, or it has expired and DynamoDB has not deleted it yet. */
export const expiredOrGone = (now: number): Condition => ({
  ConditionExpression: 'attribute_not_exists(#expires) OR #expires <= :now',
  ExpressionAttributeNames: EXPIRES,
  ExpressionAttributeValues: { ':now': seconds(now) },
});

/** The session was not ended, deleted or extended since it was read. */
export const unchangedSince = (expiresAt: number): Condition => ({
  ConditionExpression: 'attribute_not_exists(#ended) AND #expires = :before',
  ExpressionAttributeNames: { ...EXPIRES, ...ENDED },
  ExpressionAttributeValues: { ':before': seconds(expiresAt) },
});
