import type { Configuration } from '../../engine/configuration.js';
import { KINDS } from '../../engine/policy.js';
import { canChange } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import {
  ACCESS_METHODS,
  type Answer,
  ERRORS,
  eraOf,
  type Failure,
  failure,
  type Request,
  read,
} from '../messages/wire.js';
import type { MessageContext } from '../request/request.js';
import type { ExpectedAccess } from './access-check.js';
import { type HiddenTests, withoutHiddenValues } from './completion-values.js';
import { hiddenNameFinder } from './hidden-names.js';
import { namesResources, withoutHiddenLinks } from './resource-links.js';
import { redactError, redactResult } from './result-redaction.js';
import { textRedaction } from './text-redaction.js';
import { isHiddenIdentity, type Lists, visibilityOfUri } from './visibility.js';
import { withLists } from './with-lists.js';

const NOT_REDACTED = 'The response could not be checked for hidden names. Try again.';

/**
 * Redacts the server's response to an access-checked request. Puts the original name back, and removes hidden
 * primitives from links to resources, from the contents of a resource, from the values of a completion and from the text
 * of an error. Other text of a visible tool is the tool author's responsibility.
 *
 * @param scope the gate
 * @param message the response
 * @param expected the request, and the substitute for its name
 * @param context what the transport knows about the request
 * @returns the response for the client; a promise if lists have to be fetched
 */
export function redactResponse<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer | Failure,
  expected: ExpectedAccess,
  context: C,
): Answer | Failure | Promise<Answer | Failure> {
  const { request, configuration } = expected;
  if (!needsRedaction(message, expected) || !canChange(configuration)) return message;
  const finish = (lists: Lists): Answer | Failure => {
    try {
      return redactWith(scope, lists, message, expected);
    } catch {
      return refusal(scope, request, ERRORS.internal, NOT_REDACTED);
    }
  };
  // SDK v2 turns this error into an HTTP status only if it arrives synchronously, so no list is fetched for it.
  if ('error' in message && message.error.code === ERRORS.methodNotFound)
    return finish(cachedLists(scope, configuration));
  let redacted: Answer | Failure | undefined;
  let resolveLater: ((redacted: Answer | Failure) => void) | undefined;
  withLists(scope, request, context, { policy: configuration.policy, kinds: KINDS }, (lists) => {
    redacted = finish(lists);
    resolveLater?.(redacted);
  });
  return (
    redacted ??
    new Promise((resolve) => {
      resolveLater = resolve;
    })
  );
}

/** Returns whether a response can name other primitives. Otherwise no list is needed. */
function needsRedaction(message: Answer | Failure, { request, substitute }: ExpectedAccess): boolean {
  if ('error' in message || substitute !== undefined) return true;
  const { result } = message;
  return (
    request.method === ACCESS_METHODS.complete ||
    result.isError === true ||
    typeof read(result, 'task', 'statusMessage') === 'string' ||
    namesResources(result)
  );
}

function redactWith<C extends MessageContext>(
  scope: GateScope<C>,
  lists: Lists,
  message: Answer | Failure,
  { request, configuration, substitute }: ExpectedAccess,
): Answer | Failure {
  // Most results only need their links checked.
  const redaction = (): ((text: string) => string) =>
    textRedaction(hiddenNameFinder(lists, configuration), request, substitute);
  if ('error' in message) return { ...message, error: redactError(message.error, redaction()) };
  const hidden = hiddenTests(lists, configuration);
  const linked = withoutHiddenLinks(message.result, hidden.isUri);
  if (linked === undefined) {
    const uri = read(request.params, 'uri');
    return refusal(scope, request, ERRORS.invalidParams, 'Resource not found', { uri });
  }
  const result =
    request.method === ACCESS_METHODS.complete ? withoutHiddenValues(request.params, linked, hidden) : linked;
  if (substitute !== undefined || result.isError === true) {
    return { ...message, result: redactResult(result, redaction()) };
  }
  const status = read(result, 'task', 'statusMessage');
  if (typeof status !== 'string') return result === message.result ? message : { ...message, result };
  const task = { ...(result.task as Record<string, unknown>), statusMessage: redaction()(status) };
  return { ...message, result: { ...result, task } };
}

function hiddenTests(lists: Lists, configuration: Configuration): HiddenTests {
  const isIdentity = (text: string): boolean => isHiddenIdentity(lists, text, configuration);
  return {
    isIdentity,
    isUri: (uri) => isIdentity(uri) || visibilityOfUri(lists, uri, configuration) === 'hidden',
  };
}

/** Returns an error in place of the server's response, and reports it. */
function refusal<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  code: number,
  message: string,
  data?: unknown,
): Failure {
  scope.report({ method: request.method, era: eraOf(request), error: code });
  return failure(request.id, code, message, data);
}

function cachedLists<C extends MessageContext>(scope: GateScope<C>, { policy }: Configuration): Lists {
  const cached = scope.catalog.cached(policy);
  return Object.fromEntries([...cached].map(([kind, { bound }]) => [kind, bound]));
}
