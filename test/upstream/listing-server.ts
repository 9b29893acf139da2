import type { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { InMemoryTransport as Transport } from '@modelcontextprotocol/sdk/inMemory.js';
import { read } from '../../src/core/wire/messages.js';

type Answer =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string } };

/** What a server answers to a request; `undefined` for no answer. */
export type Answers = (method: string, params: unknown) => Answer | Promise<Answer> | undefined;

/** A server of 2025-11-25 that writes what it likes, also what no SDK sends. */
export class ListingServer {
  /** How often it was asked, by method. */
  readonly asked = new Map<string, number>();
  /** The answers to its own requests, by id. */
  readonly answered = new Map<unknown, unknown>();
  private wire: InMemoryTransport | undefined;

  constructor(private readonly answers: Answers) {}

  readonly start = (): InMemoryTransport => {
    const [near, far] = Transport.createLinkedPair();
    this.wire = far;
    far.onmessage = (message) => void this.receive(message);
    void far.start();
    return near;
  };

  send(message: object): void {
    void this.wire?.send({ jsonrpc: '2.0', ...message } as never);
  }

  tell(method: string, params?: object): void {
    this.send({ method: `notifications/${method}`, params });
  }

  private async receive(message: unknown): Promise<void> {
    const [id, method] = [read(message, 'id'), read(message, 'method')];
    if (typeof method !== 'string') return void this.answered.set(id, message);
    if (id === undefined) return;
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const answer = await (this.answers(method, read(message, 'params')) ?? usual(method));
    if (answer !== undefined) this.send({ id, ...answer });
  }
}

const capabilities = {
  tools: {},
  prompts: {},
  resources: { subscribe: true },
  logging: {},
  tasks: { list: {} },
};

function usual(method: string): Answer | undefined {
  if (method === 'initialize')
    return {
      result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 's', version: '1' } },
    };
  return method === 'ping' || method === 'logging/setLevel' ? { result: {} } : UNKNOWN;
}

const UNKNOWN: Answer = { error: { code: -32601, message: 'Method not found' } };

/** What a list of one kind has; other methods are as usual. */
export const listing =
  (lists: Readonly<Record<string, readonly unknown[]>>, more: Answers = () => undefined): Answers =>
  (method, params) => {
    const key = KEYS[method];
    const found = key === undefined ? undefined : lists[key];
    if (key === undefined || found === undefined) return more(method, params);
    return { result: { [key]: found } };
  };

const KEYS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'tasks/list': 'tasks',
};

export const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
