import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { SessionRead, SessionRecord } from './store.js';

/** A session as an item of the table. Times are whole seconds since 1970, as DynamoDB's TTL wants them. */
export type SessionItem = Record<string, AttributeValue>;

/** The attributes beside those of the record: the key, the end of the session's life, and whether it was ended. */
export const ATTRIBUTES = { id: 'id', expiresAt: 'expiresAt', ended: 'ended' } as const;

/** Each field of a record is an attribute, so that an update of one cannot undo an update of another. */
const FIELD = 'record_';

/** @returns the second at which an item expires; 0 if there is no item */
export function expiryOf(item: SessionItem | undefined): number {
  return Number(item?.[ATTRIBUTES.expiresAt]?.N ?? 0);
}

/**
 * Reads an item. DynamoDB deletes expired items up to two days late: until then they look alive, and are not.
 *
 * @param item what the table holds under a session's id
 * @param now the present second
 * @returns what that means
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

/** @returns the attributes of the fields that a change gives, and of no others */
export function toAttributes(change: SessionRecord): SessionItem {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [FIELD + name, { S: JSON.stringify(value) }]));
}

/** What an item must be like for a write to happen. */
export interface Condition {
  readonly expression: string;
  readonly names: Record<string, string>;
  readonly values: SessionItem;
}

const EXPIRES = { '#expires': ATTRIBUTES.expiresAt };
const ENDED = { '#ended': ATTRIBUTES.ended };
const seconds = (value: number) => ({ N: String(value) });

/** There is no item yet, or it is of a session that goes on. */
export const liveOrNew = (now: number): Condition => ({
  expression: 'attribute_not_exists(#expires) OR (attribute_not_exists(#ended) AND #expires > :now)',
  names: { ...EXPIRES, ...ENDED },
  values: { ':now': seconds(now) },
});

/** There is no item any more, or only what DynamoDB has not deleted yet. */
export const expiredOrGone = (now: number): Condition => ({
  expression: 'attribute_not_exists(#expires) OR #expires <= :now',
  names: EXPIRES,
  values: { ':now': seconds(now) },
});

/** Nobody ended the session, deleted it or put off its expiry. */
export const untouchedSince = (expiresAt: number): Condition => ({
  expression: 'attribute_not_exists(#ended) AND #expires = :before',
  names: { ...EXPIRES, ...ENDED },
  values: { ':before': seconds(expiresAt) },
});
