import type { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { EXTENSION_ID } from '../../../src/index.js';
import type { Area } from '../areas.js';
import type { Random } from '../random.js';
import type { Kind } from '../world.js';
import { formOf, type Plan, SLUGS, type Slug, THINGS, type Thing, type View } from './world.js';

/** A request of a client, and what the oracle has to know about it. */
export interface Sent {
  readonly id: string | number;
  readonly method: string;
  readonly text: string;
  readonly view: View;
  /** The plans that were in force from its arrival until its answer. */
  readonly plans: Set<Plan>;
  readonly list?: Kind;
  /** What it names, in its own list's words. */
  readonly thing?: Thing;
  /** The name or task that it asks a server for, and what is unknown to that server. */
  readonly outside?: string;
  readonly slug?: string | undefined;
  /** Whether it names a resource in another form than its list. */
  readonly isForm?: boolean;
  readonly area: Area;
  answered: boolean;
  cancelled: boolean;
}

const NO_VIEW: View = { level: undefined, topic: undefined };
const LISTS = [
  ['tools/list', 'tools'],
  ['tools/list', 'tools'],
  ['prompts/list', 'prompts'],
  ['resources/list', 'resources'],
  ['resources/templates/list', 'resourceTemplates'],
] as const;
/** Names that no server has, or that only look like those of one. The slug is that of the server that is asked. */
const UNKNOWN: readonly [Unknown, ...Unknown[]] = [
  ['tools/call', 'tool-a', undefined],
  ['tools/call', 'three__tool-a', 'three'],
  ['tools/call', 'ONE__tool-a', undefined],
  ['tools/call', 'one_tool-a', undefined],
  ['tools/call', '__tool-a', undefined],
  ['tools/call', 'one__', 'one'],
  ['tools/call', 'one__tool-x', 'one'],
  ['tools/call', 'two__tool-x', 'two'],
  ['tools/call', 'two__nothing', 'two'],
  ['tools/call', `two__long-${'x'.repeat(40)}1`, 'two'],
  ['prompts/get', 'one__prompt-x', 'one'],
  ['prompts/get', 'two__prompt-x', 'two'],
  ['prompts/get', 'one+prompt-a', undefined],
  ['resources/read', 'r://d/one', undefined],
  ['resources/read', 'three+r://d/one', 'three'],
  ['resources/read', 'two__r://d/one', undefined],
  ['resources/read', 'one-two+r://d/nine', 'one-two'],
  ['tasks/get', 't-1', undefined],
  ['tasks/get', 'three+t-1', 'three'],
  ['tasks/cancel', 'two+t-99', 'two'],
];
type Unknown = readonly [method: string, outside: string, slug: string | undefined];

const nameOf = (method: string, outside: string): object =>
  method.startsWith('tasks/')
    ? { taskId: outside }
    : method.startsWith('resources/')
      ? { uri: outside }
      : { name: outside };

/** A client of all servers, and what it has sent. */
export class Host {
  readonly sent: Sent[] = [];
  readonly byId = new Map<unknown, Sent>();
  /** The tasks that it created, with their tools. */
  readonly tasks = new Map<string, Thing>();
  /** The requests of servers that it got, with what to say to them. */
  readonly questions = new Map<unknown, { readonly slug: string; readonly id: string }>();
  /** The questions that it has not answered. */
  readonly open = new Set<unknown>();
  /** How often each server has told it something, by server and method. */
  readonly told = new Map<string, number>();
  private lastId = 0;

  constructor(
    private readonly random: Random,
    readonly name: string,
    readonly era: 'legacy' | 'modern',
    /** What it prefers without stating it in a request. */
    readonly session: View,
    readonly transport: InMemoryTransport,
  ) {}

  get views(): readonly View[] {
    return [this.session, ...this.sent.map(({ view }) => view)];
  }

  count(slug: string | undefined, method: string): void {
    const key = `${slug} ${method}`;
    this.told.set(key, (this.told.get(key) ?? 0) + 1);
  }

  isOpen = (): boolean => this.sent.some(({ answered, cancelled }) => !answered && !cancelled);

  initialize(plan: Plan): void {
    const extensions = { [EXTENSION_ID]: { concerns: inPolicy(this.session) } };
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {}, sampling: {}, tasks: {}, extensions },
      clientInfo: { name: 'fuzz', version: '1' },
    };
    this.request('initialize', params, { area: 'several: handshakes' }, plan, NO_VIEW);
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  /** Sends the next message. */
  next(plan: Plan): void {
    const { random } = this;
    const roll = random.next();
    const ask = (method: string, params: object, known: Known): void =>
      this.request(method, params, known, plan);
    if (roll < 0.08) return this.cancel();
    if (roll < 0.3) {
      const [method, list] = random.pick(LISTS);
      return ask(method, {}, { list, area: 'several: lists' });
    }
    if (roll < 0.42) {
      const [method, outside, slug] = random.pick(UNKNOWN);
      return ask(method, nameOf(method, outside), { outside, slug, area: 'several: names of nothing' });
    }
    if (roll < 0.45) return ask('ping', {}, { area: 'several: requests to all servers' });
    if (roll < 0.48 && this.era === 'legacy')
      return ask('logging/setLevel', { level: 'debug' }, { area: 'several: requests to all servers' });
    const [task, tool] = [...this.tasks][random.below(this.tasks.size || 1)] ?? [];
    if (roll < 0.54 && task !== undefined && tool !== undefined) {
      const method = random.pick(['tasks/get', 'tasks/get', 'tasks/cancel']);
      return ask(
        method,
        { taskId: task },
        { thing: tool, outside: task, slug: tool.slug, area: 'several: tasks' },
      );
    }
    const thing = THINGS[random.below(THINGS.length)];
    if (thing !== undefined) this.use(thing, ask);
  }

  private use(thing: Thing, ask: (method: string, params: object, known: Known) => void): void {
    const { random, era } = this;
    const { kind, outside, slug } = thing;
    const isLong = outside.length === 48;
    const known = {
      thing,
      outside,
      slug,
      area: isLong ? 'several: shortened names' : 'several: calls',
    } as const;
    const argument = { name: 'id', value: '' };
    const complete = (ref: object) => ask('completion/complete', { ref, argument }, known);
    if (kind === 'tools') {
      const note = `note-${this.name}-${this.lastId + 1}-end`;
      const task = era === 'legacy' && random.chance(0.15) ? { task: {} } : {};
      return ask('tools/call', { name: outside, arguments: { note }, ...task }, known);
    }
    if (kind === 'prompts')
      return random.chance(0.7)
        ? ask('prompts/get', { name: outside }, known)
        : complete({ type: 'ref/prompt', name: outside });
    if (kind === 'resourceTemplates') return complete({ type: 'ref/resource', uri: outside });
    const isRead = era === 'modern' || random.chance(0.7);
    const form = random.chance(0.4) ? formOf(random, thing) : undefined;
    ask(
      isRead ? 'resources/read' : random.pick(['resources/subscribe', 'resources/unsubscribe']),
      { uri: form ?? outside },
      form === undefined ? known : { ...known, outside: form, isForm: true, area: 'several: forms of URIs' },
    );
  }

  private request(method: string, params: object, known: Known, plan: Plan, given?: View): void {
    const { random } = this;
    const number = ++this.lastId;
    // Ids of all clients are alike, and like those of servers and of the bridge.
    const id = random.pick<string | number>([number, number, `q-${number}`, `bridge-${number}`]);
    const stated = given === undefined && random.chance(0.5) ? randomView(random) : undefined;
    const marker = this.era === 'modern' ? { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } : {};
    const extension = stated && { [EXTENSION_ID]: { concerns: inPolicy(stated) } };
    const token = random.chance(0.5) ? { progressToken: number } : {};
    const _meta = { ...marker, ...extension, ...token };
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
    const view = given ?? stated ?? this.session;
    const sent: Sent = {
      ...known,
      ...{ id, method, view, text: JSON.stringify(message), plans: new Set([plan]) },
      ...{ answered: false, cancelled: false },
    };
    this.sent.push(sent);
    this.byId.set(id, sent);
    this.send(message);
  }

  /** The request with a progress token: tokens are the numbers of requests. */
  ofToken = (token: unknown): Sent | undefined =>
    typeof token === 'number'
      ? this.sent.find(({ text }) => text.includes(`"progressToken":${token}}`))
      : undefined;

  private cancel(): void {
    const recent = this.sent.slice(-5).filter(({ method }) => method !== 'initialize');
    const found = recent[this.random.below(recent.length || 1)];
    if (found === undefined) return;
    found.cancelled = true;
    this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: found.id } });
  }

  /** Answers a question of a server, once or twice, so that the server sees for what. */
  reply(id: unknown, token: unknown): void {
    const { slug, id: own } = this.questions.get(id) ?? { slug: '', id: '' };
    if (this.random.chance(0.3))
      this.send({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: token, progress: 1, from: slug },
      });
    const echo = `${slug} ${own}`;
    const result = { action: 'accept', content: { echo }, role: 'assistant', model: 'm' };
    setImmediate(() => this.open.delete(id));
    for (let times = this.random.chance(0.1) ? 2 : 1; times > 0; times--)
      this.send({ jsonrpc: '2.0', id, result });
  }

  private send(message: object): void {
    setImmediate(() => void this.transport.send(message as never).catch(() => undefined));
  }
}

type Known = Pick<Sent, 'list' | 'thing' | 'outside' | 'slug' | 'area' | 'isForm'>;

export function randomView(random: Random): View {
  const topic = SLUGS.filter(() => random.chance(0.6));
  return {
    level: random.pick([undefined, undefined, 'low', 'high']),
    topic: random.chance(0.7) || topic.length === 0 ? undefined : topic,
  };
}

const inPolicy = ({ level, topic }: View): object => ({ level: level ?? null, topic: topic ?? null });

export const isSlug = (text: string | undefined): text is Slug => SLUGS.some((slug) => slug === text);
