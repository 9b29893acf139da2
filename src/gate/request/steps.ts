import type { Primitive } from '../../engine/mapping.js';
import type { Kind } from '../../engine/policy.js';
import type { Catalog } from '../../engine/select.js';
import { type Answer, ERRORS, type Failure, failure, type Request } from '../../wire/messages.js';
import type { NamePath } from '../table/routes.js';
import type { ListOutcome } from './catalog-cache.js';
import type { Facts, RequestFacts, Substitute } from './facts.js';
import type { GateReport, ReportContext } from './report.js';

/** Lists of the server, bound to the policy. One that the server does not have is missing. */
export type Lists = { readonly [K in Kind]?: Catalog<Primitive> | undefined };

/** A tool, a prompt or a URI, as a request names it. */
export interface Target {
  readonly type: NamePath['type'];
  readonly name: string;
}

/** Which lists a decision needs, and for which targets. */
export interface NeededLists {
  readonly kinds: readonly Kind[];
  /** From a list that is too long to be cached, only the primitives that match these are read. */
  readonly targets?: readonly Target[];
}

/** `enough` is false if a list could not be read: it may contain hidden primitives. */
export interface FoundLists {
  readonly lists: Lists;
  readonly enough: boolean;
}

/** What is kept for the sender. A store may have to be read, and later messages of the client wait for it. */
type PreferencesNeed = {
  readonly need: 'preferences';
  /** What to do about a value that the policy does not have. */
  readonly invalid: 'refuse' | 'ignore';
};

/** What the server lists. Nothing waits for it but the request, which the client can cancel meanwhile. */
type ListNeed =
  | { readonly need: 'whole'; readonly kind: Kind }
  | ({ readonly need: 'lists' } & NeededLists)
  /** Lists that are held already: known at once. */
  | { readonly need: 'held' };

export type Need = PreferencesNeed | ListNeed;

/** What each need is answered with. */
export interface FactOf {
  readonly preferences: Facts;
  readonly whole: ListOutcome;
  readonly lists: FoundLists;
  readonly held: Lists;
}

/**
 * A decision: yields each fact that it needs, and returns an outcome. It waits for nothing and sends nothing itself, so it
 * can be run by any code that answers its needs. Those that answer the server's answer never need preferences.
 */
export type Deciding<T, N extends Need = Need> = Generator<N, T, never>;
export type Settling<T> = Deciding<T, ListNeed>;

function* fact<N extends Need>(need: N): Generator<N, FactOf[N['need']], FactOf[N['need']]> {
  return yield need;
}

/** Returns the facts with the preferences. Under `refuse`, the gate answers a request that has an invalid one. */
export const preferences = (invalid: 'refuse' | 'ignore') => fact({ need: 'preferences', invalid });
/** Returns a whole list of the server. */
export const wholeList = (kind: Kind) => fact({ need: 'whole', kind });
/** Returns lists of the server, or of those that are too long what matches the targets. */
export const listsFor = (needed: NeededLists) => fact({ need: 'lists', ...needed });
/** Returns the lists that are held, without asking the server. */
export const heldNow = () => fact({ need: 'held' });

/** What to log. Made only if somebody listens. */
export type Tell = () => readonly [
  report: Omit<GateReport, 'method' | 'era'>,
  context?: Pick<ReportContext, 'list' | 'listedName'>,
];

/** What becomes of a request. */
export type Outcome = { readonly tell?: Tell | undefined } & (
  | { readonly to: 'server'; readonly params: Request['params']; readonly substitute?: Substitute }
  | { readonly to: 'client'; readonly result: Record<string, unknown> }
  | { readonly to: 'client'; readonly error: Failure['error'] }
);

/** What becomes of the server's answer. */
export interface Settled {
  readonly message: Answer | Failure;
  readonly tell?: Tell | undefined;
}

/** Lets the server answer. */
export const pass = ({ request }: RequestFacts, tell?: Tell): Outcome => ({
  to: 'server',
  params: request.params,
  tell,
});

export const reply = (result: Record<string, unknown>, tell?: Tell): Outcome => ({
  to: 'client',
  result,
  tell,
});

/** Answers with an error that the server gave, and reports it. */
export const fail = (error: Failure['error'], tell: Tell = () => [{ error: error.code }]): Outcome => ({
  to: 'client',
  error,
  tell,
});

/** Answers with an error, and reports it. */
export const refuse = (code: number, message: string, data?: unknown, tell?: Tell): Outcome =>
  fail(errorOf({ code, message }, data), tell);

/** Puts an error in the place of the server's answer, and reports it. */
export const refusal = (
  { request }: RequestFacts,
  message: string,
  data?: unknown,
  code: number = ERRORS.internal,
): Settled => ({
  message: failure(request.id, code, message, data),
  tell: () => [{ error: code }],
});

const errorOf = (error: Failure['error'], data: unknown): Failure['error'] =>
  data === undefined ? error : { ...error, data };
