import { KINDS } from '../../engine/policy.js';
import { canChange } from '../lists/filter-list.js';
import type { GateScope } from '../lists/gate-scope.js';
import { ACCESS_METHODS, type Answer, ERRORS, type Failure, type Request, read } from '../messages/wire.js';
import type { MessageContext } from '../request/request.js';
import type { ExpectedAccess, Substitute } from './access-check.js';
import { hiddenIdentities, visibilityOfUri } from './visibility.js';
import { withLists } from './with-lists.js';

/**
 * Redacts the server's response to an access-checked request. Puts the original name back, and removes hidden
 * primitives from links to resources, from the values of a completion and from the text of an error. Other text of a
 * visible tool is the tool author's responsibility.
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
  { request, configuration, substitute }: ExpectedAccess,
  context: C,
): Answer | Failure | Promise<Answer | Failure> {
  // This error names no primitive, and SDK v2 turns it into an HTTP status only if it arrives synchronously.
  if ('error' in message && message.error.code === ERRORS.methodNotFound) return message;
  const suspicious = 'error' in message || substitute !== undefined || mayName(request, message.result);
  if (!suspicious || !canChange(configuration)) return message;
  return new Promise((resolve) => {
    withLists(scope, request, context, { policy: configuration.policy, kinds: KINDS }, (lists) => {
      const hidden = new Set(hiddenIdentities(lists, configuration));
      const isHiddenUri = (uri: string) =>
        hidden.has(uri) || visibilityOfUri(lists, uri, configuration) === 'hidden';
      if (!('error' in message) && substitute === undefined) {
        return resolve({ ...message, result: withoutHidden(request, message.result, hidden, isHiddenUri) });
      }
      const sent = JSON.stringify(request.params ?? {});
      const names = [...hidden].filter(
        (name) => name !== '' && !sent.includes(JSON.stringify(name).slice(1, -1)),
      );
      // Put back first: a hidden name may be part of the substitute's random text, but not of the client's own params.
      resolve(rewrite(message, (text) => redact(putBack(text, substitute), names)) as Answer | Failure);
    });
  });
}

/** Returns whether a successful result can name other primitives. */
function mayName({ method }: Request, result: Record<string, unknown>): boolean {
  return (
    method === ACCESS_METHODS.complete || Array.isArray(result.content) || Array.isArray(result.messages)
  );
}

function withoutHidden(
  { method, params }: Request,
  result: Record<string, unknown>,
  hidden: ReadonlySet<string>,
  isHiddenUri: (uri: string) => boolean,
): Record<string, unknown> {
  if (method === ACCESS_METHODS.complete) return withoutHiddenValues(params, result, hidden, isHiddenUri);
  const links = (content: unknown): boolean => {
    const uri =
      read(content, 'type') === 'resource_link' ? read(content, 'uri') : read(content, 'resource', 'uri');
    return typeof uri === 'string' && isHiddenUri(uri);
  };
  const { content, messages } = result;
  return {
    ...result,
    ...(Array.isArray(content) ? { content: content.filter((each) => !links(each)) } : {}),
    ...(Array.isArray(messages)
      ? { messages: messages.filter((each) => !links(read(each, 'content'))) }
      : {}),
  };
}

function withoutHiddenValues(
  params: Request['params'],
  result: Record<string, unknown>,
  hidden: ReadonlySet<string>,
  isHiddenUri: (uri: string) => boolean,
): Record<string, unknown> {
  const completion = read(result, 'completion');
  const values = read(completion, 'values');
  if (!Array.isArray(values)) return result;
  const template = read(params, 'ref', 'uri');
  const argument = read(params, 'argument', 'name');
  const kept = values.filter((value) => {
    if (typeof value !== 'string') return true;
    if (hidden.has(value)) return false;
    return typeof template !== 'string' || !isHiddenUri(template.replaceAll(`{${String(argument)}}`, value));
  });
  if (kept.length === values.length) return result;
  // The total includes hidden values.
  const { total: _total, ...rest } = completion as Record<string, unknown>;
  return { ...result, completion: { ...rest, values: kept } };
}

function putBack(text: string, substitute: Substitute | undefined): string {
  return substitute === undefined ? text : text.replaceAll(substitute.sent, () => substitute.original);
}

/** Replaces hidden names that stand alone. Inside a longer word, a name is not that name. */
function redact(text: string, names: readonly string[]): string {
  return names
    .filter((name) => text.includes(name))
    .sort((a, b) => b.length - a.length)
    .reduce((redacted, name) => {
      const alone = `(?<![\\p{L}\\p{N}])${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`;
      return redacted.replace(new RegExp(alone, 'gu'), '[hidden]');
    }, text);
}

/** Applies `each` to every string of a response, except its id. */
function rewrite(message: Answer | Failure, each: (text: string) => string): unknown {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return each(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, walk(inner)]));
  };
  return 'error' in message
    ? { ...message, error: walk(message.error) }
    : { ...message, result: walk(message.result) };
}
