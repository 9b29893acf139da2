import { KINDS, type Kind } from '../../engine/policy.js';
import { ACCESS_METHODS, type Answer, ERRORS, type Failure, read } from '../../wire/messages.js';
import { canChange } from '../request/configure.js';
import { type Facts, isEnforced } from '../request/facts.js';
import { heldNow, type Lists, listsFor, type Settling } from '../request/needs.js';
import { refusal, type Settled } from '../request/outcome.js';
import { entriesOf } from '../table/routes.js';
import { type HiddenTests, withoutHiddenValues } from './completion-values.js';
import { filterEntries } from './entries.js';
import { hiddenNameFinder, isHiddenIdentity } from './hidden-names.js';
import { namesResources, withoutHiddenLinks } from './resource-links.js';
import { redactError, redactResult } from './result-redaction.js';
import { isHiddenToolName, withoutHiddenTools } from './sampling-tools.js';
import { KINDS_OF } from './targets.js';
import { hasTaskText, redactTask } from './task-redaction.js';
import { textRedaction } from './text-redaction.js';
import { isUriShown } from './visibility.js';

const NOT_REDACTED = 'The response could not be checked for hidden names. Try again.';

/**
 * Redacts the server's response to an access-checked request. Puts the original name back, and removes hidden
 * primitives from links to resources, from the contents of a resource, from the values of a completion and from the text
 * of an error. Other text of a visible tool is the tool author's responsibility.
 *
 * @returns the response for the client, and an error to report if it could not be redacted
 */
export function* redactResponse(facts: Facts, message: Answer | Failure): Settling<Settled> {
  if (!canChange(facts.configuration)) return { message };
  const kinds = neededKinds(facts, message);
  if (kinds.length === 0) return { message };
  // SDK v2 turns this error into an HTTP status only if it arrives synchronously, so no list is fetched for it.
  const isKnown = 'error' in message && message.error.code === ERRORS.methodNotFound;
  const lists = isKnown ? yield* heldNow() : (yield* listsFor({ kinds })).lists;
  try {
    return redactWith(facts, lists, message);
  } catch {
    return refusal(facts, NOT_REDACTED);
  }
}

/** Filters and redacts the answer to an access-checked request, under `enforce`. */
export function* settleAccess(facts: Facts, message: Answer | Failure): Settling<Settled> {
  if (!isEnforced(facts) || !canChange(facts.configuration)) return { message };
  // Hidden entries first: redaction takes their names out, and then nothing tells that they are hidden.
  const isPlain = 'error' in message || entriesOf(facts.request.method).length === 0;
  const filtered = isPlain ? message : yield* filterEntries(facts, message);
  return yield* redactResponse(facts, filtered);
}

/** Returns the lists that tell which names of a response are hidden; none if it cannot name other primitives. */
function neededKinds(
  { request, substitute, configuration }: Facts,
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

function redactWith(facts: Facts, lists: Lists, message: Answer | Failure): Settled {
  const { request, configuration, substitute } = facts;
  // Most results only need their links checked.
  const redaction = (): ((text: string) => string) =>
    textRedaction(hiddenNameFinder(lists, configuration), request, substitute);
  if ('error' in message) return { message: { ...message, error: redactError(message.error, redaction()) } };
  const hidden = hiddenTests(facts, lists);
  const linked = withoutHiddenLinks(message.result, hidden.isUri);
  if (linked === undefined) {
    const uri = read(request.params, 'uri');
    return refusal(facts, 'Resource not found', { uri }, ERRORS.invalidParams);
  }
  const result =
    request.method === ACCESS_METHODS.complete ? withoutHiddenValues(request.params, linked, hidden) : linked;
  if (substitute !== undefined || result.isError === true) {
    return { message: { ...message, result: redactResult(result, redaction()) } };
  }
  const isHiddenTool = (name: string): boolean => isHiddenToolName(lists, name, configuration);
  const redacted = withoutHiddenTools(redactTask(result, redaction), isHiddenTool);
  return { message: redacted === message.result ? message : { ...message, result: redacted } };
}

function hiddenTests({ configuration }: Facts, lists: Lists): HiddenTests {
  const isIdentity = (text: string): boolean => isHiddenIdentity(lists, text, configuration);
  return {
    isIdentity,
    isUri: (uri) => isIdentity(uri) || !isUriShown(lists, uri, configuration),
  };
}
