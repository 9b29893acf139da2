import type { Configuration, InvalidValue } from '../../engine/configuration.js';
import type { Kind, Policy } from '../../engine/policy.js';
import type { SessionRead, SessionRecord } from '../../session/store.js';
import type { TaskCaller } from '../../session/task-owner.js';
import {
  type Answer,
  type Capability,
  ERRORS,
  type Failure,
  failure,
  type Request,
  rpcError,
} from '../../wire/messages.js';
import type { TaskListPage, TaskListQuery } from '../../wire/task-lister.js';
import { KINDS_OF, type RequestTarget } from '../table/routing.js';
import type { ListOutcome } from './catalog-cache.js';
import type { Facts, Implementation, RequestFacts, Substitute } from './facts.js';
import type { StoredPreferences } from './kept-preferences.js';
import { quoteValue } from './quote-value.js';
import type { FoundPages, NeededPages } from './read-pages.js';
import type { GateReport, ReportContext } from './report.js';
import type { Lists } from './whole-list.js';

export type { Lists } from './whole-list.js';

/** A tool, a prompt or a URI, as a request names it. */
export type Target = Pick<RequestTarget, 'type' | 'name'>;

/** Which lists a decision needs, and for which targets. */
export interface NeededLists {
  readonly kinds: readonly Kind[];
  /** From a list that is too long to be cached, only the primitives that match these are read. */
  readonly targets?: readonly Target[];
  /**
   * Whether a target that no list has is looked for again. Not for what a server tells by itself: it would make all servers list,
   * and the answers of the others would wait.
   */
  readonly again?: boolean;
}

/** `enough` is false if a list could not be read: it may contain hidden primitives. */
export interface FoundLists {
  readonly lists: Lists;
  readonly enough: boolean;
}

/** The tool that created a task, and to whom the task belongs. */
export interface TaskMaker {
  readonly tool: string;
  /** From `ownerOf`. */
  readonly owner: string;
}

/**
 * What a person did with a form. `none`: there was no answer in time, or the client refused to show it. `open`: an earlier
 * form has no answer yet, so this one was not shown.
 */
export type FormAnswer =
  | { readonly action: 'accept'; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: 'decline' | 'cancel' | 'none' | 'open' };

/** The steps of `initialize`, which decide the era of the connection and what its client is told. */
export type Handshake =
  | { readonly state: 'asked'; readonly record: SessionRecord }
  | { readonly state: 'refused' }
  | {
      readonly state: 'accepted';
      readonly client: Implementation;
      readonly server: Implementation;
      /** The capabilities whose changes the server announces. */
      readonly announced: readonly Capability[];
    };

/** Makes the result of a request that names a primitive of the gate; `undefined` if it does not exist for this client. */
export type AnswerPanel = (facts: Facts) => ResponseSteps<Record<string, unknown> | undefined>;

/** What a decision asks for, by name, and what it gets. What cannot be had is thrown into the decision. */
interface Needs {
  /** What is kept for the sender. Later messages of the client wait for it. `invalid`: what to do about a value that the policy does not have. */
  readonly preferences: Answered<Facts, { readonly invalid: 'refuse' | 'ignore' }>;
  /** The values in effect; of a request whose preferences were not read, those of the session. */
  readonly configuration: Answered<Configuration>;
  /** What is kept for the sender now. */
  readonly kept: Answered<StoredPreferences>;
  /** What is kept for the caller now; `undefined` if nothing is kept for it. */
  readonly principal: Answered<SessionRead | undefined>;
  /** Changes what is kept for the session or the caller. */
  readonly keep: Answered<
    'stored' | 'ended' | 'nowhere',
    { readonly place: 'session' | 'principal'; readonly change: SessionRecord }
  >;
  /** What the server lists. Nothing waits for it but the request, which the client can cancel meanwhile. */
  readonly whole: Answered<ListOutcome, { readonly kind: Kind }>;
  readonly lists: Answered<FoundLists, NeededLists>;
  /** Lists that are held already: known at once. */
  readonly held: Answered<Lists>;
  /** The pages of a list that is not one of primitives. */
  readonly pages: Answered<FoundPages, NeededPages>;
  /** Who sent the request, as an owner of tasks. */
  readonly owner: Answered<TaskCaller>;
  /** Who created tasks, in the order of their ids. */
  readonly makers: Answered<readonly (TaskMaker | undefined)[], { readonly taskIds: readonly string[] }>;
  readonly remember: Answered<unknown, { readonly taskId: string; readonly maker: TaskMaker }>;
  /** A page of the sender's tasks, of a server that lists tasks by their owner. */
  readonly tasks: Answered<TaskListPage, { readonly query: TaskListQuery }>;
  /** Changes the state of the connection. */
  readonly handshake: Answered<unknown, { readonly step: Handshake }>;
  /**
   * Tells the client which lists changed, and the page that something did. `isSwitch`: a person or a model of this client
   * switched, so the client has not listed again yet.
   */
  readonly announce: Answered<
    unknown,
    { readonly capabilities: readonly Capability[]; readonly isSwitch: boolean }
  >;
  /** What a person does with a form that the client shows. */
  readonly person: Answered<FormAnswer, { readonly form: object }>;
  /** Whether the host asks for no other prompt at the same time. */
  readonly chosen: Answered<boolean, { readonly prompt: string }>;
  /** The decisions about primitives of the gate, which are loaded when they are first needed. */
  readonly panel: Answered<AnswerPanel>;
}

interface Answered<Fact, With = unknown> {
  readonly with: With;
  readonly fact: Fact;
}

export type NeedName = keyof Needs;
/** A need, as a decision yields it. */
export type Need<N extends NeedName = NeedName> = { [K in N]: { readonly need: K } & Needs[K]['with'] }[N];
/** What each need is answered with. */
export type FactOf<N extends NeedName> = Needs[N]['fact'];

/**
 * A decision: yields each fact that it needs, and returns an outcome. It waits for nothing and sends nothing itself, so it
 * can be run by any code that answers its needs.
 */
export type RequestSteps<T, N extends NeedName = NeedName> = Generator<Need<N>, T, never>;
/** A decision about an answer of the server. It never needs preferences: they are known, or those of the session count. */
export type ResponseSteps<T> = RequestSteps<T, ResponseNeed>;
export type ResponseNeed = Exclude<NeedName, 'preferences'>;

/** Returns a decision that asks for nothing. */
// biome-ignore lint/correctness/useYield: it has the type of the decisions that do ask
export function* decided<T>(value: T): Generator<never, T, never> {
  return value;
}

/**
 * Asks for what a decision needs.
 *
 * @example
 * const { lists, enough } = yield* ask({ need: 'lists', kinds: ['tools'] });
 */
export function* ask<N extends NeedName>(
  need: { readonly need: N } & Needs[N]['with'],
): Generator<Need<N>, FactOf<N>, FactOf<N>> {
  return yield need;
}

/** Asks for the lists that tell whether tools, prompts or URIs are shown. */
export function listsFor(
  type: Target['type'],
  names: Iterable<string>,
  again = true,
): Generator<Need<'lists'>, FactOf<'lists'>, FactOf<'lists'>> {
  const targets = Array.from(names, (name) => ({ type, name }));
  return ask({ need: 'lists', kinds: KINDS_OF[type], targets, again });
}

/** What to log. Made only if somebody listens. */
export type LazyReport = () => readonly [
  report: Omit<GateReport, 'method' | 'era'>,
  context?: Pick<ReportContext, 'list' | 'listedName'>,
];

/** What becomes of a request. */
export type RequestOutcome = { readonly tell?: LazyReport | undefined } & (
  | { readonly to: 'server'; readonly params: Request['params']; readonly substitute?: Substitute }
  | { readonly to: 'client'; readonly result: Record<string, unknown> }
  | { readonly to: 'client'; readonly error: Failure['error'] }
);

/** What becomes of the server's answer. */
export interface ResponseOutcome {
  readonly message: Answer | Failure;
  readonly tell?: LazyReport | undefined;
}

/** How requests of one route are decided, and the server's answers to them. */
export interface RouteHandler {
  readonly onRequest: (facts: RequestFacts) => RequestSteps<RequestOutcome>;
  /** What the client gets of the server's answer, also where the gate answers: nothing may pass that nobody looked at. */
  readonly onResponse: (facts: Facts, message: Answer | Failure) => ResponseSteps<ResponseOutcome>;
  /** Whether later messages of the client wait until the request is decided. */
  readonly inOrder?: true;
}

/** Lets the server answer. */
export const pass = ({ request }: RequestFacts, tell?: LazyReport): RequestOutcome => ({
  to: 'server',
  params: request.params,
  tell,
});

export const reply = (result: Record<string, unknown>, tell?: LazyReport): RequestOutcome => ({
  to: 'client',
  result,
  tell,
});

/** Tells more of the same request. */
export const alsoTell =
  (tell: LazyReport, more: ReturnType<LazyReport>[0]): LazyReport =>
  () => {
    const [report, ...context] = tell();
    return [{ ...report, ...more }, ...context];
  };

/** Answers with an error that the server gave, and reports it. */
export const fail = (error: Failure['error'], tell: LazyReport = () => [{}]): RequestOutcome => ({
  to: 'client',
  error,
  tell: alsoTell(tell, { error: error.code }),
});

/** Answers with an error, and reports it. */
export const refuse = (code: number, message: string, data?: unknown, tell?: LazyReport): RequestOutcome =>
  fail(rpcError(code, message, data), tell);

/** Answers a request that carries a value outside the declared `values`, under `invalid: error`. */
export const refuseValue = (
  { policy }: Pick<RequestFacts, 'policy'>,
  invalid: InvalidValue,
): RequestOutcome => refuse(ERRORS.invalidParams, invalidText(policy, invalid), invalid);

const MALFORMED_PREFERENCES = {
  'malformed-header':
    'The Mcp-Concerns header is not a structured-field dictionary (RFC 9651). Send it like "security=high, cost=minimal".',
  'malformed-parameter':
    'The parameter ?concerns of the URL lacks a name or a value. Send it like "?concerns=security:high,cost:minimal".',
} as const;

/** Says what is wrong with a value outside the declared `values`. */
export function invalidText(policy: Policy, invalid: InvalidValue): string {
  const { code, concern, value, values, suggestion } = invalid;
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
  const names = 'min' in values ? `a number from ${values.min} to ${values.max}` : values.join(', ');
  if (code === 'malformed-header' || code === 'malformed-parameter') return MALFORMED_PREFERENCES[code];
  if (code === 'undeclared-concern')
    return `"${quoteValue(concern)}" is not a concern of this server (${names}).${hint}`;
  const multiple = policy.concerns.find(({ name }) => name === concern)?.multiple === true;
  return `${quoteValue(value)} is not a valid value for ${concern} (${multiple ? 'one or more of ' : ''}${names}).${hint}`;
}

/** Puts an error in the place of the server's answer, and reports it. */
export const refusal = (
  { request }: RequestFacts,
  message: string,
  data?: unknown,
  code: number = ERRORS.internal,
): ResponseOutcome => ({
  message: failure(request.id, code, message, data),
  tell: () => [{ error: code }],
});
