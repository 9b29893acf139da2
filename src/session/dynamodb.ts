import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  ATTRIBUTES,
  expiredOrGone,
  expiryOf,
  liveOrNew,
  readItem,
  type SessionItem,
  toAttributes,
  untouchedSince,
} from './dynamodb-item.js';
import { openTable } from './dynamodb-table.js';
import type { SessionStore } from './store.js';

export interface DynamoStoreOptions {
  /** The table's name or ARN. Its partition key is the string `id`; its TTL attribute is `expiresAt`. */
  readonly table: string;
  /** The client; one with short timeouts for the environment's region unless given. Its retries are its own. */
  readonly client?: Pick<DynamoDBClient, 'send'>;
  /** Seconds after its last use that a session expires. A day unless told otherwise. */
  readonly expiresAfterSeconds?: number;
  /** Seconds of use after which a read puts off the expiry: 300, or a tenth of `expiresAfterSeconds` if that is less. */
  readonly refreshAfterSeconds?: number;
  /** Milliseconds that a call may take, with all its attempts. 4000 unless told otherwise. */
  readonly timeoutMs?: number;
}

/** The table could not be used; `cause` is what came back, if anything did. */
export class DynamoStoreError extends Error {
  readonly code = 'SESSION_STORE_FAILED';
  override readonly name = 'DynamoStoreError';
}

/** Times that an update starts anew because somebody else wrote under an id that had just expired. */
const ROUNDS = 3;

/**
 * Keeps sessions in a DynamoDB table, for all environments of a function. A read is one GetItem with consistent read, a
 * change one UpdateItem. Updates set values, so that one whose answer was lost can be sent again; the AWS client does.
 *
 * @param options the table, and bounds
 * @returns the store; its promises reject with a {@link DynamoStoreError}
 * @example
 * createFunction({ server, policy, store: createDynamoStore({ table: 'sessions' }) });
 */
export function createDynamoStore(options: DynamoStoreOptions): SessionStore {
  const { table, client, expiresAfterSeconds = 24 * 60 * 60, timeoutMs = 4000 } = options;
  const { refreshAfterSeconds = Math.min(300, expiresAfterSeconds / 10) } = options;
  const items = openTable(table, client);
  const now = (): number => Math.floor(Date.now() / 1000);
  // Rounded up, where the present is rounded down: no session ends before its time.
  const end = (): number => Math.ceil(Date.now() / 1000) + expiresAfterSeconds;
  const life = (): SessionItem => ({ [ATTRIBUTES.expiresAt]: { N: String(end()) } });

  /** Puts off the expiry of a session that is used. Failing at that is no reason to fail the read. */
  const refresh = async (id: string, item: SessionItem, signal: AbortSignal): Promise<void> => {
    const before = expiryOf(item);
    if (before - now() > expiresAfterSeconds - refreshAfterSeconds) return;
    const soon = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs / 4)]);
    await items.set(id, life(), untouchedSince(before), soon).catch(() => false);
  };

  const within = <T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    limited(table, timeoutMs, call);

  return {
    read: (id) =>
      within(async (signal) => {
        const item = await items.get(id, signal);
        const session = readItem(item, now());
        if (item !== undefined && session.state === 'live') await refresh(id, item, signal);
        return session;
      }),

    update: (id, change) =>
      within(async (signal) => {
        const fields = toAttributes(change);
        for (let round = 0; round < ROUNDS; round++) {
          if (await items.set(id, { ...fields, ...life() }, liveOrNew(now()), signal)) return 'stored';
          if (readItem(await items.get(id, signal), now()).state === 'ended') return 'ended';
          // The old fields must not come back with the new ones: the item is replaced as a whole.
          if (await items.replace(id, { ...fields, ...life() }, expiredOrGone(now()), signal))
            return 'stored';
        }
        throw new Error('Others kept writing under an id that had expired.');
      }),

    end: (id) =>
      within(async (signal) => {
        await items.replace(id, { ...life(), [ATTRIBUTES.ended]: { BOOL: true } }, undefined, signal);
      }),
  };
}

/** Ends a call in time, whatever it waits for: the network, credentials, the import of the client. */
async function limited<T>(table: string, ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const signal = AbortSignal.timeout(ms);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([call(signal), late]);
  } catch (cause) {
    const { name, code } = cause as { name?: string; code?: string };
    const message = signal.aborted
      ? `The session table ${table} gave no answer within ${ms} ms; check its region and its load.`
      : code === 'ERR_MODULE_NOT_FOUND'
        ? 'The session store needs the package @aws-sdk/client-dynamodb; install it.'
        : `The session table ${table} could not be used (${name}); check its name and the function's permissions.`;
    throw new DynamoStoreError(message, { cause });
  }
}
