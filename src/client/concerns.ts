import type { Kind } from './carry.js';
import type { HostPreferences, Problem } from './check.js';
import type { Declaration } from './declaration.js';
import type { Sent } from './keeper.js';
import type { LIST_METHODS } from './lists.js';
import type { HostClient, RequestOptions } from './sdk.js';
import type { ListSummary } from './summary.js';
import type { HostTransport } from './transport.js';

/** The client's own filter of SEP-2564; which fields a list takes is in `declaration.filtering`. */
export interface ListFilter {
  readonly namePatterns?: readonly string[];
  readonly uriPatterns?: readonly string[];
}

/** A list method of a client, that also takes a filter. */
export type ListMethod<F> = F extends (params?: infer P, options?: infer O) => infer R
  ? (params?: P & { readonly filter?: ListFilter }, options?: O) => R
  : never;

/** The result of a client's list method. */
export type ListOf<C extends HostClient, K extends Kind> = Awaited<ReturnType<C[(typeof LIST_METHODS)[K]]>>;

/** A list that was taken anew because it may have changed; or why it could not be taken. */
export type Change<C extends HostClient> = {
  [K in Kind]:
    | { readonly kind: K; readonly list: ListOf<C, K>; readonly summary: ListSummary }
    | { readonly kind: K; readonly error: unknown };
}[Kind];

/** What a host wants of one server, and the client's own methods, which say so with each request that needs it. */
export interface Concerns<C extends HostClient> {
  /** What the connected server declares, or why nothing is known of it. */
  readonly declaration: Declaration;
  /** What was set last; frozen. It outlives the connection. */
  readonly preferences: HostPreferences;
  /** What of the preferences the connected server does not take. It is kept, and never sent. */
  readonly problems: readonly Problem[];

  /**
   * Replaces what the host wants: `{}` asks for nothing. Legacy servers are told with `updateConcerns`; modern ones, and
   * those with no place to keep it in, hear it with each request from now on. Without a connection, or a declaration, it
   * is kept for later.
   *
   * @throws {ConcernsError} `CONCERNS_REFUSED` before anything is sent: an undeclared name or value, an operator's
   *   concern. `UPDATE_REFUSED`, `UPDATE_FAILED` as their descriptions say
   * @example
   * await concerns.set({ ...concerns.preferences, cost: 'minimal' });
   */
  set(preferences: HostPreferences, options?: RequestOptions): Promise<Sent>;

  /**
   * Says again what the host wants, after the client was connected anew or an update failed. What the server does not
   * declare is left out, and stands in `problems`.
   *
   * @throws {ConcernsError} `UPDATE_REFUSED`, `UPDATE_FAILED`
   */
  resend(options?: RequestOptions): Promise<Sent>;

  /**
   * Makes a transport say what the host wants by itself: with `notifications/initialized` to legacy servers, and with
   * each list and each request that reaches for a primitive where no session is known to hold it. So code that calls the
   * client directly gets the same lists, and so does the SDK when it refreshes a list.
   *
   * @param transport a transport that is not connected yet
   * @returns the same transport
   * @example
   * await client.connect(concerns.over(new StreamableHTTPClientTransport(url)));
   */
  over<T extends HostTransport>(transport: T): T;

  /**
   * @param params the parameters of a request that is sent without this
   * @returns them with what the host wants in `_meta`, where the session is not known to hold it
   * @example
   * await client.experimental.tasks.callToolStream(concerns.withConcerns({ name: 'reencryptAll' }));
   */
  withConcerns<P extends object | undefined>(params: P): P;

  /**
   * Takes lists anew and hands them over: after each `list_changed` of the server, `set` and `resend`. Modern servers
   * announce changes to those who listen only: `client.listen({ toolsListChanged: true })`.
   *
   * @param tell called with each list, never two at a time
   * @param kinds which lists; all that the server has unless told otherwise
   * @returns a function that ends it
   * @example
   * concerns.onChange((change) => 'list' in change && show(change.kind, change.list, change.summary), ['tools']);
   */
  onChange(tell: (change: Change<C>) => void, kinds?: readonly Kind[]): () => void;

  /** The client's method of this name, to the last page; with `params.cursor` one page. Never from the client's cache. */
  readonly listTools: ListMethod<C['listTools']>;
  readonly listPrompts: ListMethod<C['listPrompts']>;
  readonly listResources: ListMethod<C['listResources']>;
  readonly listResourceTemplates: ListMethod<C['listResourceTemplates']>;
  /** The client's method of this name. */
  readonly callTool: C['callTool'];
  readonly getPrompt: C['getPrompt'];
  readonly readResource: C['readResource'];
  readonly subscribeResource: C['subscribeResource'];
  readonly complete: C['complete'];
}
