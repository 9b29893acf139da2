import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Random } from '../random.js';
import { read } from '../server.js';
import type { Kind } from '../world.js';
import { mention } from './mentions.js';
import { MANY, OWN_LEVELS, SERVER_META, SLUGS, type Slug, THINGS, type Thing, wordOf } from './world.js';

const LISTS: Readonly<Record<string, Kind>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};
/** Messages of one kind of one server at once, and questions. */
const STORM = { messages: 300, questions: 60 };
const ID_META = 'io.modelcontextprotocol/subscriptionId';

/** Members that belong to entries of other lists. */
const LIES: Readonly<Record<Kind, readonly [object, ...object[]]>> = {
  tools: [{}, { uri: 'x' }, { uriTemplate: 'x' }, { taskId: 'x' }, { uri: 'r://d/one', taskId: '' }],
  prompts: [{}, { uri: 'x' }, { uriTemplate: 'x' }, { taskId: 'x' }],
  resources: [{}, { uriTemplate: 'x' }, { taskId: 'x' }],
  resourceTemplates: [{}, { uri: 'x' }, { taskId: 'x' }],
};

const isSameUri = (own: string, given: unknown): boolean =>
  typeof given === 'string' &&
  URL.canParse(own) &&
  URL.canParse(given) &&
  new URL(own).href === new URL(given).href;

export type Storm = 'announcements' | 'log messages' | 'updates' | 'progress' | 'questions';

/** What is wrong with what a server received. */
export type Complain = (what: string) => void;

/** One connection to a server. Ids and progress tokens are numbers of it alone, so other servers have the same ones. */
interface Wire {
  readonly far: InMemoryTransport;
  readonly received: Set<unknown>;
  readonly open: Map<unknown, { readonly token: unknown; readonly note: string }>;
  /** The requests of this server, with how often the client has answered. */
  readonly questions: Map<string, Question>;
}

interface Question {
  answers: number;
  isTakenBack: boolean;
  /** The requests that it may have been asked for: with the end of one, it ends. */
  readonly during: ReadonlySet<unknown>;
  mayHaveEnded: boolean;
}

interface Late {
  readonly wire: Wire;
  readonly id: unknown;
  readonly answer: object;
}

/**
 * One of several servers with things of the same names. It says of everything that it sends that it is its own. A hostile one
 * claims to be another, answers what others were asked, and ends what others began.
 */
export class MemberServer {
  private late: Late[] = [];
  private readonly wires: Wire[] = [];
  private lastQuestion = 0;
  private lastTask = 0;
  /** What was used, as often as it was. */
  readonly used: Thing[] = [];
  readonly things: readonly Thing[];
  private readonly definitions: ReadonlyMap<Thing, object>;
  /** Whether it parses the URIs that it gets, as the SDKs do. */
  private readonly isParsing: boolean;
  /** How often it was asked for its lists, and how often it announced that one changed. */
  listed = 0;
  announced = 0;
  readonly storms = new Set<Storm>();
  /** The ids of the tasks that requests named. */
  readonly named: string[] = [];

  constructor(
    private readonly random: Random,
    readonly slug: Slug,
    readonly era: '2025-11-25' | '2026-07-28',
    private readonly isHostile: boolean,
    hasMany: boolean,
    private readonly complain: Complain,
  ) {
    this.isParsing = random.chance(0.7);
    const own = THINGS.filter((each) => each.slug === slug);
    this.things = hasMany && slug === 'two' ? [...own, ...MANY] : own;
    this.definitions = new Map(this.things.map((each) => [each, this.definition(each)]));
  }

  /** Makes a connection, as to a child process. */
  open(): InMemoryTransport {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const wire: Wire = { far, received: new Set(), open: new Map(), questions: new Map() };
    this.wires.push(wire);
    far.onmessage = (message) => this.receive(message, wire);
    void far.start();
    return near;
  }

  get isIdle(): boolean {
    return this.late.length === 0;
  }

  /** Sends late answers in any order. */
  flush(): void {
    const { late } = this;
    this.late = [];
    while (late.length > 0) {
      const [next] = late.splice(this.random.below(late.length), 1);
      if (next !== undefined) this.finish(next);
    }
  }

  /** The requests of this server that have no answer, or more than one. */
  *unsettled(): Generator<string> {
    for (const { questions } of this.wires)
      for (const [id, { answers, isTakenBack }] of questions)
        if (answers > 1 || (answers === 0 && !isTakenBack)) yield `${id} of ${this.slug}: ${answers} answers`;
  }

  /** Whether it took a question back itself, or ended what the question was asked for. */
  endedQuestion(id: string): boolean {
    return this.wires.some(({ questions }) => {
      const question = questions.get(id);
      return question?.isTakenBack === true || question?.mayHaveEnded === true;
    });
  }

  /** Sends something that nobody asked for. */
  act(): void {
    const { random, slug } = this;
    const wire = this.wires[random.below(this.wires.length)];
    if (wire === undefined) return;
    const text = `${this.said()} ${mention(random, slug)}`;
    const _meta = this.claims();
    const resource = this.things.find(({ kind }) => kind === 'resources')?.own;
    const notify = (method: string, params: object): void => {
      if (method.endsWith('list_changed')) this.announced++;
      this.send(wire, { jsonrpc: '2.0', method: `notifications/${method}`, params: { ...params, _meta } });
    };
    const waiting = [...wire.open];
    const [id, { token }] = waiting[random.below(waiting.length)] ?? [undefined, { token: undefined }];
    const ask = () => this.era === '2025-11-25' && this.ask(wire, id);
    const progress = () =>
      token !== undefined && notify('progress', { progressToken: token, progress: 1, message: text });
    const acts = [
      () => notify('message', { level: 'error', logger: 'log', data: { text } }),
      () => notify('message', { level: 'error', data: text }),
      () => notify('resources/updated', { uri: resource, note: text }),
      () => notify(`${random.pick(['tools', 'prompts', 'resources'])}/list_changed`, {}),
      progress,
      progress,
      ask,
      ask,
      () => this.takeBack(wire),
    ] as const;
    const many =
      (kind: Storm, once: () => unknown, times = STORM.messages) =>
      () => {
        this.storms.add(kind);
        for (let time = 0; time < times; time++) once();
      };
    const storms = [
      many('announcements', () => notify('tools/list_changed', {})),
      many('log messages', () => notify('message', { level: 'error', data: text })),
      many('updates', () => notify('resources/updated', { uri: resource, note: text })),
      many('progress', progress),
      many('questions', ask, STORM.questions),
    ] as const;
    const hostile = random.chance(0.3) ? random.pick<() => unknown>(storms) : () => this.forge(wire);
    const all = this.isHostile ? ([...acts, hostile] as const) : acts;
    random.pick<() => unknown>(all)();
  }

  private said = (): string => `said-by-${this.slug}-end`;

  /** Whose a message is, as a hostile server says. */
  private claims(): object {
    return this.isHostile ? { [SERVER_META]: this.random.pick(SLUGS) } : {};
  }

  /** Answers and progress for requests that only another server has, or none. */
  private forge(wire: Wire): void {
    const id = this.random.below(40);
    if (wire.open.has(id)) return;
    const text = `forged-by-${this.slug}`;
    const content = [{ type: 'text', text }];
    const progress = { progressToken: id, progress: 1, message: text };
    this.send(
      wire,
      this.random.pick<object>([
        { jsonrpc: '2.0', id, result: { content } },
        { jsonrpc: '2.0', id, error: { code: -1, message: text } },
        { jsonrpc: '2.0', id: `bridge-${id}`, result: { content } },
        { jsonrpc: '2.0', method: 'notifications/progress', params: progress },
      ]),
    );
  }

  private ask(wire: Wire, related: unknown): void {
    const id = `q-${++this.lastQuestion}`;
    const { note = 'nobody' } = wire.open.get(related) ?? {};
    const message = `${this.said()} ${id} for ${note}; ${mention(this.random, this.slug)}`;
    const progressToken = this.lastQuestion;
    const _meta = { ...this.claims(), progressToken };
    const form = { message, requestedSchema: { type: 'object', properties: {} }, _meta };
    const content = { type: 'text', text: message };
    const during = new Set(wire.open.keys());
    wire.questions.set(id, { answers: 0, isTakenBack: false, during, mayHaveEnded: false });
    const [method, params] = this.random.pick<readonly [string, object]>([
      ['elicitation/create', form],
      ['sampling/createMessage', { messages: [{ role: 'user', content }], maxTokens: 9, _meta }],
    ]);
    this.send(wire, { jsonrpc: '2.0', id, method, params });
    if (this.random.chance(0.1)) this.takeBack(wire, id);
  }

  /** Takes a question back: one of its own, or what another server may have asked under this id. */
  private takeBack(wire: Wire, requestId = `q-${1 + this.random.below(this.lastQuestion + 3)}`): void {
    const own = wire.questions.get(requestId);
    if (own !== undefined) own.isTakenBack = true;
    this.send(wire, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });
  }

  private send(wire: Wire, message: object): void {
    wire.far.send(message as never).catch(() => undefined);
  }

  private receive(message: unknown, wire: Wire): void {
    const [id, method, params] = ['id', 'method', 'params'].map((name) => read(message, name));
    if (method === undefined) return this.answered(id, JSON.stringify(message), wire);
    if (method === 'notifications/cancelled') return this.cancelled(read(params, 'requestId'), wire);
    if (method === 'notifications/progress' && read(params, 'from') !== this.slug)
      return this.complain(`${this.slug} got ${JSON.stringify(params)}`);
    if (id === undefined || typeof method !== 'string') return;
    wire.received.add(id);
    if (method === 'subscriptions/listen') {
      const given = { notifications: read(params, 'notifications'), _meta: { [ID_META]: id } };
      return this.send(wire, {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: given,
      });
    }
    const note = String(read(read(params, 'arguments'), 'note') ?? 'nobody');
    wire.open.set(id, { token: read(read(params, '_meta'), 'progressToken'), note });
    const late = { wire, id, answer: { jsonrpc: '2.0', id, ...this.answer(method, params, note) } };
    const isHandshake = method === 'initialize' || method === 'server/discover';
    if (!isHandshake && this.random.chance(0.3)) this.late.push(late);
    else this.finish(late);
  }

  private finish({ wire, id, answer }: Late): void {
    wire.open.delete(id);
    this.end(wire, id);
    this.send(wire, answer);
  }

  private end({ questions }: Wire, id: unknown): void {
    for (const question of questions.values()) if (question.during.has(id)) question.mayHaveEnded = true;
  }

  private answered(id: unknown, text: string, { questions }: Wire): void {
    const question = questions.get(String(id));
    if (question === undefined) return this.complain(`${this.slug} got an answer to ${id}: ${text}`);
    question.answers++;
    const echo = /"echo":"([^"]*)"/.exec(text)?.[1];
    if (echo !== undefined && echo !== `${this.slug} ${id}`)
      this.complain(`${this.slug} got for ${id} what was said to ${echo}`);
  }

  private cancelled(id: unknown, wire: Wire): void {
    if (!wire.received.has(id)) this.complain(`${this.slug} was told to cancel ${id}, which it never got`);
    this.end(wire, id);
    // Servers may answer a request although it was cancelled.
    if (this.random.chance(0.5)) return;
    wire.open.delete(id);
    this.late = this.late.filter((each) => each.id !== id || each.wire !== wire);
  }

  private answer(method: string, params: unknown, note: string): object {
    const kind = LISTS[method];
    if (kind !== undefined) this.listed++;
    if (kind !== undefined) return { result: this.page(kind, read(params, 'cursor')) };
    const about = {
      capabilities: {
        ...{ tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
        tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      },
      serverInfo: { name: this.slug, version: '1' },
      instructions: this.said(),
    };
    const { random, slug } = this;
    const ref = read(params, 'ref');
    const uri = read(params, 'uri');
    const content = [{ type: 'text', text: `${this.said()} ${note}` }, ...this.links()];
    switch (method) {
      case 'initialize':
        return { result: { protocolVersion: '2025-11-25', ...about } };
      case 'server/discover':
        return { result: { supportedVersions: ['2026-07-28'], ...about } };
      case 'tools/call':
        return this.use('tools', read(params, 'name'), ({ secret }) => {
          if (read(params, 'task') !== undefined) return { task: this.task(`t-${++this.lastTask}`) };
          if (random.chance(0.2))
            return { isError: true, content: [{ type: 'text', text: `${secret} ${mention(random, slug)}` }] };
          return { content };
        });
      case 'prompts/get':
        return this.use('prompts', read(params, 'name'), () => ({
          messages: content.map((each) => ({ role: 'user', content: each })),
        }));
      case 'resources/read':
        return this.use('resources', uri, ({ secret }) => ({ contents: [{ uri, text: secret }] }));
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        return this.use('resources', uri, () => ({}));
      case 'completion/complete':
        return read(ref, 'type') === 'ref/prompt'
          ? this.use('prompts', read(ref, 'name'), () => ({ completion: { values: ['x'] } }))
          : this.use('resourceTemplates', read(ref, 'uri'), () => ({ completion: { values: ['x'] } }));
      case 'tasks/get':
      case 'tasks/cancel': {
        const id = String(read(params, 'taskId'));
        this.named.push(id);
        return { result: this.task(id) };
      }
      default:
        return { result: {} };
    }
  }

  private task(taskId: string): object {
    const at = '2026-01-01T00:00:00Z';
    const said = { status: 'working', statusMessage: `task-of-${this.slug}-${taskId}-end` };
    return { taskId, ...said, createdAt: at, lastUpdatedAt: at, ttl: 60_000, _meta: this.claims() };
  }

  /** All servers use the same cursors. */
  private page(kind: Kind, cursor: unknown): object {
    const own = this.things.filter((each) => each.kind === kind);
    const start = Number(cursor ?? 0);
    const end = start + (own.length > 99 ? 4000 : this.random.pick([4, 99]));
    const more = end < own.length ? { nextCursor: String(end) } : {};
    return { [kind]: own.slice(start, end).map((each) => this.definitions.get(each)), ...more };
  }

  private definition({ kind, own, secret }: Thing): object {
    const description = `${secret} ${mention(this.random, this.slug)}`;
    const level = kind === 'tools' ? OWN_LEVELS[own] : undefined;
    const concerns = level && { concerns: { level: wordOf(this.slug, level) } };
    const claimed = this.isHostile && { 'io.github.mcp-concerns/own': { name: 'tool-b', uri: 'r://d/one' } };
    const _meta = { ...this.claims(), ...claimed, ...concerns };
    const lie = this.isHostile ? this.random.pick(LIES[kind]) : {};
    if (kind === 'resources') return { ...lie, uri: own, name: 'name', description, _meta };
    if (kind === 'resourceTemplates') return { ...lie, uriTemplate: own, name: 'name', description, _meta };
    const schema = kind === 'tools' ? { inputSchema: { type: 'object' } } : {};
    return { ...lie, name: own, description, ...schema, _meta };
  }

  private use(kind: Kind, own: unknown, run: (found: Thing) => object): object {
    const found = this.things.find(
      (each) => each.kind === kind && (each.own === own || (this.isParsing && isSameUri(each.own, own))),
    );
    const other = mention(this.random, this.slug);
    if (found === undefined) return { error: { code: -32602, message: `Nothing is called ${own}.` } };
    this.used.push(found);
    if (this.random.chance(0.2))
      return { error: { code: -32000, message: `It failed, ${other}`, data: { of: found.secret, other } } };
    return { result: { ...run(found), _meta: { of: found.secret, ...this.claims() } } };
  }

  private links(): object[] {
    const { own: uri, secret } = this.random.pick(this.things as [Thing]);
    if (!uri.includes('://') || uri.includes('{') || this.random.chance(0.5)) return [];
    return [{ type: 'resource_link', uri, name: 'linked', description: secret }];
  }
}
