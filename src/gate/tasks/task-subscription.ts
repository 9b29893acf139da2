import { read } from '../../wire/messages.js';
import type { Exchange } from '../request/exchange.js';
import { readConfiguration } from '../request/with-configuration.js';

/**
 * Handles `subscriptions/listen`, which reaches the gate only from a server that is connected to its transport itself. Under
 * `enforce`, only a subscription to tasks arrives here, and the server gets nothing else of it: the gate cannot filter what
 * else it would send.
 *
 * @returns a promise if the session store must be waited for
 */
export function judgeSubscription(exchange: Exchange): void | Promise<void> {
  exchange.report();
  if (!exchange.isEnforced) return exchange.pass();
  const { params } = exchange.request;
  const taskIds = read(params, 'notifications', 'taskIds');
  return readConfiguration(exchange, () => exchange.pass({ ...params, notifications: { taskIds } }));
}
