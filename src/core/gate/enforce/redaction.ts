import { KINDS, type Kind } from '../../engine/policy.js';
import { insideName, outsideName, SERVER_META } from '../../engine/servers/outside-names.js';
import {
  ACCESS_METHODS,
  type Answer,
  ERRORS,
  type Failure,
  METHODS,
  type Notification,
  type Request,
  read,
  SAMPLING,
} from '../../wire/messages.js';
import type { CatalogCache } from '../request/catalog-cache.js';
import { canChange, isRedacted } from '../request/configure.js';
import {
  ask,
  fail,
  type Lists,
  type RequestOutcome,
  type ResponseOutcome,
  type ResponseSteps,
  refusal,
} from '../request/decision.js';
import type { Facts, RequestFacts, View } from '../request/facts.js';
import { KINDS_OF } from '../table/routing.js';
import { type HiddenTests, withoutHiddenValues } from './completion-values.js';
import { type Exceptions, exceptionsTo, NOTHING, REQUEST, SUBJECT, UPDATED } from './exceptions.js';
import { lacksScope } from './explain-target.js';
import { hiddenNameFinder, isHiddenIdentity } from './hidden-names.js';
import { serverOf } from './of-servers.js';
import { hasTexts, type Redact, redactError, redactMembers } from './redact-texts.js';
import { namesResources, withoutHiddenLinks } from './resource-links.js';
import { isHiddenToolName, withoutHiddenTools, withoutOfferedTools } from './sampling-tools.js';
import { textRedaction } from './text-redaction.js';
import { isUriShown } from './visibility.js';

/**
 * Redacts the server's response to a request. Puts the original name back, and removes hidden primitives from links to
 * resources, from the contents of a resource, from the values of a completion, from the tools that the model of the client
 * may use, and their names from every text but the exceptions (`exceptions.ts`).
 *
 * @returns the response for the client, and an error to report if it could not be redacted
 */
export function* redactResponse(facts: Facts, message: Answer | Failure): ResponseSteps<ResponseOutcome> {
  if (!canChange(facts.configuration)) return { message };
  const isWhole = 'error' in message || facts.substitute !== undefined;
  const exceptions = isWhole ? NOTHING : exceptionsTo(message.result, facts.request.method);
  const kinds = neededKinds(facts, message, exceptions);
  if (kinds.length === 0) return { message };
  // SDK v2 turns this error into an HTTP status only if it arrives synchronously, so no list is fetched for it.
  const isKnown = 'error' in message && message.error.code === ERRORS.methodNotFound;
  const lists = isKnown ? yield* ask({ need: 'held' }) : (yield* ask({ need: 'lists', kinds })).lists;
  try {
    return redactWith(facts, lists, message, exceptions);
  } catch {
    return refusal(facts, 'The response could not be checked for hidden names. Try again.');
  }
}

/** Returns the lists that tell which names of a response are hidden; none if it cannot name other primitives. */
function neededKinds({ request }: Facts, message: Answer | Failure, exceptions: Exceptions): readonly Kind[] {
  if ('error' in message || exceptions === NOTHING) return KINDS;
  const { result } = message;
  const isRead =
    request.method === ACCESS_METHODS.complete ||
    read(result, 'inputRequests') !== undefined ||
    hasTexts(result, exceptions);
  if (isRead) return KINDS;
  return namesResources(result) ? KINDS_OF.uri : [];
}

function redactWith(
  facts: Facts,
  lists: Lists,
  message: Answer | Failure,
  exceptions: Exceptions,
): ResponseOutcome {
  const { request, configuration } = facts;
  if ('error' in message) {
    return { message: { ...message, error: redactError(message.error, redactionOf(facts, lists)) } };
  }
  const hidden = hiddenTests(facts, lists);
  const linked = withoutHiddenLinks(
    message.result,
    (uri, what) => hidden.isUri(uri) || (what === 'content' && lacksScope(lists, uri, configuration)),
  );
  if (linked === undefined) {
    const uri = read(request.params, 'uri');
    return refusal(facts, 'Resource not found', { uri }, ERRORS.invalidParams);
  }
  const completed =
    request.method === ACCESS_METHODS.complete ? withoutHiddenValues(request.params, linked, hidden) : linked;
  const server = serverOf(lists, request)?.slug;
  const offered = withoutHiddenTools(completed, (name) =>
    isHiddenToolName(lists, name, configuration, server),
  );
  // Most results only need their links checked.
  const redacted = hasTexts(offered, exceptions)
    ? redactMembers(offered, redactionOf(facts, lists), exceptions)
    : offered;
  return { message: redacted === message.result ? message : { ...message, result: redacted } };
}

function redactionOf(view: View, lists: Lists): Redact {
  const { configuration, request = NO_REQUEST, substitute, server } = view;
  const inside = serverOf(lists, request);
  const speaker = server ?? inside?.slug;
  const hidden = hiddenNameFinder(lists, configuration, speaker);
  // Another server may tell something while this one is asked.
  return textRedaction(hidden, request, substitute, inside?.slug === speaker ? inside?.own : undefined);
}

const NO_REQUEST: Request = { jsonrpc: '2.0', id: 0, method: '' };

function hiddenTests({ configuration, request }: Facts, lists: Lists): HiddenTests {
  const server = serverOf(lists, request)?.slug;
  const isIdentity = (text: string): boolean => isHiddenIdentity(lists, text, configuration, server);
  // A server may link to a resource where it is not renamed.
  const outside = (uri: string): string =>
    server === undefined || insideName('resources', uri)?.slug === server
      ? uri
      : outsideName(server, 'resources', uri);
  return {
    isIdentity,
    isUri: (uri) => isIdentity(uri) || !isUriShown(lists, outside(uri), configuration),
  };
}

/**
 * Redacts an error that the server answered to a request that names no primitive, under `enforce`. Only lists that are held
 * already tell what is hidden: the request may be the one for a list.
 */
export function* redactFailure(facts: RequestFacts, message: Failure): ResponseSteps<Failure> {
  if (!facts.isEnforced) return message;
  const { request } = facts;
  const configuration = yield* ask({ need: 'configuration' });
  if (!canChange(configuration)) return message;
  const view = { configuration, request, substitute: undefined };
  return { ...message, error: redactError(message.error, redactionOf(view, yield* ask({ need: 'held' }))) };
}

/** Answers a request with the error of a list that the server was asked for on its behalf. */
export function* failRedacted(facts: RequestFacts, error: Failure['error']): ResponseSteps<RequestOutcome> {
  return fail((yield* redactFailure(facts, { jsonrpc: '2.0', id: facts.request.id, error })).error);
}

/** Redacts the tasks, or other records, of a list, under `enforce`. */
export function* redactRecords(
  facts: Facts,
  records: readonly unknown[],
  exceptionsOf: (record: object) => Exceptions = exceptionsTo,
): ResponseSteps<readonly unknown[]> {
  if (!isRedacted(facts)) return records;
  const isRead = (record: unknown): record is Record<string, unknown> =>
    typeof record === 'object' && record !== null && hasTexts({ ...record }, exceptionsOf(record));
  if (!records.some(isRead)) return records;
  const redact = redactionOf(facts, (yield* ask({ need: 'lists', kinds: KINDS })).lists);
  return records.map((each) => (isRead(each) ? redactMembers(each, redact, exceptionsOf(each)) : each));
}

/**
 * Redacts a notification or a request of the server, and removes hidden tools from those that it offers to the model of the
 * client. Only lists that are held already and the policy's entries tell what is hidden: no list is fetched for a log line.
 *
 * @param connection what the server lists
 * @param views under which configurations the client sees the message
 * @param message the message
 * @returns the message; the same object if it has no texts, or nothing can be hidden
 */
export function redactServerMessage<M extends Notification | Request>(
  { catalog }: { readonly catalog: Pick<CatalogCache, 'held'> },
  views: readonly View[],
  message: M,
): M {
  const { method, params } = message;
  if (params === undefined) return message;
  const told = method === METHODS.updated ? UPDATED : SUBJECT;
  const exceptions = 'id' in message ? REQUEST : told;
  const isRead = hasTexts(params, exceptions);
  const server = senderOf(message);
  const redacted = views
    .filter(({ configuration }) => canChange(configuration))
    .reduce((given, view) => {
      const { configuration } = view;
      const lists = catalog.held(configuration.policy);
      const isHidden = (name: string) => isHiddenToolName(lists, name, configuration, server);
      const offered = method === SAMPLING ? withoutOfferedTools(given, isHidden) : given;
      return isRead ? redactMembers(offered, redactionOf({ ...view, server }, lists), exceptions) : offered;
    }, params);
  return redacted === params ? message : { ...message, params: redacted };
}

/** Returns which of several servers sent a message. */
function senderOf({ params }: Notification | Request): string | undefined {
  const server = read(params, '_meta', SERVER_META);
  return typeof server === 'string' ? server : undefined;
}
