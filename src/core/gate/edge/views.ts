import { resolveConfiguration } from '../../engine/configuration.js';
import type { Policy } from '../../engine/policy.js';
import { whenKnown } from '../../wire/serial-queue.js';
import { sessionConfiguration } from '../request/configure.js';
import type { View } from '../request/facts.js';
import type { Exchange } from './exchange.js';

/** The part of a connection that knows what its client is shown. */
export interface ViewSource {
  readonly state: { readonly policy: Policy };
  readonly latest: Exchange | undefined;
}

/** A request without an answer when a message of the server arrived, and whether the server had received it. */
export interface OpenRequest {
  readonly exchange: Exchange;
  readonly isGiven: boolean;
}

/**
 * Returns the requests that a message of the server may belong to, which has just arrived. It can wait, and what the client
 * asks meanwhile does not allow it to repeat a name.
 */
export const openRequests = (all: Iterable<Exchange>): readonly OpenRequest[] =>
  [...all].map((exchange) => ({ exchange, isGiven: exchange.isConfigured && !exchange.isSuspended }));

/**
 * Returns under which configurations a message of the server is seen. One that belongs to a request is seen under that
 * request's configuration. Any other message may belong to each request without an answer; if there is none that began
 * under a policy which enforces, it is seen under the configuration of the session.
 *
 * @param source the connection
 * @param open the request that the message belongs to, if the transport knows it; else those that it may belong to
 * @returns the views; a promise if the session store must be waited for
 */
export function viewsOf(
  source: ViewSource,
  open: readonly OpenRequest[],
): readonly View[] | Promise<readonly View[]> {
  const views = new Map<string, View>();
  for (const { exchange, isGiven } of open) {
    // A stream outlives the policy and the preferences that it began under. From a request that began under a policy
    // which does not enforce, nothing is hidden: what it prefers must not cut a text.
    if (!exchange.isConfigured || !exchange.isEnforced || exchange.route.to === 'listen') continue;
    const { configuration, substitute } = exchange;
    // The server repeats nothing of a request that it has not received: the name in its message is its own.
    const request = isGiven ? exchange.request : undefined;
    // Requests with one configuration differ only in what they named.
    const key =
      substitute === undefined ? `${configuration.policy.digest}/${configuration.key}` : substitute.name;
    if (views.get(key)?.request === undefined) views.set(key, { configuration, request, substitute });
  }
  if (views.size > 0) return [...views.values()];
  const { latest, state } = source;
  if (latest === undefined) return [{ configuration: resolveConfiguration(state.policy, []) }];
  return whenKnown(sessionConfiguration(latest.again()), (configuration) => [{ configuration }]);
}
