import type { SessionStore } from '../../../session/store.js';
import { CliError } from '../../errors.js';
import { secretIn } from './access.js';

const SECRET = 'MCP_CONCERNS_SESSION_SECRET';

/**
 * Opens the store that the processes of a service share, and finds the secret of their session ids.
 *
 * @param place `redis://HOST`, `rediss://HOST` or `dynamodb:TABLE`
 * @param environment the variables of the process
 * @returns both
 * @throws {CliError} if the secret is missing or too short: without it, an id of one process says nothing in the others
 * @example
 * const { store, secret } = await sharedStore('redis://localhost', process.env);
 */
export async function sharedStore(
  place: string,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly store: SessionStore; readonly secret: string }> {
  const secret = secretIn(SECRET, environment);
  if (secret === undefined) {
    throw new CliError(
      `--sessions-store needs ${SECRET}, the same for all processes. Make it with "openssl rand -hex 32".`,
    );
  }
  const [, table] = /^dynamodb:(.+)$/.exec(place) ?? [];
  if (table === undefined) {
    const { createRedisStore } = await import('../../../session/redis.js');
    return { secret, store: createRedisStore({ url: place }) };
  }
  const { createDynamoStore } = await import('../../../session/dynamodb.js');
  return { secret, store: createDynamoStore({ table }) };
}
