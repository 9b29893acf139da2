import type { Configuration } from '../engine/configuration.js';
import { KINDS, type Kind } from '../engine/policy.js';
import { configure, type GateScope, type MessageContext, refuse, refuseValue } from './scope.js';
import { withSession } from './session-of.js';
import {
  hiddenIdentities,
  isCovered,
  type Lists,
  type Visibility,
  visibilityOfName,
  visibilityOfUri,
} from './visibility.js';
import {
  type Answer,
  answer,
  ERRORS,
  eraOf,
  type Failure,
  METHODS,
  REACHES,
  type Request,
  read,
} from './wire.js';

/** A request that reaches for a primitive, under `enforce`; its answer may name others. */
export interface ExpectedReach {
  readonly as: 'reach';
  readonly request: Request;
  readonly configuration: Configuration;
  /** What the server got instead of the hidden name. */
  readonly substitute?: { readonly sent: string; readonly asked: string };
}

export interface GuardPorts {
  pass(request: Request, expected: ExpectedReach): void;
  wait(): { done(): boolean };
}

/** What a request reaches for; `put` makes the same request for another name. */
interface Target {
  readonly by: 'tool' | 'prompt' | 'uri';
  readonly name: string;
  put(name: string): Record<string, unknown>;
}

const KINDS_OF: Readonly<Record<Target['by'], readonly Kind[]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  uri: ['resources', 'resourceTemplates'],
};

/** Whether a request is guarded under `enforce`. Subscribing by a request of its own is of the legacy era. */
export function isGuarded(request: Request): boolean {
  if (request.method === REACHES.subscribe && eraOf(request) === 'modern') return false;
  return (Object.values(REACHES) as readonly string[]).includes(request.method);
}

/**
 * Judges a request that reaches for a primitive, under `enforce`. For a hidden one the server is asked for a name that
 * does not exist, and the name that was asked for is put back into its answer: whatever the server says of unknown
 * names, in whatever words, is what the client gets.
 *
 * @param scope the gate
 * @param request the request
 * @param context what the transport knows of it
 * @param ports how it goes on
 * @returns a promise where the store has to be waited for
 */
export function guardReach<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  ports: GuardPorts,
): void | Promise<void> {
  scope.report({ method: request.method, era: eraOf(request) });
  return withSession(scope, request, (session) => {
    const configuration = configure(scope.policy, request, context, { session, meta: true });
    const [invalid] = configuration.invalid;
    if (invalid !== undefined) return refuseValue(scope, request, invalid);
    const target = targetOf(request);
    const expected: ExpectedReach = { as: 'reach', request, configuration };
    // Without a name the server refuses the request by itself.
    if (target === undefined) return ports.pass(request, expected);

    const waiting = ports.wait();
    withLists(scope, request, context, KINDS_OF[target.by], (lists) => {
      if (!waiting.done()) return;
      if (visibilityOf(scope, lists, target, configuration) !== 'hidden')
        return ports.pass(request, expected);
      const sent = target.by === 'uri' ? `unknown:${crypto.randomUUID()}` : `unknown-${crypto.randomUUID()}`;
      if (target.by === 'uri' && isCovered(lists, sent)) {
        // A template that covers every URI would answer any name.
        return refuse(scope, request, RESOURCE_NOT_FOUND, 'Resource not found', { uri: target.name });
      }
      ports.pass(
        { ...request, params: target.put(sent) },
        { ...expected, substitute: { sent, asked: target.name } },
      );
    });
  });
}

/**
 * Answers the question of a mount that has to know before the server's transport sees a request: is what it reaches for
 * hidden? The question comes under a method that only this process knows.
 *
 * @param scope the gate
 * @param request the question, `params.reach` is the request in question
 * @param context what the transport knows of it
 * @returns a promise where the store has to be waited for
 */
export function answerProbe<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
): void | Promise<void> {
  const reach = read(request.params, 'reach') as Request;
  return withSession(scope, request, (session) => {
    const params = { ...reach.params, _meta: request.params?._meta };
    const configuration = configure(scope.policy, { ...reach, params }, context, { session, meta: true });
    const names = namesOf(reach);
    const hidden: string[] = [];
    withLists(scope, request, context, KINDS, (lists) => {
      for (const target of names) {
        if (visibilityOf(scope, lists, target, configuration) === 'hidden') hidden.push(target.name);
      }
      scope.reply(answer(request, { hidden }));
    });
  });
}

/** What a request reaches for; a subscription, for several URIs. */
function namesOf(request: Request): readonly Target[] {
  const uris = read(request.params, 'notifications', 'resourceSubscriptions');
  if (request.method === METHODS.listen && Array.isArray(uris)) {
    const put = () => ({});
    return uris.flatMap((name) => (typeof name === 'string' ? [{ by: 'uri' as const, name, put }] : []));
  }
  const target = isGuarded(request) ? targetOf(request) : undefined;
  return target === undefined ? [] : [target];
}

/** MCP, "Resources", error handling. */
const RESOURCE_NOT_FOUND = -32002;

function targetOf({ method, params }: Request): Target | undefined {
  const named = (by: Target['by'], key: 'name' | 'uri'): Target | undefined => {
    const name = read(params, key);
    return typeof name === 'string' ? { by, name, put: (other) => ({ ...params, [key]: other }) } : undefined;
  };
  switch (method) {
    case REACHES.call:
      return named('tool', 'name');
    case REACHES.get:
      return named('prompt', 'name');
    case REACHES.read:
    case REACHES.subscribe:
      return named('uri', 'uri');
    default: {
      const ref = read(params, 'ref');
      const key = read(ref, 'type') === 'ref/prompt' ? 'name' : 'uri';
      const name = read(ref, key);
      if (typeof name !== 'string') return undefined;
      const put = (other: string) => ({ ...params, ref: { ...(ref as object), [key]: other } });
      return { by: key === 'name' ? 'prompt' : 'uri', name, put };
    }
  }
}

function visibilityOf<C extends MessageContext>(
  { policy }: GateScope<C>,
  lists: Lists,
  { by, name }: Target,
  configuration: Configuration,
): Visibility {
  if (by === 'tool') return visibilityOfName(lists.tools, name, configuration);
  if (by === 'prompt') return visibilityOfName(lists.prompts, name, configuration);
  // completion/complete names a template by itself.
  const asTemplate = visibilityOfName(lists.resourceTemplates, name, configuration);
  return asTemplate === 'unknown' ? visibilityOfUri(policy, lists, name, configuration) : asTemplate;
}

/** Gets some of the server's lists; those that it does not have are left out. */
export function withLists<C extends MessageContext>(
  scope: GateScope<C>,
  request: Request,
  context: C,
  kinds: readonly Kind[],
  then: (lists: Lists) => void,
): void {
  const lists: { -readonly [K in Kind]?: Lists[K] } = {};
  const next = (index: number): void => {
    const kind = kinds[index];
    if (kind === undefined) return then(lists);
    scope.catalogs.get(kind, scope.ask(request, context), (outcome) => {
      if (outcome.state === 'complete') lists[kind] = outcome.catalog.bound;
      next(index + 1);
    });
  };
  next(0);
}

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
  if (!suspicious) return message;
  return new Promise((resolve) => {
    withLists(scope, request, context, KINDS, (lists) => {
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
      resolve(rewrite(message, (text) => putBack(redact(text, names), substitute)) as Answer | Failure);
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

function redact(text: string, names: readonly string[]): string {
  let redacted = text;
  for (const name of names) redacted = redacted.replaceAll(name, '[hidden]');
  return redacted;
}

function putBack(text: string, substitute: ExpectedReach['substitute']): string {
  return substitute === undefined ? text : text.replaceAll(substitute.sent, substitute.asked);
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
