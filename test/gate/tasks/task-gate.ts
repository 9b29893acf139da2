import type { Policy } from '../../../src/core/engine/policy.js';
import type { ConnectionPorts } from '../../../src/core/gate/edge/connection.js';
import { Connection } from '../../../src/core/gate/edge/connection.js';
import type { ConnectionOptions } from '../../../src/core/gate/edge/connection-state.js';
import { Exchange } from '../../../src/core/gate/edge/exchange.js';
import type { Sender } from '../../../src/core/gate/request/configure.js';
import type { TaskMaker } from '../../../src/core/gate/request/decision.js';
import type { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import type { TaskRecords } from '../../../src/core/gate/tasks/task-records.js';
import type { SessionStore } from '../../../src/core/session/store.js';
import {
  EXTENSION_ID,
  type Message,
  PROTOCOL_VERSION_META,
  type RequestId,
} from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';

/** What the server answers to a request. */
export type Reply = { readonly result: object } | { readonly error: object };
/** Options of a connection, and of its gate. */
export type GivenOptions = Partial<Omit<ConnectionOptions, 'gate'> & ConnectionOptions['gate']>;
type Replies = Record<string, Reply | ((params: Record<string, unknown>) => Reply)>;

/** A gate over a server that answers at once, as the test says. */
export class TaskGate {
  readonly toServer: Message[] = [];
  readonly toClient: Message[] = [];
  readonly reports: GateReport[] = [];
  readonly gate: Connection;
  private lastId = 0;

  constructor(
    policy: Policy | LivePolicy,
    readonly replies: Replies = {},
    { preferences, report, tasks, lister, resumed, ...gate }: GivenOptions = {},
    ports: Partial<ConnectionPorts> = {},
    ledger?: Connection['ledger'],
  ) {
    this.gate = new Connection(
      {
        gate: { ...gate, policy },
        preferences: preferences ?? { place: 'connection', record: {} },
        report: report ?? ((told) => this.reports.push(told)),
        tasks,
        lister,
        resumed,
      },
      {
        toServer: (message) => {
          this.toServer.push(message);
          this.answer(message);
        },
        toClient: async (message) => void this.toClient.push(message),
        ...ports,
      },
      ledger,
    );
  }

  private answer(message: Message): void {
    if (!('method' in message) || !('id' in message)) return;
    const reply = this.replies[message.method];
    if (reply === undefined) return;
    const given = typeof reply === 'function' ? reply(message.params ?? {}) : reply;
    void this.server({ jsonrpc: '2.0', id: message.id, ...given });
  }

  server(message: unknown, relatedTo?: RequestId): Promise<void> {
    const send = async (sent: Message) => void this.toClient.push(sent);
    return this.gate.fromServer(message as Message, send, relatedTo);
  }

  client(message: unknown, sender: Partial<Sender> = {}): void {
    this.gate.fromClient(message as Message, { extra: undefined, ...sender });
  }

  /** Sends a request, and returns what the client has received when nothing is to be done any more. */
  async ask(method: string, params?: object, sender: Partial<Sender> = {}): Promise<readonly Message[]> {
    const id = `request-${++this.lastId}`;
    const request = { jsonrpc: '2.0', id, method };
    this.client(params === undefined ? request : { ...request, params }, sender);
    for (let turns = 0; turns < 3; turns++) await turn();
    return this.answersTo(id);
  }

  answersTo(id: RequestId): readonly Message[] {
    return this.toClient.filter((message) => 'id' in message && message.id === id);
  }

  /** A request that no handler has seen. */
  exchange(method: string, params?: object, sender: Partial<Sender> = {}): Exchange {
    const request = { jsonrpc: '2.0', id: 'own', method } as const;
    const own = params === undefined ? request : { ...request, params: { ...params } };
    return new Exchange(this.gate, own, { extra: undefined, ...sender }, own.id);
  }

  /** The params of the requests with a method that the server has received. */
  received(method: string): unknown[] {
    return this.toServer.flatMap((message) =>
      'method' in message && message.method === method ? [message.params] : [],
    );
  }
}

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Records that tell at once who created which task, and remember what is set. */
export function recordsOf(makers: Record<string, TaskMaker> = {}): TaskRecords & {
  readonly known: Map<string, TaskMaker>;
} {
  const known = new Map(Object.entries(makers));
  return {
    known,
    get: (taskId) => known.get(taskId),
    set(taskId, maker) {
      known.set(taskId, maker);
      return undefined;
    },
  };
}

/** A store that cannot be reached. */
export const BROKEN_STORE: SessionStore = {
  read: () => Promise.reject(new TypeError('secret host')),
  update: () => Promise.reject(new TypeError('secret host')),
  end: () => Promise.reject(new TypeError('secret host')),
};

/** `work` and `open` are shown to those who want a high level, `secret` is not. */
export const levels = (settings = '{}'): Policy =>
  policyOf(`
concerns: { level: { values: [low, high] } }
primitives: { tools: { work: { level: high }, secret: { level: low } } }
settings: ${settings}
`);

/** The params of a request that wants a high level. */
export const HIGH = { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } };

/** What a request of 2026-07-28 has in its `_meta`. */
export const MODERN = { [PROTOCOL_VERSION_META]: '2026-07-28' };

/** A server that lists `work`, `secret` and `open`. */
export const LISTS: Replies = {
  'tools/list': { result: { tools: [{ name: 'work' }, { name: 'secret' }, { name: 'open' }] } },
  'prompts/list': { result: { prompts: [] } },
  'resources/list': { result: { resources: [] } },
  'resources/templates/list': { result: { resourceTemplates: [] } },
};

/** Claims of a verified caller. */
export const verified = (sub: string): Partial<Sender> => ({
  http: {},
  claims: new Map([
    ['iss', 'issuer'],
    ['sub', sub],
  ]),
});
