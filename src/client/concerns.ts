import type { HostPreferences, PreferenceProblem } from './check-preferences.js';
import type { Declaration } from './declaration.js';
import type { ListMethods } from './lists.js';
import type { Delivery } from './preference-sync.js';
import type { Kind } from './request-meta.js';
import type { HostClient, HostTransport, RequestOptions } from './sdk.js';
import type { ListSummary } from './summary.js';
import type { TaskList, TaskListFilter, TaskListOrder } from './tasks.js';
import type { WidenedConcerns } from './widen.js';

/**
 * The client's own filter of SEP-2564. `declaration.filtering` has the fields that each list supports. List methods throw
 * `FILTER_UNSUPPORTED` for others.
 */
export interface ListFilter {
  readonly namePatterns?: readonly string[];
  readonly uriPatterns?: readonly string[];
}

/** A list method of a client that also accepts a filter. */
export type ListMethod<F> = F extends (params?: infer P, options?: infer O) => infer R
  ? (params?: P & { readonly filter?: ListFilter }, options?: O) => R
  : never;

/** The result of a client's list method, as the SDK of the host types it. */
export type ListOf<C extends HostClient, K extends Kind> = Awaited<ReturnType<C[ListMethods[K]]>>;

/** A list that was fetched again because it may have changed, or the error if that failed. */
export type ListChange<C extends HostClient> = {
  [K in Kind]:
    | { readonly kind: K; readonly list: ListOf<C, K>; readonly summary: ListSummary }
    | { readonly kind: K; readonly error: unknown };
}[Kind];

/** One step of widening. */
export interface Widening {
  /** The preferences that changed; `null` for a value that was removed. */
  readonly concerns: WidenedConcerns;
  /** How they reach the server. */
  readonly delivery: Delivery;
}

/** A host's preferences for one server, and the client's methods, which add the preferences where needed. */
export interface Concerns<C extends HostClient> {
  /** What the connected server declares, or the reason why there is no declaration. */
  readonly declaration: Declaration;
  /** The preferences that were set last, frozen. They outlive the connection. */
  readonly preferences: HostPreferences;
  /** The preferences that the connected server does not accept. They are kept, but never sent. */
  readonly problems: readonly PreferenceProblem[];

  /**
   * Replaces all preferences; `{}` removes them. Legacy servers receive `updateConcerns`. Modern servers, and servers
   * without sessions, receive the preferences with each request. Without a connection or a declaration they are kept,
   * and sent later.
   *
   * @returns how the preferences reach the server
   * @throws {PreferencesError} `CONCERNS_REFUSED` if a concern or a value is not declared, or if only the operator can
   *   set the concern. Nothing is sent then. `UPDATE_REFUSED` if the server refuses them. `UPDATE_FAILED` if it does not
   *   acknowledge them.
   * @example
   * await concerns.set({ ...concerns.preferences, cost: 'minimal' });
   */
  set(preferences: HostPreferences, options?: RequestOptions): Promise<Delivery>;

  /**
   * Shows more, one step at a time, after a tool that a task needs was missing. A value of a concern with `match: within`
   * is replaced by the value above it. When no value has one above it, the values of one concern without an order are removed,
   * then a bound moves to the next value. Other preferences stay. A list changes with each step, so the host pays once more for
   * the beginning of its prompt.
   *
   * @param names the concerns to widen; by default all that the host sets
   * @returns the step; `undefined` if there is nothing left to widen
   * @throws {PreferencesError} `CONCERNS_REFUSED`, `UPDATE_REFUSED`, `UPDATE_FAILED`, and the errors of lists
   * @example
   * while (!isFound(await concerns.listTools())) {
   *   if ((await concerns.widen()) === undefined) break;
   * }
   */
  widen(names?: readonly string[], options?: RequestOptions): Promise<Widening | undefined>;

  /**
   * Sends the preferences again, for example after the client has reconnected or an update has failed. Preferences that
   * the server does not declare are not sent; `problems` has them.
   *
   * @returns how the preferences reach the server
   * @throws {PreferencesError} `UPDATE_REFUSED`, `UPDATE_FAILED`
   * @example
   * await client.connect(transport);
   * await concerns.resend();
   */
  resend(options?: RequestOptions): Promise<Delivery>;

  /**
   * Makes a transport send the preferences: with `notifications/initialized` to legacy servers, and with each request
   * for a list or a primitive while no session is known to have them. Code that calls the client directly, and the
   * SDK's own refreshing of lists, then receive the same lists.
   *
   * @param transport a transport that is not connected yet
   * @returns the same transport
   * @example
   * await client.connect(concerns.over(new StreamableHTTPClientTransport(url)));
   */
  over<T extends HostTransport>(transport: T): T;

  /**
   * Adds the preferences to the parameters of a request that the host sends by other means.
   *
   * @param params the parameters of the request
   * @returns parameters with the preferences in `_meta`; the given ones if the session has the preferences
   * @example
   * await client.experimental.tasks.callToolStream(concerns.withConcerns({ name: 'reencryptAll' }));
   */
  withConcerns<P extends object | undefined>(params: P): P;

  /**
   * Fetches lists again after each `list_changed` of the server, each `set` and each `resend`. Modern servers announce
   * changes only to clients that subscribe: `client.listen({ toolsListChanged: true })`.
   *
   * @param listener receives each list; calls never overlap
   * @param kinds which lists; all lists of the server by default
   * @returns a function that removes the listener
   * @example
   * concerns.onChange((change) => 'list' in change && console.log(change.kind, change.summary.shown), ['tools']);
   */
  onChange(listener: (change: ListChange<C>) => void, kinds?: readonly Kind[]): () => void;

  /** The client's method. It fetches all pages, or one page if `params.cursor` is set, and does not use the client's cache. */
  readonly listTools: ListMethod<C['listTools']>;
  readonly listPrompts: ListMethod<C['listPrompts']>;
  readonly listResources: ListMethod<C['listResources']>;
  readonly listResourceTemplates: ListMethod<C['listResourceTemplates']>;
  /**
   * Lists the tasks of a server of 2025-11-25 on all pages, filtered and ordered by the server (SEP-1904).
   *
   * @throws {PreferencesError} `TASKS_UNSUPPORTED` if the server lists no tasks, `FILTER_UNSUPPORTED` if it does not
   *   declare the filter, `LIST_ENDLESS`
   * @example
   * const { tasks } = await concerns.listTasks({ status: ['working'] }, { by: 'createdAt', direction: 'asc' });
   */
  listTasks(filter?: TaskListFilter, order?: TaskListOrder, options?: RequestOptions): Promise<TaskList>;

  /** The client's method, with the preferences added to its parameters. */
  readonly callTool: C['callTool'];
  readonly getPrompt: C['getPrompt'];
  readonly readResource: C['readResource'];
  readonly subscribeResource: C['subscribeResource'];
  readonly complete: C['complete'];
}
