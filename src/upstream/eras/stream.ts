import { beforeAbort } from '../../session/before-abort.js';
import type { CallAnswer } from '../../wire/calls.js';
import {
  CAPABILITIES,
  ERRORS,
  listChangedMethod,
  METHODS,
  read,
  SUBSCRIPTION_META,
} from '../../wire/messages.js';
import { CANCELLED, refusal, type ServerCall } from '../call.js';
import type { Caller, ChangeListener, Link } from '../link.js';
import type { Upstream } from '../upstream.js';
import { membersOf, withoutMeta } from './envelope.js';

/** Waits until a client leaves. */
export async function untilLeft(signal: AbortSignal): Promise<CallAnswer> {
  await beforeAbort(new Promise<never>(() => undefined), signal).catch(() => undefined);
  return CANCELLED;
}

/**
 * Answers `subscriptions/listen` of a modern client: acknowledges what the server can tell, and tells it until the client
 * leaves.
 *
 * @param upstream the server
 * @param caller the client
 * @param call its request, as the gate lets it pass
 */
export async function tellChanges(
  upstream: Upstream,
  caller: Caller,
  { params, signal, notify }: ServerCall,
): Promise<CallAnswer> {
  const asked = read(params, 'notifications');
  if (typeof asked !== 'object' || asked === null) {
    return refusal(ERRORS.invalidParams, 'params.notifications must be an object.');
  }
  const lists = CAPABILITIES.filter((each) => read(asked, `${each}ListChanged`) === true);
  const uris = read(asked, 'resourceSubscriptions');
  const wanted = new Set<string>(Array.isArray(uris) ? uris.map(String) : []);
  const methods = lists.map(listChangedMethod);
  const listener: ChangeListener = (method, given) => {
    const isTold = method === METHODS.updated ? wanted.has(String(given?.uri)) : methods.includes(method);
    if (isTold) notify(method, withoutMeta(membersOf(given), [SUBSCRIPTION_META]));
  };
  // The gate has just read the lists. A change before the acknowledgment is told after it.
  upstream.listeners.add(listener);
  let watched: readonly string[] = [];
  let link: Link | undefined;
  try {
    link = (await upstream.modern()) ?? upstream.pooled(caller);
    const { about } = await link.recovery.opened();
    const { capabilities } = about;
    if (read(capabilities, 'resources', 'subscribe') === true) watched = [...wanted];
    await Promise.all(watched.map((uri) => upstream.watch(uri, 1)));
    // The gate announces changed lists too, for example after a new policy, so each list that the server has can change.
    const able = lists.filter((each) => read(capabilities, each) !== undefined);
    const told = Object.fromEntries(able.map((each) => [`${each}ListChanged`, true]));
    const resources = watched.length === 0 ? {} : { resourceSubscriptions: watched };
    notify(METHODS.acknowledged, { notifications: { ...told, ...resources } });
    return await untilLeft(signal);
  } finally {
    void link?.release();
    upstream.listeners.delete(listener);
    for (const uri of watched) void upstream.watch(uri, -1).catch(() => undefined);
  }
}
