import type { FetchHandler, HandlerOptions } from '../http/fetch-handler.js';
import { answerListsFirst } from '../http/known-lists/handler.js';
import { staticLists } from '../http/known-lists/known-lists.js';
import { type DeployOptions, deployFunction } from './deploy-function.js';
import type { StreamingHandler } from './streamed.js';

export { type DeployOptions, deployFunction } from './deploy-function.js';

export interface FunctionOptions extends DeployOptions, Omit<HandlerOptions, 'store'> {}

/**
 * Makes the function that `serverless.yml` deploys, as its environment says: with which sessions, for which callers,
 * buffered or streaming.
 *
 * @param options the server factory and the policy; `readSettings` has the rest
 * @returns the function's handler
 * @throws {SettingsError} if a variable of the environment is wrong
 * @throws {StreamingError} if the function streams and asks for tokens that nobody verifies
 * @example
 * export const handler = createFunction({ server: createVaultServer, policy });
 */
export function createFunction(options: FunctionOptions): StreamingHandler {
  const { server, policy, catalog } = options;
  const snapshot = typeof catalog === 'object' ? catalog : undefined;
  const load = () => import('../http/sdk-v1.js');
  // With a snapshot the first list of an environment needs nothing of the SDK, so it does not wait for it.
  if (snapshot === undefined) void load();
  return deployFunction((store) => {
    const given = { ...options, store };
    if (snapshot === undefined) return later(async () => (await load()).createHandler(given));
    const lists = staticLists(server, policy, snapshot, 'legacy');
    return answerListsFirst(
      given,
      lists,
      later(async () => (await load()).serve(given, lists)),
    );
  }, options);
}

/** @returns a handler that is made by the first request that needs it */
function later(make: () => Promise<FetchHandler>): FetchHandler {
  let made: Promise<FetchHandler> | undefined;
  return async (request, given) => {
    made ??= make();
    return (await made)(request, given);
  };
}
