import { ACCESS_METHODS, LISTS, METHODS, read } from '../protocol/messages/wire.js';
import { carries, inMeta, KINDS, type Kind } from './carry.js';
import { Refresher } from './changes.js';
import type { HostPreferences } from './check.js';
import type { Change, Concerns } from './concerns.js';
import { Keeper, type Sent } from './keeper.js';
import { LIST_METHODS, listAll } from './lists.js';
import { callClient, type HostClient } from './sdk.js';
import { summaryOf } from './summary.js';
import { changeSent, watchReceived } from './transport.js';

export interface ConcernsOptions {
  /** What is known before there is a connection. */
  readonly preferences?: HostPreferences;
}

/** The methods that reach for a primitive: under `enforce` servers judge them by what the host asked for. */
const REACHING = {
  [ACCESS_METHODS.call]: 'callTool',
  [ACCESS_METHODS.get]: 'getPrompt',
  [ACCESS_METHODS.read]: 'readResource',
  [ACCESS_METHODS.subscribe]: 'subscribeResource',
  [ACCESS_METHODS.complete]: 'complete',
} as const satisfies {
  readonly [R in (typeof ACCESS_METHODS)[keyof typeof ACCESS_METHODS]]: keyof HostClient;
};

/**
 * The host's side of concerns, for an SDK client of v1 or v2 that is connected or will be: reads what the server
 * declares, keeps what the host wants, and says it the way the era of the connection takes it. See docs/client.md.
 *
 * @param client a `Client` of `@modelcontextprotocol/sdk` or `@modelcontextprotocol/client`
 * @param options what the host wants from the start, if that is known
 * @returns what the host wants, and the client's methods that say so
 * @throws {ConcernsError} `CONCERNS_REFUSED` if the preferences are no object
 * @example
 * const client = new Client({ name: 'host', version: '1.0.0' });
 * const concerns = createConcerns(client, { preferences: { security: 'high' } });
 * await client.connect(concerns.over(new StreamableHTTPClientTransport(url)));
 * const { tools } = await concerns.listTools();
 */
export function createConcerns<C extends HostClient>(
  client: C,
  { preferences: initial = {} }: ConcernsOptions = {},
): Concerns<C> {
  const keeper = new Keeper(client, initial);
  const withConcerns = <P extends object | undefined>(params: P): P => inMeta(params, keeper.carried());

  const take = async (kind: Kind, params?: object, given?: object): Promise<object> => {
    watchConnection();
    let restored = false;
    for (;;) {
      const { preferences, declaration } = keeper;
      // SDK v2 keeps lists by their method alone. Stored they must be: it calls tools by what it stored.
      const fresh = declaration.declared && read(given, 'cacheMode') !== 'bypass';
      const fetched = fresh ? { ...given, cacheMode: 'refresh' } : given;
      try {
        const list = await listAll(client, kind, withConcerns(params), fetched);
        // One page cannot be asked for with other concerns: its cursor belongs to what was in effect.
        const telling = read(params, 'cursor') === undefined && keeper.preferences === preferences;
        if (!telling || !keeper.seemsExpired(summaryOf(list))) return list;
        await keeper.restore(restored);
        restored = true;
      } catch (cause) {
        // Its cursors belong to what the host wanted when it began.
        if (keeper.preferences === preferences) throw cause;
      }
    }
  };
  const refresher = new Refresher({
    take,
    has: (kind) => read(client.getServerCapabilities(), LISTS[kind].capability) !== undefined,
    report: (error) => client.onerror?.(error),
  });

  const watched = new WeakSet<object>();
  function watchConnection(): void {
    const { transport } = client;
    if (typeof transport !== 'object' || transport === null || watched.has(transport)) return;
    watched.add(transport);
    watchReceived(transport, (message) => refresher.notice(message));
  }

  const send = (act: () => Promise<Sent>): Promise<Sent> => {
    watchConnection();
    return refresher.during(act, ({ by }) => by !== 'nothing');
  };

  const sayBefore = (message: object): object => {
    watchConnection();
    const { method, params } = message as { method?: unknown; params?: object };
    if (method === METHODS.initialized && keeper.updatable) {
      const { fitting } = keeper.check();
      return Object.keys(fitting).length === 0
        ? message
        : { ...message, params: { ...params, concerns: fitting } };
    }
    const said = carries(method) ? withConcerns(params) : params;
    return said === params ? message : { ...message, params: said };
  };

  const listing = KINDS.map((kind) => [
    LIST_METHODS[kind],
    (params?: object, given?: object) => take(kind, params, given),
  ]);
  const reaching = Object.values(REACHING).map((method) => [
    method,
    (params: object, ...rest: readonly unknown[]) =>
      callClient(client, method, [withConcerns(params), ...rest]),
  ]);
  const methods = Object.fromEntries([...listing, ...reaching]) as Pick<
    Concerns<C>,
    (typeof LIST_METHODS)[Kind] | (typeof REACHING)[keyof typeof REACHING]
  >;

  return {
    get declaration() {
      return keeper.declaration;
    },
    get preferences() {
      return keeper.preferences;
    },
    get problems() {
      return keeper.check().problems;
    },
    set: (preferences, given) => send(() => keeper.set(preferences, given)),
    resend: (given) => send(() => keeper.send(given)),
    over: (transport) => changeSent(transport, sayBefore),
    withConcerns,
    onChange: (tell, kinds = KINDS) => {
      watchConnection();
      return refresher.watch(kinds, (taken) =>
        tell(('list' in taken ? { ...taken, summary: summaryOf(taken.list) } : taken) as Change<C>),
      );
    },
    ...methods,
  };
}
