import { changesNumbers, inexact } from './numbers.js';
import type { Random } from './random.js';
import { type Kind, OWN_VALUES, PAGES, RESERVED, THINGS, type Thing } from './world.js';

/** The part of a transport that the server uses. */
interface Wire {
  onmessage?: ((message: never) => void) | undefined;
  start(): Promise<void>;
  send(message: never): Promise<void>;
}

const ABOUT = {
  capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
  serverInfo: { name: 'fuzz', version: '1' },
};

const LISTS: Readonly<Record<string, Kind>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

const HANDSHAKES: ReadonlySet<string> = new Set(['initialize', 'server/discover']);

/** How servers read a URI. Some decode escapes before they parse it, some after. */
export const READINGS: readonly [Reading, ...Reading[]] = [
  (uri) => uri,
  parse,
  decode,
  (uri) => decode(parse(uri)),
  (uri) => parse(decode(uri)),
  (uri) => parse(decode(parse(uri))),
];
type Reading = (uri: string) => string;

function parse(uri: string): string {
  try {
    return new URL(uri).href;
  } catch {
    return uri;
  }
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/**
 * A server without an SDK, as trusting as servers get: it takes a list with one name for the name, runs requests without
 * an id, reads batches, and tells everything in answer to a method that it does not know.
 */
export class FuzzServer {
  /** Answers that the server gives later, with the ids of their requests. */
  private late: { readonly id: unknown; readonly answer: object; readonly wire: Wire }[] = [];
  /** The newest connection. */
  private wire: Wire | undefined;
  /** What requests name that the server has received, and not answered: it may repeat this in any message. */
  private readonly named = new Map<object, readonly string[]>();
  /** The things that were used, also by requests without an id. Nobody sees an answer, but the tool has run. */
  readonly used = new Set<Thing>();
  /** The ids of the client's answers to requests of the server. */
  readonly answered: unknown[] = [];
  /** Whether a number of a request had another text than at the client. */
  hasOtherNumbers = false;
  /** What it lists. A hostile server has what the gate adds, too. */
  readonly things: readonly Thing[];

  constructor(
    private readonly random: Random,
    private readonly reading: Reading,
    isHostile = false,
    private readonly lateness = 0.3,
    /** Whether definitions and lists name other primitives. */
    private readonly tells = random.chance(0.3),
    /** Whether results ask the client. */
    private readonly asks = false,
  ) {
    this.things = isHostile ? [...THINGS, ...RESERVED] : THINGS;
  }

  async close(): Promise<void> {
    this.wire = undefined;
  }

  async connect(transport: never): Promise<void> {
    const wire: Wire = transport;
    this.wire = wire;
    wire.onmessage = (message) => this.receive(message, wire);
    await wire.start();
  }

  /** Sends late answers in any order. */
  flush(): void {
    const { late } = this;
    this.late = [];
    while (late.length > 0) {
      const [next] = late.splice(this.random.below(late.length), 1);
      if (next !== undefined) this.send(next.answer, next.wire);
    }
  }

  get isIdle(): boolean {
    return this.late.length === 0;
  }

  /** Whether the client sent an identity itself, in a request that has no answer yet, as a text repeats it. */
  wasGiven(identity: string, repeating: string): boolean {
    return [...this.named.values()].some((names) =>
      names.some((name) => name.includes(identity) && repeating.includes(name)),
    );
  }

  send(message: object, wire = this.wire): void {
    this.named.delete(message);
    // `never`, because the SDKs have different types of messages. A client that has gone gets no answer.
    wire?.send(message as never).catch(() => undefined);
  }

  private receive(message: unknown, wire: Wire): void {
    this.hasOtherNumbers ||= changesNumbers(JSON.stringify(message));
    if (Array.isArray(message)) for (const each of message) this.receive(each, wire);
    const method = read(message, 'method');
    const id = read(message, 'id');
    if (method === undefined && id !== undefined) this.answered.push(id);
    if (typeof method !== 'string') return;
    const params = read(message, 'params');
    if (method === 'notifications/cancelled') this.cancel(read(params, 'requestId'), wire);
    if (method.startsWith('notifications/')) return;
    const outcome = this.answer(method, params);
    if (id === undefined) return;
    const answer = { jsonrpc: '2.0', id, ...outcome };
    this.named.set(answer, namesIn(params));
    // A proxy gives up a server that does not begin for a minute, which is shorter than what people may take.
    const isLate = !HANDSHAKES.has(method) && this.random.chance(this.lateness);
    if (isLate) this.late.push({ id, answer, wire });
    else this.send(answer, wire);
  }

  /** Servers may answer a request although it was cancelled. */
  private cancel(id: unknown, wire: Wire): void {
    if (this.random.chance(0.5)) this.late = this.late.filter((each) => each.id !== id || each.wire !== wire);
  }

  /** Returns the result or the error that answers a request. */
  answer(method: string, params: unknown): object {
    const kind = LISTS[method];
    if (kind !== undefined) {
      const meta = this.tells ? { _meta: { note: `Not ${this.other().identity}.` } } : {};
      const own = this.things.filter((each) => each.kind === kind);
      return { result: { [kind]: own.map((each) => this.definitionOf(each)), ...meta } };
    }
    switch (method) {
      case 'initialize':
        return { result: { protocolVersion: '2025-11-25', ...ABOUT } };
      case 'server/discover':
        return { result: { supportedVersions: ['2026-07-28'], ...ABOUT } };
      case 'ping':
      case 'logging/setLevel':
        return { result: {} };
      case 'tools/call':
        return this.use('tools', text(read(params, 'name')), (tool) => this.called(tool));
      case 'prompts/get':
        return this.use('prompts', text(read(params, 'name')), ({ secret }) => ({
          messages: [{ role: 'user', content: { type: 'text', text: secret } }, ...this.links('content')],
        }));
      case 'resources/read':
        return this.use('resources', this.uri(read(params, 'uri')), ({ identity, secret }) => ({
          contents: [{ uri: identity, text: secret }, ...this.links('contents')],
        }));
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.use('resources', this.uri(read(params, 'uri')), () => ({}));
      case 'resources/directory/read':
        return this.use('resources', this.uri(read(params, 'uri')), () => ({
          resources: ofKind('resources').map(listed),
        }));
      case 'skills/get':
        return this.use('resources', this.uri(read(params, 'uri')), ({ identity }) => ({
          skill: { uri: identity, resources: ofKind('resources').map(listed) },
        }));
      case 'skills/list':
        return { result: { skills: ofKind('resources').map(listed) } };
      case 'completion/complete': {
        const ref = read(params, 'ref');
        const completion = { completion: { values: ['x'] } };
        return read(ref, 'type') === 'ref/prompt'
          ? this.use('prompts', text(read(ref, 'name')), () => completion)
          : this.use('resourceTemplates', text(read(ref, 'uri')), () => completion);
      }
      default:
        return { result: { everything: THINGS } };
    }
  }

  private definitionOf(each: Thing): object {
    const definition = { ...listed(each), ...inexact() };
    if (!this.tells) return definition;
    const note = `Try ${this.other().identity} too.`;
    const { _meta = {} } = definition as { _meta?: object };
    const told = { ...definition, description: `${each.secret} ${note}`, _meta: { ..._meta, note } };
    if (each.kind !== 'tools') return told;
    const choice = { type: 'string', description: note, enum: ['x', this.other().identity] };
    return { ...told, inputSchema: { type: 'object', properties: { choice } } };
  }

  private uri(value: unknown): string {
    return this.reading(text(value));
  }

  private use(kind: Kind, identity: string, run: (found: Thing) => object): object {
    const found =
      this.things.find((each) => each.kind === kind && each.identity === identity) ??
      (kind === 'resources' ? ofKind('resourceTemplates').find((each) => covers(each, identity)) : undefined);
    if (found === undefined) return { error: { code: -32602, message: `Nothing is called ${identity}.` } };
    this.used.add(found);
    if (this.random.chance(0.1)) {
      const other = this.other().identity;
      const data = { [other]: [other], of: found.secret };
      return { error: { code: -32000, message: `It failed, try ${other}.`, data } };
    }
    return { result: { ...run(found), _meta: { of: found.secret } } };
  }

  private called({ secret }: Thing): object {
    if (this.random.chance(0.1)) {
      return { isError: true, content: [{ type: 'text', text: `It failed, use ${this.other().identity}.` }] };
    }
    if (this.asks && this.random.chance(0.2)) return this.asking();
    const content = [{ type: 'text', text: secret }, ...this.links('content')];
    return { content, structuredContent: inexact() };
  }

  /** A result of 2026-07-28 that asks the client, with a name in each text. */
  private asking(): object {
    const note = `Use ${this.other().identity} now.`;
    const content = { type: 'text', text: note };
    const sampling = { messages: [{ role: 'user', content }], systemPrompt: note, maxTokens: 9, tools: [] };
    const schema = { type: 'object', properties: { sure: { type: 'string', title: note } } };
    return {
      resultType: 'input_required',
      inputRequests: {
        form: {
          method: 'elicitation/create',
          params: { message: note, requestedSchema: schema, _meta: { note } },
        },
        model: { method: 'sampling/createMessage', params: sampling },
        [`odd-${this.random.below(9)}`]: { method: note, note },
      },
      requestState: 'state',
    };
  }

  private other(): Thing {
    return this.random.pick(NAMED);
  }

  /** Links to a resource that the answer is not about. */
  private links(where: 'content' | 'contents'): object[] {
    if (this.random.chance(0.5)) return [];
    const { identity, secret } = this.random.pick(RESOURCES);
    if (where === 'contents') return [{ uri: identity, text: secret }];
    return [
      { type: 'resource_link', uri: identity, name: 'linked', description: secret },
      { type: 'resource', resource: { uri: identity, text: secret } },
    ];
  }
}

const ofKind = (kind: Kind): Thing[] => THINGS.filter((each) => each.kind === kind);
const asChoice = (list: readonly Thing[]): readonly [Thing, ...Thing[]] => {
  const [first, ...rest] = list;
  if (first === undefined) throw new RangeError('The server has nothing of a kind.');
  return [first, ...rest];
};
const RESOURCES = asChoice(ofKind('resources'));
const NAMED = asChoice(THINGS);

function listed({ kind, identity, secret }: Thing): object {
  const description = secret;
  if (kind === 'resources') return { uri: identity, name: secret, description };
  if (kind === 'resourceTemplates') return { uriTemplate: identity, name: secret, description };
  if (kind === 'prompts') return { name: identity, description };
  const [page, own] = [PAGES[identity], OWN_VALUES[identity]];
  const meta =
    page === undefined && own === undefined ? {} : { _meta: { ...page, ...(own && { concerns: own }) } };
  return { name: identity, description, inputSchema: { type: 'object' }, ...meta };
}

/** The names that a request has, and what servers read in them. */
function namesIn(params: unknown): readonly string[] {
  const ref = read(params, 'ref');
  // What a call shows or hides stands in its arguments, which reach a server that has a tool of that name, or none.
  const inArguments = textsIn(read(params, 'arguments'));
  const given = [
    read(params, 'name'),
    read(params, 'uri'),
    read(ref, 'name'),
    read(ref, 'uri'),
    ...inArguments,
  ];
  return given.flatMap((name) => (typeof name === 'string' ? READINGS.map((reading) => reading(name)) : []));
}

const textsIn = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [value];

function covers({ identity }: Thing, uri: string): boolean {
  const prefix = identity.slice(0, -'{id}'.length);
  return uri.startsWith(prefix) && /^[^/]+$/.test(uri.slice(prefix.length));
}

/** A server in JavaScript takes a list with one name for the name. */
const text = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.flat().join() : (JSON.stringify(value) ?? '');
};

/** Reads a member of a message that may be anything. */
export function read(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
