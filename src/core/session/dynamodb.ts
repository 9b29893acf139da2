import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ErrorClass, errorClass } from '../errors.js';
import {
  expiredOrGone,
  expiryOf,
  liveOrNew,
  readItem,
  type SessionItem,
  seconds,
  toAttributes,
  unchangedSince,
  wasEnded,
} from './dynamodb-item.js';
import { openTable } from './dynamodb-table.js';
import type { SessionStore } from './store.js';
import { limitCalls } from './table-calls.js';

/** The table of a DynamoDB store, and its limits. */
export interface DynamoStoreOptions {
  /** The table's name or ARN. Its partition key is the string `id`; its TTL attribute is `expiresAt`. */
  readonly table: string;
  /** The AWS client. The default one has short timeouts, three attempts, and the region of the environment. */
  readonly client?: Pick<DynamoDBClient, 'send'>;
  /** Seconds from a session's last use until it expires. The default is one day. */
  readonly expiresAfterSeconds?: number;
  /**
   * A read extends a session that was last extended this many seconds ago or earlier. The default is 300, or a tenth of
   * `expiresAfterSeconds` if that is less.
   */
  readonly refreshAfterSeconds?: number;
  /** Milliseconds that a call may take, including its retries. The default is 800. To load the client takes the first one up to 4000 more. */
  readonly timeoutMs?: number;
}

const DynamoStoreErrorBase: ErrorClass<'DynamoStoreError', 'SESSION_STORE_FAILED'> = errorClass(
  'DynamoStoreError',
  'SESSION_STORE_FAILED',
);

/** The table cannot be used. `cause` has the error of the AWS client. */
export class DynamoStoreError extends DynamoStoreErrorBase {}

/** How long calls may take, and the load of their client, in milliseconds. Attempts of the default client end before that. */
const CALL_MS = 800;
const LOAD_MS = 4000;

/** How often an update is attempted while other processes write to a session that has just expired. */
const MAX_ATTEMPTS = 3;

/**
 * Keeps sessions in a DynamoDB table, which all processes share. A read is one GetItem with consistent read, an update
 * is one UpdateItem. Updates are idempotent, so the AWS client can retry them.
 *
 * @param options the table and its limits
 * @returns the store. Its promises reject with a {@link DynamoStoreError}.
 * @example
 * createFunction({ server, policy, store: createDynamoStore({ table: 'sessions' }) });
 */
export function createDynamoStore(options: DynamoStoreOptions): SessionStore {
  const { table, client, expiresAfterSeconds = 24 * 60 * 60, timeoutMs = CALL_MS } = options;
  const { refreshAfterSeconds = Math.min(300, expiresAfterSeconds / 10) } = options;
  const items = openTable(table, client);
  const now = (): number => Math.floor(Date.now() / 1000);
  // Rounded up, while the current time is rounded down, so that no session expires early.
  const expiry = (): number => Math.ceil(Date.now() / 1000) + expiresAfterSeconds;
  const expiresAt = (): SessionItem => ({ expiresAt: seconds(expiry()) });

  /** Extends a session that is in use. If that fails, the read still succeeds. */
  const extend = async (id: string, item: SessionItem, signal: AbortSignal): Promise<void> => {
    const before = expiryOf(item);
    if (before - now() > expiresAfterSeconds - refreshAfterSeconds) return;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs / 4)]);
    await items.set(id, expiresAt(), unchangedSince(before), deadline).catch(() => false);
  };

  const words = {
    table: `The session table ${table}`,
    user: 'The session store',
    check: 'its name, its region, and the credentials and permissions of this process',
    package: '@aws-sdk/client-dynamodb',
  };
  const limits = { ms: timeoutMs, loadMs: options.timeoutMs ?? LOAD_MS };
  const withLimit = limitCalls(limits, words, DynamoStoreError, items.load);

  return {
    expiresAfterSeconds,

    read: (id) =>
      withLimit(async (signal) => {
        const item = await items.get(id, signal);
        const session = readItem(item, now());
        if (item !== undefined && session.state === 'live') await extend(id, item, signal);
        return session;
      }),

    update: (id, change) =>
      withLimit(async (signal) => {
        const fields = toAttributes(change);
        for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
          if (await items.set(id, { ...fields, ...expiresAt() }, liveOrNew(now()), signal)) return 'stored';
          if (wasEnded(await items.get(id, signal), now())) return 'ended';
          // The session has expired. Replace the whole item, so that its old fields do not come back.
          if (await items.replace(id, { ...fields, ...expiresAt() }, signal, expiredOrGone(now())))
            return 'stored';
        }
        throw new Error('Other processes kept writing to a session that had expired.');
      }, 'write'),

    end: (id) =>
      withLimit(async (signal) => {
        await items.replace(id, { ...expiresAt(), ended: { BOOL: true } }, signal);
      }),
  };
}
