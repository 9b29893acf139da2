import { isTaskOnly } from '../../core/gate/lists/tools-for-client.js';
import type { CallAnswer } from '../../core/wire/calls.js';
import {
  ERRORS,
  EXTENSION_ID,
  METHODS,
  type Members,
  membersOf,
  read,
  refusal,
  TASK_LIST,
  TASK_RESULT,
} from '../../core/wire/messages.js';
import {
  type AnswerOverHttp,
  ownCall,
  type Params,
  type ServerCall,
  unaskable,
  unknownMethod,
} from '../call.js';
import type { Channel } from '../channel.js';
import type { Caller, Link } from '../link.js';
import type { Upstream } from '../upstream.js';
import {
  type ClientFacts,
  capabilitiesOf,
  discoverOf,
  initializeOf,
  levelOf,
  unwrapParams,
  unwrapResult,
  wrapParams,
  wrapResult,
} from './envelope.js';
import { askModern } from './parameter-headers.js';
import type { ParkedCalls } from './parked.js';

/** How often a modern server may ask during one call. */
const MAX_ROUNDS = 10;
/** Legacy servers say this if a resource does not exist (2025-11-25, server/resources). */
const RESOURCE_NOT_FOUND = -32002;
/** The client must first open a URL (2025-11-25, client/elicitation). */
const URL_ELICITATION = -32042;

/** Methods that 2026-07-28 does not have (changelog 2, 4, 5, 6). */
const REMOVED: ReadonlySet<string> = new Set([
  METHODS.initialize,
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  TASK_LIST,
  TASK_RESULT,
]);

/**
 * Answers a modern client from a legacy server.
 *
 * @param upstream the server
 * @param parked the calls that wait for the client
 * @param caller the client
 * @param call its request
 * @param using is told which connection the request uses
 */
export async function modernToLegacy(
  upstream: Upstream,
  parked: ParkedCalls,
  caller: Caller,
  call: ServerCall,
  using: (link: Link) => void,
): Promise<AnswerOverHttp> {
  const { method, params } = call;
  if (REMOVED.has(method)) return unknownMethod(method);
  const resumed = parked.resume(caller, call);
  if (resumed !== undefined) return resumed;
  // Preferences are for the gate. A connection that callers share must not carry those of one of them.
  const sent = { ...call, params: unwrapParams(params, [EXTENSION_ID]), level: levelOf(params) ?? NO_LOGS };
  return parked.run(caller, sent, async (open) => {
    // A call that asks keeps its connection until it ends.
    const link = upstream.pooled(caller);
    using(link);
    try {
      const channel = await link.recovery.opened();
      const { about } = channel;
      if (method === METHODS.discover) return { result: discoverOf(about) };
      if (open.level !== NO_LOGS && read(about.capabilities, 'logging') !== undefined) await logAll(channel);
      const answer = await link.recovery.request(open);
      if ('error' in answer) return modernError(answer, params);
      return { result: wrapResult(method, withoutTaskTools(answer.result), about.serverInfo) };
    } finally {
      void link.release();
    }
  });
}

/** Tasks are not translated, so a tool that only runs as a task would fail. */
const withoutTaskTools = (result: Members): Members =>
  Array.isArray(result.tools)
    ? { ...result, tools: result.tools.filter((tool) => !isTaskOnly(tool)) }
    : result;

/** No message of a log is as important. */
export const NO_LOGS = 'none';
const logging = new WeakSet<Channel>();

/** Asks a server for all log messages, once: each client gets those that it asked for. */
async function logAll(channel: Channel): Promise<void> {
  if (logging.has(channel)) return;
  logging.add(channel);
  await channel.request(ownCall('logging/setLevel', { level: 'debug' }));
}

function modernError(answer: Extract<AnswerOverHttp, { error: unknown }>, params: Params): AnswerOverHttp {
  const { code, message, data } = answer.error;
  if (code === RESOURCE_NOT_FOUND) return refusal(ERRORS.invalidParams, message, data);
  if (code !== URL_ELICITATION || read(capabilitiesOf(params), 'elicitation', 'url') === undefined)
    return answer;
  const elicitations = read(data, 'elicitations');
  const questions = (Array.isArray(elicitations) ? elicitations : []).map((each, index) => {
    const { elicitationId: _id, ...params } = membersOf(each);
    return [`url-${index + 1}`, { method: 'elicitation/create', params: { ...params, mode: 'url' } }];
  });
  // The retry is the same call again, as in 2025-11-25, so it needs no state.
  return { result: { resultType: 'input_required', inputRequests: Object.fromEntries(questions) } };
}

/** A connection of a legacy client whose server is modern. */
export interface LegacyClient extends ClientFacts {
  level?: string | undefined;
  /** The URIs that it watches. */
  readonly uris: Set<string>;
}

/**
 * Answers a legacy client from a modern server.
 *
 * @param upstream the server
 * @param link the connection to it
 * @param client what the client said of itself, and what it set
 * @param call its request
 */
export async function legacyToModern(
  upstream: Upstream,
  link: Link,
  client: LegacyClient,
  call: ServerCall,
): Promise<AnswerOverHttp> {
  const { method, params } = call;
  if (method === METHODS.initialize) {
    const { about } = await link.recovery.opened();
    return { result: initializeOf(about, params?.protocolVersion) };
  }
  if (method === 'ping') return { result: {} };
  if (method === 'logging/setLevel') {
    if (typeof params?.level === 'string') client.level = params.level;
    return { result: {} };
  }
  if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
    return watch(upstream, client, String(params?.uri), method === 'resources/subscribe');
  if (method.startsWith('tasks/')) return unknownMethod(method);
  let sent: Params = wrapParams(params, client);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const answer = await askModern(upstream, link, { ...call, params: sent, level: client.level });
    if (!('result' in answer)) return answer;
    const { resultType, inputRequests, requestState } = answer.result;
    if (resultType !== 'input_required') return { result: unwrapResult(answer.result) };
    const inputResponses = await askAll(membersOf(inputRequests), call);
    if (typeof inputResponses === 'string') return refusal(ERRORS.internal, inputResponses);
    sent = { ...sent, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }
  return refusal(ERRORS.internal, `The server asked more than ${MAX_ROUNDS} times during one request.`);
}

async function watch(
  upstream: Upstream,
  { uris }: LegacyClient,
  uri: string,
  isNew: boolean,
): Promise<CallAnswer> {
  if (uris.has(uri) === isNew) return { result: {} };
  if (isNew) uris.add(uri);
  else uris.delete(uri);
  await upstream.watch('resourceSubscriptions', [uri], isNew ? 1 : -1);
  return { result: {} };
}

/** Asks a client all questions at once. Returns its answers, or what to tell if there is one that it does not answer. */
async function askAll(questions: Members, { ask, signal }: ServerCall): Promise<Members | string> {
  if (ask === unaskable) return 'The server asks the client a question, which cannot be passed on here.';
  const answers = await Promise.all(
    Object.entries(questions).map(async ([key, question]) => {
      const asked = membersOf(question);
      const answer = await ask(String(asked.method), withElicitationId(asked.params), signal);
      return [key, answer] as const;
    }),
  );
  const refused = answers.flatMap(([, answer]) => ('error' in answer ? [answer.error.message] : []));
  if (refused.length > 0) return `The client did not answer a question of the server: ${refused[0]}`;
  return Object.fromEntries(answers.map(([key, answer]) => [key, 'result' in answer ? answer.result : {}]));
}

/** 2025-11-25 demands an id of each question about a URL; 2026-07-28 has none. */
function withElicitationId(params: unknown): Params {
  const given = membersOf(params);
  return given.mode === 'url' ? { ...given, elicitationId: crypto.randomUUID() } : given;
}
