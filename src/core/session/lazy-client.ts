/**
 * Makes a client when it is needed first, because the clients of AWS are many times as large as the code that uses them.
 *
 * @param given the client to use instead of the default one
 * @param load imports what makes the default client, and the commands. A failed import is not cached, so the next call tries again.
 * @returns a function that returns the client and the commands
 */
export function lazyClient<Client, Module extends { createClient(): Client | Promise<Client> }>(
  given: Client | undefined,
  load: () => Promise<Module>,
): () => Promise<{ readonly client: Client } & Omit<Module, 'createClient'>> {
  let client = given;
  return async () => {
    const { createClient, ...commands } = await load();
    client ??= await createClient();
    return { client, ...commands };
  };
}
