import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Placeholders } from './dynamodb-expressions.js';
import type { SessionRead, SessionRecord } from './store.js';

/** A session as an item of the table. Times are whole seconds since 1970, as DynamoDB's TTL requires. */
export type SessionItem = Record<string, AttributeValue>;

/** Each field of a record is an attribute with this prefix, so that an update of one field keeps the others. */
const FIELD = 'record_';

export const seconds = (value: number): AttributeValue => ({ N: String(value) });

/** Returns the second at which an item expires, or 0 if there is no item. */
export const expiryOf = (item: SessionItem | undefined): number => Number(item?.expiresAt?.N ?? 0);

/**
 * Reads an item. DynamoDB deletes expired items up to two days late, so an item that exists may have expired: then its session
 * is over, while nothing is known of an id without an item.
 *
 * @param item the item with the session's id, if there is one
 * @param now the current time, in seconds since 1970
 * @returns the state of the session, and its record
 * @throws {SyntaxError} if the item was not written by this store
 */
export function readItem(item: SessionItem | undefined, now: number): SessionRead {
  if (item === undefined) return { state: 'unknown' };
  if (item.ended !== undefined || expiryOf(item) <= now) return { state: 'ended' };
  const fields = Object.entries(item)
    .filter(([name]) => name.startsWith(FIELD))
    .map(([name, value]) => [name.slice(FIELD.length), JSON.parse(value.S ?? 'null')]);
  return { state: 'live', record: Object.fromEntries(fields) as SessionRecord };
}

/** Returns whether the client ended a session. An expired one can begin again. */
export const wasEnded = (item: SessionItem | undefined, now: number): boolean =>
  item?.ended !== undefined && expiryOf(item) > now;

/** Returns the attributes of the fields that a change sets. */
export function toAttributes(change: SessionRecord): SessionItem {
  const fields = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(fields.map(([name, value]) => [FIELD + name, { S: JSON.stringify(value) }]));
}

/** Writes the condition of a write. DynamoDB does not write if the existing item does not satisfy it. */
export type Condition = (used: Placeholders) => string;

/** There is no item yet, or its session is live. */
export const liveOrNew =
  (now: number): Condition =>
  ({ name, is }) =>
    `attribute_not_exists(${name('expiresAt')}) OR (attribute_not_exists(${name('ended')}) AND ${is('expiresAt', '>', seconds(now))})`;

/** There is no item, or it has expired and DynamoDB has not deleted it yet. */
export const expiredOrGone =
  (now: number): Condition =>
  ({ name, is }) =>
    `attribute_not_exists(${name('expiresAt')}) OR ${is('expiresAt', '<=', seconds(now))}`;

/** The session was not ended, deleted or extended since it was read. */
export const unchangedSince =
  (expiresAt: number): Condition =>
  ({ name, is }) =>
    `attribute_not_exists(${name('ended')}) AND ${is('expiresAt', '=', seconds(expiresAt))}`;
