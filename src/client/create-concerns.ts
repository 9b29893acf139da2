import { LISTS, METHODS, read } from '../core/wire/messages.js';
import type { HostPreferences } from './check-preferences.js';
import type { Concerns, ListChange } from './concerns.js';
import { ListRefresher } from './list-refresher.js';
import { checkFilter, fetchAll, LIST_METHODS, type ListMethods } from './lists.js';
import { type Delivery, PreferenceSync } from './preference-sync.js';
import { acceptsPreferences, inMeta, KINDS, type Kind } from './request-meta.js';
import { callClient, changeSent, type HostClient } from './sdk.js';
import { summaryOf } from './summary.js';
import { listTasks } from './tasks.js';
import { widerConcerns } from './widen.js';

/** The options of {@link createConcerns}. */
export interface CreateConcernsOptions {
  /** Preferences that are known before the client connects. */
  readonly preferences?: HostPreferences;
}

/** The client's methods that name one primitive. With `enforcement: enforce`, servers check these requests too. */
const PRIMITIVE_METHODS = ['callTool', 'getPrompt', 'readResource', 'subscribeResource', 'complete'] as const;

/**
 * Creates the host's side of concerns for an SDK client of v1 or v2, connected or not. It reads the server's
 * declaration, keeps the host's preferences, and sends them in the way that the connection requires. See
 * docs/guides/host-integration.md.
 *
 * @param client a `Client` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`
 * @param options the initial preferences
 * @returns the preferences, and the client's methods that send them
 * @throws {PreferencesError} `CONCERNS_REFUSED` if the preferences are not an object
 * @example
 * const client = new Client({ name: 'host', version: '1.0.0' });
 * const concerns = createConcerns(client, { preferences: { security: 'high' } });
 * await client.connect(concerns.over(new StreamableHTTPClientTransport(url)));
 * const { tools } = await concerns.listTools();
 */
export function createConcerns<C extends HostClient>(
  client: C,
  { preferences: initial = {} }: CreateConcernsOptions = {},
): Concerns<C> {
  const sync = new PreferenceSync(client, initial);
  const withConcerns = <P extends object | undefined>(params: P): P => inMeta(params, sync.forNextRequest());

  const fetchList = async (kind: Kind, params?: object, options?: object): Promise<object> => {
    watchConnection();
    checkFilter(sync.declaration, kind, read(params, 'filter'));
    let restored = false;
    for (;;) {
      const { preferences, declaration } = sync;
      // SDK v2 caches lists by method alone, so its cache must not answer. It must be filled, because `callTool` of v2
      // looks up schemas in it.
      const refresh = declaration.declared && read(options, 'cacheMode') !== 'bypass';
      const sent = refresh ? { ...options, cacheMode: 'refresh' } : options;
      try {
        const list = await fetchAll(kind, withConcerns(params), (page) =>
          callClient(client, LIST_METHODS[kind], [page, sent]),
        );
        // A cursor belongs to the configuration that it was made for, so a single page cannot be fetched again.
        const repeatable = read(params, 'cursor') === undefined && sync.preferences === preferences;
        if (!repeatable || !sync.seemsExpired(summaryOf(list))) return list;
        await sync.restore(restored);
        restored = true;
      } catch (cause) {
        // If the preferences changed between two pages, the cursor became invalid: fetch the list from its first page.
        if (sync.preferences === preferences) throw cause;
      }
    }
  };
  const isListed = (kind: Kind): boolean =>
    read(client.getServerCapabilities(), LISTS[kind].capability) !== undefined;
  const refresher = new ListRefresher(fetchList, isListed, (error) => client.onerror?.(error));

  function watchConnection(): void {
    const { transport } = client;
    if (typeof transport === 'object' && transport !== null) refresher.watch(transport);
  }

  const update = (send: () => Promise<Delivery>): Promise<Delivery> => {
    watchConnection();
    return refresher.duringUpdate(send, ({ via }) => via !== 'none');
  };

  const addPreferences = (message: object): object => {
    watchConnection();
    const { method, params }: { method?: unknown; params?: object } = message;
    if (method === METHODS.initialized && sync.updatable) {
      const { accepted } = sync.check();
      return Object.keys(accepted).length === 0
        ? message
        : { ...message, params: { ...params, concerns: accepted } };
    }
    const sent = acceptsPreferences(method) ? withConcerns(params) : params;
    return sent === params ? message : { ...message, params: sent };
  };

  const listMethods = KINDS.map((kind) => [LIST_METHODS[kind], fetchList.bind(undefined, kind)]);
  const primitiveMethods = PRIMITIVE_METHODS.map((method) => [
    method,
    (params: object, ...rest: readonly unknown[]) =>
      callClient(client, method, [withConcerns(params), ...rest]),
  ]);
  // The methods have the signatures of the client's own, which differ between v1 and v2.
  const methods = Object.fromEntries([...listMethods, ...primitiveMethods]) as Pick<
    Concerns<C>,
    ListMethods[Kind] | (typeof PRIMITIVE_METHODS)[number]
  >;

  return {
    get declaration() {
      return sync.declaration;
    },
    get preferences() {
      return sync.preferences;
    },
    get problems() {
      return sync.check().problems;
    },
    set: (preferences, options) => update(() => sync.set(preferences, options)),
    widen: async (names, options) => {
      const { declaration } = sync;
      // A connection without lists of tools has others; without any, nothing was missing.
      const kind = KINDS.find(isListed);
      if (!declaration.declared || kind === undefined) return undefined;
      // Presets, defaults and the URL are resolved in the server, so only a list says what is in effect.
      const { concerns: inEffect = {} } = summaryOf(await fetchList(kind, undefined, options));
      const concerns = widerConcerns(declaration.concerns, inEffect, names);
      if (concerns === undefined) return undefined;
      const delivery = await update(() => sync.set({ ...sync.preferences, ...concerns }, options));
      return { concerns, delivery };
    },
    resend: (options) => update(() => sync.send(options)),
    listTasks: (filter, order, options) => listTasks(client, filter, order, options),
    over: (transport) => changeSent(transport, addPreferences),
    withConcerns,
    onChange: (listener, kinds = KINDS) => {
      watchConnection();
      return refresher.listen(kinds, (fetched) => {
        const change = 'list' in fetched ? { ...fetched, summary: summaryOf(fetched.list) } : fetched;
        // The list has the type of the client's own result, which differs between v1 and v2.
        listener(change as ListChange<C>);
      });
    },
    ...methods,
  };
}
