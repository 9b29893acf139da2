import { read } from '../../wire/messages.js';
import { type Deciding, type Outcome, pass, preferences } from '../request/decision.js';
import { isEnforced, type RequestFacts } from '../request/facts.js';

/**
 * Handles `subscriptions/listen`, which reaches the gate only from a server that is connected to its transport itself. Under
 * `enforce`, only a subscription to tasks arrives here, and the server gets nothing else of it: the gate cannot filter what
 * else it would send.
 */
export function* judgeSubscription(facts: RequestFacts): Deciding<Outcome> {
  if (!isEnforced(facts)) return pass(facts, () => [{}]);
  const { params } = facts.request;
  const taskIds = read(params, 'notifications', 'taskIds');
  yield* preferences('ignore');
  return { to: 'server', params: { ...params, notifications: { taskIds } }, tell: () => [{}] };
}
