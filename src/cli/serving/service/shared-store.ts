import type { SessionStore } from '../../../core/session/store.js';
import { CliError } from '../../errors.js';
import { secretIn } from './access.js';

const SECRET = 'MCP_CONCERNS_SESSION_SECRET';

/**
 * Opens the store that the processes of a service share, and finds the secret of their session ids. A store that cannot be used
 * may answer later, so this process starts anyway: it says what to check, which warnings to clients must not.
 *
 * @param place `redis://HOST`, `rediss://HOST` or `dynamodb:TABLE`
 * @param environment the variables of the process
 * @param note writes a line for the operator
 * @returns both
 * @throws {CliError} if the secret is missing or too short: without it, an id of one process says nothing in the others
 * @example
 * const { store, secret } = await sharedStore('redis://localhost', process.env, note);
 */
export async function sharedStore(
  place: string,
  environment: NodeJS.ProcessEnv,
  note: (text: string) => void,
): Promise<{ readonly store: SessionStore; readonly secret: string }> {
  const secret = secretIn(SECRET, environment);
  if (secret === undefined) {
    throw new CliError(
      `--sessions-store needs ${SECRET}, the same for all processes. Make it with "openssl rand -hex 32".`,
    );
  }
  const store = await open(place);
  await store.read('start').catch((cause: Error) => note(cause.message));
  return { secret, store };
}

async function open(place: string): Promise<SessionStore> {
  const [, table] = /^dynamodb:(.+)$/.exec(place) ?? [];
  if (table === undefined) {
    const { createRedisStore } = await import('../../../core/session/redis.js');
    return createRedisStore({ url: place });
  }
  const { createDynamoStore } = await import('../../../core/session/dynamodb.js');
  return createDynamoStore({ table });
}
