import type { Policy } from '../../../src/core/engine/policy.js';
import type { ConnectionObserver } from '../../../src/core/gate/edge/concerns-options.js';
import { Connection } from '../../../src/core/gate/edge/connection.js';
import { Exchange } from '../../../src/core/gate/edge/exchange.js';
import type { Sender } from '../../../src/core/gate/request/configure.js';
import type { Implementation } from '../../../src/core/gate/request/facts.js';
import type {
  PrincipalPreferences,
  SessionPreferences,
} from '../../../src/core/gate/request/kept-preferences.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import {
  CLIENT_CAPABILITIES_META,
  ERRORS,
  LISTS,
  type Message,
  PROTOCOL_VERSION_META,
  type RequestId,
  read,
} from '../../../src/core/wire/messages.js';
import { readPreferences } from '../exchange-of.js';
import { contextOf } from '../gate-harness.js';

/** The lists of a server, by the key of their results; a number is the code of an error. */
type Served = { readonly [kind: string]: readonly object[] | number };

interface Given {
  readonly lists?: Served;
  readonly preferences?: SessionPreferences;
  readonly principal?: PrincipalPreferences | undefined;
  /** The answer to a request, instead of the usual one or of `undefined`. */
  readonly answer?: (method: string) => object | 'never' | undefined;
}

const KIND_OF = new Map<string, string>(Object.entries(LISTS).map(([kind, { method }]) => [method, kind]));

/** A connection of the gate to a server with some lists, and what the gate sends to both sides. */
export class Talk {
  readonly toServer: Message[] = [];
  readonly toClient: { message: Message; relatedTo: RequestId | undefined }[] = [];
  readonly reports: GateReport[] = [];
  /** What each report belongs to. */
  readonly contexts: ReturnType<typeof contextOf>[] = [];
  /** What the page was told. */
  readonly observed: string[] = [];
  /** Who the client and the server are, as the page was told. */
  initialized: { client: Implementation; server: Implementation | undefined } | undefined;
  readonly live: LivePolicy;
  readonly connection: Connection;
  lists: Served;

  constructor(policy: Policy, { lists = {}, answer, preferences, principal }: Given = {}) {
    this.lists = lists;
    this.live = new LivePolicy(policy);
    const tell = (what: keyof ConnectionObserver) => () => void this.observed.push(what);
    this.connection = new Connection(
      {
        gate: {
          policy: this.live,
          principal,
          observe: ({ client }) => {
            this.initialized = { client, server: this.connection.state.server };
            return { changed: tell('changed'), listed: tell('listed'), closed: tell('closed') };
          },
        },
        preferences: preferences ?? { place: 'connection', record: {} },
        report: (report, context) => {
          this.reports.push(report);
          this.contexts.push(contextOf(context));
        },
      },
      {
        toServer: (message) => {
          this.toServer.push(message);
          if ('method' in message && 'id' in message) this.serve(message.id, message.method, answer);
        },
        toClient: async (message, relatedTo) => void this.toClient.push({ message, relatedTo }),
      },
    );
  }

  private serve(id: RequestId, method: string, answer: Given['answer']): void {
    const kind = KIND_OF.get(method) ?? '';
    const items = this.lists[kind] ?? ERRORS.methodNotFound;
    const initialized = { result: { capabilities: { tools: {} } } };
    const found =
      typeof items === 'number'
        ? { error: { code: items, message: 'no list' } }
        : { result: { [kind]: items } };
    const own = answer?.(method);
    if (own === 'never') return;
    const usual = method === 'initialize' ? initialized : found;
    const message = { jsonrpc: '2.0', id, ...(own ?? usual) };
    void this.connection.fromServer(message as Message, async (sent) => {
      this.toClient.push({ message: sent, relatedTo: undefined });
    });
  }

  exchange(method: string, params: Record<string, unknown> = {}, sender: Partial<Sender> = {}): Exchange {
    const request = { jsonrpc: '2.0', id: 1, method, params } as const;
    return new Exchange(this.connection, request, { extra: undefined, ...sender }, request.id);
  }

  /** An exchange of which everything is known: what is kept for its sender, and its configuration. */
  async configured(...given: Parameters<Talk['exchange']>): Promise<Exchange> {
    const exchange = this.exchange(...given);
    await readPreferences(exchange, 'ignore');
    return exchange;
  }

  /** Lets the client initialize the connection. */
  initialize(params: Record<string, unknown> = {}): void {
    this.connection.fromClient(
      { jsonrpc: '2.0', id: 'init', method: 'initialize', params },
      { extra: undefined },
    );
  }

  /** The methods of the notifications and requests that the client got. */
  get methods(): unknown[] {
    return this.toClient.flatMap(({ message }) => ('method' in message ? [message.method] : []));
  }

  /** What is kept for the session of a connection that keeps it itself. */
  get record(): unknown {
    return read(this.connection.state.preferences, 'record');
  }
}

/** The params of a request of 2026-07-28. */
export const modern = (params: object = {}, capabilities: object = {}): Record<string, unknown> => ({
  ...params,
  _meta: {
    [PROTOCOL_VERSION_META]: '2026-07-28',
    [CLIENT_CAPABILITIES_META]: capabilities,
    ...(read(params, '_meta') as object | undefined),
  },
});

/** A store that cannot be reached for some of its operations. */
export function failing(store: SessionStore, ...operations: (keyof SessionStore)[]): SessionStore {
  const fail = async (): Promise<never> => {
    throw new TypeError('no store');
  };
  return { ...store, ...Object.fromEntries(operations.map((name) => [name, fail])) };
}
