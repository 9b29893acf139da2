import type { Notification, Request } from '../../wire/messages.js';
import { rewriteJson } from '../../wire/rewrite-json.js';
import type { CatalogCache } from '../request/catalog-cache.js';
import { canChange } from '../request/configure.js';
import type { View } from '../request/facts.js';
import { NOTIFICATION_TEXTS } from '../table/routes.js';
import { hiddenNameFinder } from './hidden-names.js';
import { isHiddenToolName, withoutOfferedTools } from './sampling-tools.js';
import { textRedaction } from './text-redaction.js';

type Held = { readonly catalog: Pick<CatalogCache, 'held'> };

const NO_REQUEST: Request = { jsonrpc: '2.0', id: 0, method: '' };

/**
 * Removes hidden names from the free texts of a notification: log data, progress messages, status messages of tasks. Only
 * lists that are held already and the policy's entries tell what is hidden: no list is fetched for a log line.
 *
 * @param connection what the server lists
 * @param views under which configurations the client sees the notification
 * @param message the notification
 * @returns the notification; the same object if it names nothing hidden
 */
export function redactNotification(
  connection: Held,
  views: readonly View[],
  message: Notification,
): Notification {
  let params = message.params ?? {};
  for (const { configuration, request = NO_REQUEST, substitute } of views) {
    if (!canChange(configuration)) continue;
    const finder = hiddenNameFinder(connection.catalog.held(configuration.policy), configuration);
    const redact = textRedaction(finder, request, substitute);
    for (const name of NOTIFICATION_TEXTS.get(message.method) ?? []) {
      const redacted = rewriteJson(params[name], { text: redact, key: redact });
      if (redacted !== params[name]) params = { ...params, [name]: redacted };
    }
  }
  return params === (message.params ?? params) ? message : { ...message, params };
}

/** Removes hidden tools from a server's request for sampling. */
export function redactSampling(connection: Held, views: readonly View[], message: Request): Request {
  const isHidden = (name: string): boolean =>
    views.some(({ configuration }) =>
      isHiddenToolName(connection.catalog.held(configuration.policy), name, configuration),
    );
  const { params = {} } = message;
  const shown = withoutOfferedTools(params, isHidden);
  return shown === params ? message : { ...message, params: shown };
}
