import { KINDS, type Kind } from '../../engine/policy.js';
import { nowOrLater } from '../messages/now-or-later.js';
import { ACCESS_METHODS, type Answer, ERRORS, type Failure, read } from '../messages/wire.js';
import { canChange } from '../request/can-change.js';
import type { Exchange } from '../request/exchange.js';
import { type HiddenTests, withoutHiddenValues } from './completion-values.js';
import { hiddenNameFinder, isHiddenIdentity } from './hidden-names.js';
import { namesResources, withoutHiddenLinks } from './resource-links.js';
import { redactError, redactResult } from './result-redaction.js';
import { isHiddenToolName, withoutHiddenTools } from './sampling-tools.js';
import { KINDS_OF } from './targets.js';
import { hasTaskText, redactTask } from './task-redaction.js';
import { textRedaction } from './text-redaction.js';
import { isUriShown, type Lists } from './visibility.js';
import { heldLists, withLists } from './with-lists.js';

const NOT_REDACTED = 'The response could not be checked for hidden names. Try again.';

/**
 * Redacts the server's response to an access-checked request. Puts the original name back, and removes hidden
 * primitives from links to resources, from the contents of a resource, from the values of a completion and from the text
 * of an error. Other text of a visible tool is the tool author's responsibility.
 *
 * @param exchange the request
 * @param message the response
 * @returns the response for the client; a promise if lists have to be fetched
 */
export function redactResponse(
  exchange: Exchange,
  message: Answer | Failure,
): Answer | Failure | Promise<Answer | Failure> {
  if (!canChange(exchange.configuration)) return message;
  const kinds = neededKinds(exchange, message);
  if (kinds.length === 0) return message;
  const finish = (lists: Lists): Answer | Failure => {
    try {
      return redactWith(exchange, lists, message);
    } catch {
      return exchange.refusal(ERRORS.internal, NOT_REDACTED);
    }
  };
  // SDK v2 turns this error into an HTTP status only if it arrives synchronously, so no list is fetched for it.
  if ('error' in message && message.error.code === ERRORS.methodNotFound)
    return finish(heldLists(exchange.connection, exchange.policy));
  return nowOrLater((then) => withLists(exchange, { kinds }, (lists) => then(finish(lists))));
}

/** Returns the lists that tell which names of a response are hidden; none if it cannot name other primitives. */
function neededKinds(
  { request, substitute, configuration }: Exchange,
  message: Answer | Failure,
): readonly Kind[] {
  if ('error' in message || substitute !== undefined) return KINDS;
  const { result } = message;
  const hasText =
    request.method === ACCESS_METHODS.complete ||
    result.isError === true ||
    read(result, 'inputRequests') !== undefined ||
    hasTaskText(result);
  if (hasText) return KINDS;
  // The tools decide about their pages.
  return namesResources(result)
    ? [...KINDS_OF.uri, ...(configuration.apps === true ? ['tools' as const] : [])]
    : [];
}

function redactWith(exchange: Exchange, lists: Lists, message: Answer | Failure): Answer | Failure {
  const { request, configuration, substitute } = exchange;
  // Most results only need their links checked.
  const redaction = (): ((text: string) => string) =>
    textRedaction(hiddenNameFinder(lists, configuration), request, substitute);
  if ('error' in message) return { ...message, error: redactError(message.error, redaction()) };
  const hidden = hiddenTests(exchange, lists);
  const linked = withoutHiddenLinks(message.result, hidden.isUri);
  if (linked === undefined) {
    const uri = read(request.params, 'uri');
    return exchange.refusal(ERRORS.invalidParams, 'Resource not found', { uri });
  }
  const result =
    request.method === ACCESS_METHODS.complete ? withoutHiddenValues(request.params, linked, hidden) : linked;
  if (substitute !== undefined || result.isError === true) {
    return { ...message, result: redactResult(result, redaction()) };
  }
  const isHiddenTool = (name: string): boolean => isHiddenToolName(lists, name, configuration);
  const redacted = withoutHiddenTools(redactTask(result, redaction), isHiddenTool);
  return redacted === message.result ? message : { ...message, result: redacted };
}

function hiddenTests({ configuration }: Exchange, lists: Lists): HiddenTests {
  const isIdentity = (text: string): boolean => isHiddenIdentity(lists, text, configuration);
  return {
    isIdentity,
    isUri: (uri) => isIdentity(uri) || !isUriShown(lists, uri, configuration),
  };
}
