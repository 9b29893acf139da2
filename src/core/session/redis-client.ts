import { once } from 'node:events';
import { createClient as createRedisClient } from 'redis';

/** The part of a client of Redis that the store uses. One that does not know the signal ignores it. */
export interface RedisScripts {
  eval(script: string, given: RedisArguments, signal: AbortSignal): Promise<unknown>;
}

type RedisArguments = { readonly keys: string[]; readonly arguments: string[] };

/**
 * Creates the store's default client. It connects again by itself, also to another address of the same name: a call that is given
 * up closes its connection, because a server that vanished is noticed only after minutes.
 *
 * @param url `redis://` or `rediss://`
 * @returns runs a script until a signal aborts
 */
export function createClient(url: string): RedisScripts {
  let current = open(url);
  return {
    async eval(script, given, signal) {
      const client = current;
      const leave = (): void => {
        client.destroy();
        if (current === client) current = open(url);
      };
      signal.addEventListener('abort', leave, { once: true });
      try {
        if (!client.isReady) await once(client, 'ready', { signal });
        return await client.eval(script, given);
      } finally {
        signal.removeEventListener('abort', leave);
      }
    },
  };
}

function open(url: string) {
  // A command that waited for a connection would change a session after its caller was told that it failed.
  const client = createRedisClient({ url, disableOfflineQueue: true });
  // Each command reports its own failure.
  client.on('error', () => undefined);
  client.connect().catch(() => undefined);
  client.unref();
  return client;
}
