import { type Configuration, resolveConfiguration } from '../../engine/configuration.js';
import {
  CAPABILITIES,
  failure,
  listChangedMethod,
  type Message,
  type Notification,
  type Request,
  SAMPLING,
} from '../../wire/messages.js';
import { onListChanged, onResourceUpdated } from '../concerns/list-changed.js';
import { redactNotification, redactSampling } from '../enforce/server-text.js';
import { canChange } from '../request/can-change.js';
import type { Exchange, ExchangeConnection } from '../request/exchange.js';
import { type View, type ViewSource, viewsOf } from '../request/views.js';
import { loggable, METHOD_NOT_FOUND, passesNotification, passesServerRequest } from '../table/refusals.js';
import { NOTIFICATION_TEXTS, type NOTIFICATIONS, OWNED_TASK_NOTIFICATIONS } from '../table/routes.js';

/** A connection that receives messages of the server that belong to no request. */
export interface ServerConnection extends ExchangeConnection, ViewSource {}

/** Returns whether a notification passes, and reports it if `enforce` does not let it pass. */
export function acceptsNotification(
  { policy, report, lister }: ExchangeConnection,
  sender: keyof typeof NOTIFICATIONS,
  method: string,
): boolean {
  const { settings } = policy;
  if (settings.enforcement === 'advisory' || passesNotification(settings, sender, method)) return true;
  if (sender === 'server' && lister !== undefined && OWNED_TASK_NOTIFICATIONS.has(method)) return true;
  report({ method, era: 'legacy', refused: loggable(method) });
  return settings.enforcement !== 'enforce';
}

/** Handles a request of the server. Returns the message for the client; `undefined` if `enforce` refuses it. */
export function fromServerRequest(
  connection: ServerConnection,
  request: Request,
  related: Exchange | undefined,
): Message | undefined | Promise<Message> {
  const { settings } = connection.policy;
  const { method, id } = request;
  if (settings.enforcement !== 'enforce') return request;
  if (passesServerRequest(settings, method)) {
    if (method !== SAMPLING) return request;
    return underViews(connection, related, (views) => redactSampling(connection, views, request));
  }
  const { code, message } = METHOD_NOT_FOUND;
  connection.report({ method, era: 'legacy', error: code, refused: loggable(method) });
  const { latest } = connection;
  if (latest !== undefined) connection.toServer(failure(id, code, message), latest.sender);
  return undefined;
}

const RESOURCE_UPDATED = 'notifications/resources/updated';

/** Handles a notification of the server. Returns the message for the client; `undefined` if there is none. */
export function fromServerNotification(
  connection: ServerConnection,
  message: Notification,
  related: Exchange | undefined,
): Message | undefined | Promise<Message | undefined> {
  const { method } = message;
  const { latest, policy, catalog } = connection;
  if (!acceptsNotification(connection, 'server', method)) return undefined;
  const capability = CAPABILITIES.find((each) => method === listChangedMethod(each));
  if (capability !== undefined) {
    const listed = listedConfiguration(connection);
    if (latest !== undefined && (listed.policy !== policy || canChange(listed))) {
      return onListChanged(latest.again(), message, capability);
    }
    catalog.drop(capability);
    return message;
  }
  if (policy.settings.enforcement !== 'enforce') return message;
  if (NOTIFICATION_TEXTS.has(method)) {
    return underViews(connection, related, (views) => redactNotification(connection, views, message));
  }
  if (method !== RESOURCE_UPDATED) return message;
  // Without a request, there is nothing that tells what this client is shown.
  if (latest === undefined) return undefined;
  const views = viewsOf(connection, related);
  return Promise.resolve(views).then((each) => onResourceUpdated(latest.again(), message, each));
}

function underViews<M extends Message>(
  connection: ServerConnection,
  related: Exchange | undefined,
  redact: (views: readonly View[]) => M,
): M | Promise<M> {
  const views = viewsOf(connection, related);
  return views instanceof Promise ? views.then(redact) : redact(views);
}

/** Returns the configuration of the latest list request; without one, that of a client without preferences. */
export const listedConfiguration = ({ listed, policy }: ExchangeConnection): Configuration =>
  listed ?? resolveConfiguration(policy, []);
