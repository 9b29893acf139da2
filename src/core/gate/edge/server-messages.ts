import { KINDS } from '../../engine/policy.js';
import {
  CAPABILITIES,
  type Capability,
  failure,
  LISTS,
  listChangedMethod,
  METHODS,
  type Message,
  type Notification,
  type Request,
} from '../../wire/messages.js';
import { whenKnown } from '../../wire/serial-queue.js';
import { TASK_CHANGED } from '../../wire/task-streams.js';
import { changedSince, shownBy, shownOfResources } from '../concerns/list-changed.js';
import { announcedTo } from '../concerns/listen.js';
import { redactServerMessage } from '../enforce/redaction.js';
import { canChange, sessionConfiguration } from '../request/configure.js';
import { storeWarning } from '../request/report.js';
import { NOTIFICATIONS, SERVER_REQUESTS } from '../table/routes.js';
import { loggable, METHOD_NOT_FOUND, passesNotification, passesServerRequest } from '../table/routing.js';
import { isTold } from '../tasks/task-streams.js';
import type { ConnectionState } from './connection-state.js';
import type { Exchange, ExchangeGate } from './exchange.js';
import { gather } from './gather.js';
import { type OpenRequest, type ViewSource, viewsOf } from './views.js';

/** A connection that receives messages of the server that belong to no request. */
export type ServerConnection = ExchangeGate & ViewSource;

/** Returns whether a notification passes, and reports it if `enforce` does not let it pass. */
export function acceptsNotification(
  { policy, report, taskTools }: ConnectionState,
  sender: keyof typeof NOTIFICATIONS,
  method: string,
): boolean {
  const { settings } = policy;
  if (settings.enforcement === 'advisory' || passesNotification(settings, sender, method)) return true;
  // A server that lists tasks by their owner tells only of those of this client.
  if (sender === 'server' && taskTools !== undefined && method === TASK_CHANGED) return true;
  const refused = loggable(method);
  report({ method: refused, era: 'legacy', refused });
  return settings.enforcement !== 'enforce';
}

/** Handles a request of the server. Returns the message for the client; `undefined` if `enforce` refuses it. */
export function fromServerRequest(
  connection: ServerConnection,
  request: Request,
  open: readonly OpenRequest[],
): Message | undefined | Promise<Message> {
  const { state } = connection;
  const { settings } = state.policy;
  const { method, id } = request;
  if (settings.enforcement !== 'enforce') return request;
  if (passesServerRequest(settings, method)) {
    // Nothing filters what `settings.methods` lets pass.
    if (!SERVER_REQUESTS.has(method)) return request;
    return whenKnown(viewsOf(connection, open), (views) => redactServerMessage(state, views, request));
  }
  const { code, message } = METHOD_NOT_FOUND;
  const refused = loggable(method);
  state.report({ method: refused, era: 'legacy', error: code, refused });
  const { latest } = connection;
  if (latest !== undefined) connection.toServer(failure(id, code, message), latest.sender);
  return undefined;
}

const OF_RESOURCES = new Set<string>([METHODS.updated, METHODS.acknowledged]);

/** Handles a notification of the server. Returns the message for the client; `undefined` if there is none. */
export function fromServerNotification(
  connection: ServerConnection,
  message: Notification,
  open: readonly OpenRequest[],
): Message | undefined | Promise<Message | undefined> {
  const { method } = message;
  const { latest, state } = connection;
  const { policy, catalog } = state;
  const stream = method === TASK_CHANGED && latest?.route.to === 'listen' ? latest : undefined;
  if (stream === undefined && !acceptsNotification(state, 'server', method)) return undefined;
  const capability = CAPABILITIES.find((each) => method === listChangedMethod(each));
  if (capability !== undefined) {
    const { listed } = state;
    if (latest !== undefined && (listed.policy !== policy || canChange(listed))) {
      return onListChanged(latest.again(), message, capability);
    }
    catalog.drop(capability);
    return message;
  }
  if (policy.settings.enforcement !== 'enforce') return message;
  // Nothing filters what `settings.methods` lets pass.
  if (!NOTIFICATIONS.server.has(method) && method !== TASK_CHANGED) return message;
  if (!OF_RESOURCES.has(method)) {
    const redacted = () =>
      whenKnown(viewsOf(connection, open), (views) => redactServerMessage(state, views, message));
    if (stream === undefined || state.taskTools !== undefined) return redacted();
    return isTaskTold(stream.again(), message).then((isSo) => (isSo ? redacted() : undefined));
  }
  // Without a request, there is nothing that tells what this client is shown.
  if (latest === undefined) return undefined;
  const views = viewsOf(connection, open);
  return Promise.resolve(views).then(async (each) => {
    const shown = await gather(latest.again(), shownOfResources(policy, message, each));
    return shown && redactServerMessage(state, each, shown);
  });
}

/** What cannot be decided is not told: the client can still ask for the task. */
async function isTaskTold(stream: Exchange, message: Notification): Promise<boolean> {
  try {
    return await gather(stream, isTold(stream, message));
  } catch {
    return false;
  }
}

/** Passes on that lists changed only if their visible part did. */
export function onListChanged(
  exchange: Exchange,
  message: Message,
  capability: Capability,
): Message | Promise<Message | undefined> {
  const { catalog } = exchange.connection;
  const held = catalog.held(exchange.policy);
  catalog.drop(capability);
  // Nothing was listed yet, so there is nothing to compare.
  if (KINDS.every((kind) => held[kind] === undefined)) return message;
  // Its own lists alone: later messages wait for the comparison, also those of other servers.
  const before = Object.fromEntries(
    KINDS.filter((kind) => LISTS[kind].capability === capability).map((kind) => [kind, held[kind]]),
  );
  return Promise.resolve(sessionConfiguration(exchange))
    .then((configuration) => gather(exchange, changedSince(shownBy(before, configuration))))
    .then(
      // A policy that was replaced meanwhile found no list to compare.
      (changed) =>
        changed.has(capability) || exchange.connection.policy !== exchange.policy ? message : undefined,
      () => message,
    );
}

/**
 * Announces to the client which lists look different under the policy and the preferences in force.
 *
 * @param latest the latest request, under the policy that it arrived under
 */
export async function announceChanges(connection: ServerConnection, latest: Exchange): Promise<void> {
  const { state } = connection;
  try {
    const isModern = latest.era === 'modern';
    // A stream is told of one change after the other without any request between them.
    const before = isModern ? state.listed : await sessionConfiguration(latest);
    const shown = shownBy(state.catalog.held(before.policy), before);
    const now = latest.again();
    const after = await sessionConfiguration(now);
    const changed = await gather(now, changedSince(shown));
    const told = isModern ? announcedTo(latest.request) : state.announced;
    const announced = CAPABILITIES.filter((each) => changed.has(each) && told.includes(each));
    connection.announce(announced, false, undefined);
    if (isModern) connection.listedWith(after);
  } catch (cause) {
    state.report({ method: 'reload', era: 'legacy', warnings: [storeWarning('read', cause)] });
  }
}
