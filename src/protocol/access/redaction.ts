import { KINDS } from '../../engine/policy.js';
import { canChange } from '../lists/filter-list.js';
import { type Answer, ERRORS, type Failure, REACHES, type Request, read } from '../messages/wire.js';
import type { GateScope, MessageContext } from '../request/request.js';
import type { ExpectedReach, Substitute } from './access-check.js';
import { hiddenIdentities, visibilityOfUri } from './visibility.js';
import { withLists } from './with-lists.js';

/**
 * Takes the server's answer to a guarded request: puts the asked name back, and takes out what names something hidden:
 * links to resources, values of a completion, names in the text of an error. Other text of a tool is its author's.
 *
 * @param scope the gate
 * @param message the answer
 * @param expected what was asked
 * @param context what the transport knows of the request
 * @returns the answer as the client gets it; later, where lists have to be asked for
 */
export function finishReach<C extends MessageContext>(
  scope: GateScope<C>,
  message: Answer | Failure,
  { request, configuration, substitute }: ExpectedReach,
  context: C,
): Answer | Failure | Promise<Answer | Failure> {
  // Says nothing but that the server has no such method, and SDK v2 makes a status of it only while it is synchronous.
  if ('error' in message && message.error.code === ERRORS.methodNotFound) return message;
  const suspicious = 'error' in message || substitute !== undefined || mayName(request, message.result);
  if (!suspicious || !canChange(scope.policy, configuration)) return message;
  return new Promise((resolve) => {
    withLists(scope, request, context, { kinds: KINDS }, (lists) => {
      const hidden = new Set(hiddenIdentities(lists, configuration));
      const isHiddenUri = (uri: string) =>
        hidden.has(uri) || visibilityOfUri(scope.policy, lists, uri, configuration) === 'hidden';
      if (!('error' in message) && substitute === undefined) {
        return resolve({ ...message, result: withoutHidden(request, message.result, hidden, isHiddenUri) });
      }
      const sent = JSON.stringify(request.params ?? {});
      const names = [...hidden].filter(
        (name) => name !== '' && !sent.includes(JSON.stringify(name).slice(1, -1)),
      );
      // In this order: a hidden name may be a part of the substitute's random text, but none of what was asked.
      resolve(rewrite(message, (text) => redact(putBack(text, substitute), names)) as Answer | Failure);
    });
  });
}

function mayName({ method }: Request, result: Record<string, unknown>): boolean {
  return method === REACHES.complete || Array.isArray(result.content) || Array.isArray(result.messages);
}

function withoutHidden(
  { method, params }: Request,
  result: Record<string, unknown>,
  hidden: ReadonlySet<string>,
  isHiddenUri: (uri: string) => boolean,
): Record<string, unknown> {
  if (method === REACHES.complete) return withoutHiddenValues(params, result, hidden, isHiddenUri);
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
  // How many there are in all would count the hidden ones.
  const { total: _total, ...rest } = completion as Record<string, unknown>;
  return { ...result, completion: { ...rest, values: kept } };
}

function putBack(text: string, substitute: Substitute | undefined): string {
  return substitute === undefined ? text : text.replaceAll(substitute.sent, () => substitute.asked);
}

/** A name inside a longer word is another name, or none. */
function redact(text: string, names: readonly string[]): string {
  return names
    .filter((name) => text.includes(name))
    .sort((a, b) => b.length - a.length)
    .reduce((redacted, name) => {
      const alone = `(?<![\\p{L}\\p{N}])${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}(?![\\p{L}\\p{N}])`;
      return redacted.replace(new RegExp(alone, 'gu'), '[hidden]');
    }, text);
}

/** Rewrites every text of an answer, its id and method left out. */
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
