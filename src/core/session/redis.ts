import { type ErrorClass, errorClass } from '../errors.js';
import type { RedisScripts } from './redis-client.js';
import type { SessionRead, SessionRecord, SessionStore } from './store.js';
import { limitCalls } from './table-calls.js';

/** The server of a Redis store, and its limits. */
export interface RedisStoreOptions {
  /** `redis://` or, with TLS, `rediss://`. Not used with `client`. */
  readonly url?: string;
  /** A connected client of the package `redis`, or of a cluster or sentinels. */
  readonly client?: RedisScripts;
  /** Seconds from a session's last use until it expires. The default is one day. */
  readonly expiresAfterSeconds?: number;
  /** Milliseconds that a call may take. The default is 800, and 4000 for the first one, which connects. */
  readonly timeoutMs?: number;
}

const RedisStoreErrorBase: ErrorClass<'RedisStoreError', 'REDIS_STORE_FAILED'> = errorClass(
  'RedisStoreError',
  'REDIS_STORE_FAILED',
);

/** Redis cannot be used. `cause` has the error of its client. */
export class RedisStoreError extends RedisStoreErrorBase {}

/** A session is a hash: each field of its record as JSON, and its state. An update is one script, so that nothing comes between. */
const STATE = ':state';
const READ = `local found = redis.call('HGETALL', KEYS[1])
if #found > 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return found`;
const UPDATE = `if redis.call('HGET', KEYS[1], '${STATE}') == 'ended' then return 'ended' end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 'stored'`;
const END = `redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], '${STATE}', 'ended')
redis.call('EXPIRE', KEYS[1], ARGV[1])`;

/**
 * Keeps sessions in Redis or Valkey, which all processes share. Each call is one script on one key. The server must write to disk
 * (`appendonly yes`) and must not evict keys, or it forgets what people chose: such sessions get 404.
 *
 * @param options the server and its limits
 * @returns the store. Its promises reject with a {@link RedisStoreError}.
 * @example
 * const handle = createHandler({ server, policy, store: createRedisStore({ url: 'redis://localhost' }) });
 */
export function createRedisStore(options: RedisStoreOptions = {}): SessionStore {
  const { url = 'redis://localhost', client: given, expiresAfterSeconds = 24 * 60 * 60, timeoutMs } = options;
  let client: RedisScripts | undefined = given;
  const load = async (): Promise<RedisScripts> => {
    if (client !== undefined) return client;
    const { createClient } = await import('./redis-client.js');
    client ??= createClient(url);
    return client;
  };
  const words = {
    // A URL can have a password.
    table:
      given === undefined
        ? `Redis at ${URL.canParse(url) ? new URL(url).host : 'a URL that is not valid'}`
        : 'Redis',
    user: 'The session store',
    check: 'its address, its password and its log',
    package: 'redis',
  };
  const limits = { ms: timeoutMs ?? 800, loadMs: timeoutMs ?? 4000 };
  const withLimit = limitCalls(limits, words, RedisStoreError, load);
  const run = (kind: 'read' | 'write', script: string, id: string, fields: readonly string[] = []) =>
    withLimit(async (signal) => {
      const scripts = await load();
      const given = { keys: [`mcp-concerns:${id}`], arguments: [String(expiresAfterSeconds), ...fields] };
      return scripts.eval(script, given, signal);
    }, kind);

  return {
    expiresAfterSeconds,
    read: async (id) => sessionOf(await run('read', READ, id)),
    update: async (id, change) => {
      const fields = Object.entries(change).filter(([, value]) => value !== undefined);
      const texts = fields.flatMap(([name, value]) => [name, JSON.stringify(value)]);
      const outcome = await run('write', UPDATE, id, [STATE, 'live', ...texts]);
      return outcome === 'ended' ? 'ended' : 'stored';
    },
    end: async (id) => void (await run('write', END, id)),
  };
}

/** @returns the session in a list of names and texts */
function sessionOf(found: unknown): SessionRead {
  const texts = Array.isArray(found) ? found.map(String) : [];
  const fields = new Map<string, string>();
  for (let index = 0; index < texts.length; index += 2)
    fields.set(texts[index] ?? '', texts[index + 1] ?? '');
  const state = fields.get(STATE);
  if (state === undefined) return { state: 'unknown' };
  if (state === 'ended') return { state };
  fields.delete(STATE);
  const record = [...fields].map(([name, text]) => [name, JSON.parse(text)]);
  return { state: 'live', record: Object.fromEntries(record) as SessionRecord };
}
