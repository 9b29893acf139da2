import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { attachConcerns, LivePolicy, type Policy } from '../../src/index.js';
import { nextMessage, type Sent } from './client-messages.js';
import { Random } from './random.js';
import { FuzzServer, READINGS, read } from './server.js';
import {
  isAllowed,
  isListed,
  type Level,
  type Plan,
  policyOf,
  randomPlan,
  THINGS,
  type Thing,
} from './world.js';

/** How often the gate did what it must not do. */
export interface Counts {
  messages: number;
  leaks: number;
  wrongLists: number;
  unanswered: number;
  answeredTwice: number;
  visibleBlocked: number;
}
export const NO_COUNTS: Counts = {
  messages: 0,
  leaks: 0,
  wrongLists: 0,
  unanswered: 0,
  answeredTwice: 0,
  visibleBlocked: 0,
};
export type Fault = Exclude<keyof Counts, 'messages'>;

/** A fault, with everything that is needed to see it again. */
export interface Finding {
  readonly fault: Fault;
  /** The method of the request. */
  readonly method: string;
  readonly seed: number;
  readonly what: string;
}

/** Policies to choose from. Loading one takes as long as a hundred messages. */
export type Shelf = readonly { readonly plan: Plan; readonly policy: Policy }[];

export function makeShelf(seed: number, size = 40): Shelf {
  const random = new Random(seed);
  return Array.from({ length: size }, () => {
    const plan = randomPlan(random);
    return { plan, policy: policyOf(plan) };
  });
}

/** A request, and the plans that were in force from its arrival until its answer. */
interface Pending extends Sent {
  /** The message as JSON. */
  readonly text: string;
  readonly readings: readonly string[];
  readonly plans: Set<Plan>;
  answered: boolean;
  cancelled: boolean;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const MESSAGES = 60;
/** Turns of the event loop without an answer, after which no answer is expected any more. */
const PATIENCE = 30;

/** Plays one connection: a client, the gate and a server, over the transport of the SDK in memory. */
export async function play(shelf: Shelf, seed: number): Promise<{ counts: Counts; findings: Finding[] }> {
  const random = new Random(seed);
  const counts = { ...NO_COUNTS };
  const findings: Finding[] = [];
  const note = (fault: Fault, requests: readonly Pending[], what: string) => {
    counts[fault]++;
    const method = String(read(requests[0]?.message, 'method') ?? 'none');
    findings.push({ fault, method, seed, what: `${what} for ${describe(requests)}` });
  };
  const choose = () => shelf[random.below(shelf.length)];
  const first = choose();
  if (first === undefined) throw new RangeError('There is no policy to choose.');
  const live = new LivePolicy(first.policy);
  const inForce: { plan: Plan } = { plan: first.plan };
  const everInForce = new Set([first.plan]);
  const requests: Pending[] = [];
  const byId = new Map<unknown, Pending[]>();
  const malformed: Pending[] = [];

  const server = new FuzzServer(random, random.pick(READINGS));
  attachConcerns(server, { policy: live });
  const [client, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide as never);
  client.onmessage = (message) => judge(message);
  await client.start();

  /** The requests with an id. An answer may also have the id of one that is not well-formed, as in a batch. */
  const asked = (id: unknown): readonly Pending[] =>
    byId.get(id) ?? malformed.filter(({ message }) => hasId(message, id));

  function judge(message: unknown): void {
    const text = JSON.stringify(message);
    const isAnswer = read(message, 'method') === undefined;
    const id = read(message, 'id');
    const candidates = isAnswer ? asked(id) : [];
    const unanswered = candidates.filter(({ answered }) => !answered);
    // Whether a cancelled request gets an answer is up to the server.
    const open = unanswered.find(({ cancelled }) => !cancelled) ?? unanswered[0];
    if (isAnswer && (typeof id === 'string' || typeof id === 'number')) {
      if (open !== undefined) open.answered = true;
      else if (candidates.length > 0 && candidates.every((each) => each.id === id))
        note('answeredTwice', candidates, text);
    }
    const list = candidates.find(({ lists }) => lists !== undefined)?.lists;
    const result = read(message, 'result');
    if (list !== undefined && candidates.every(({ lists }) => lists === list) && result !== undefined) {
      const shown = new Set(THINGS.filter(({ secret }) => text.includes(secret)));
      const fits = candidates.some((each) =>
        [...each.plans].some((plan) => isExact(plan, list, each.level, shown)),
      );
      if (!fits) note('wrongLists', candidates, text);
      return;
    }
    for (const thing of THINGS) {
      const { secret, identity } = thing;
      const isNamed = ({ text, readings }: Pending) => text.includes(identity) || readings.includes(identity);
      if (!text.includes(secret) && (!text.includes(identity) || candidates.some(isNamed))) continue;
      const allowed =
        candidates.length > 0
          ? candidates.some((each) => [...each.plans].some((plan) => isAllowed(plan, thing, each.level)))
          : [...everInForce].some((plan) => LEVELS.some((level) => isAllowed(plan, thing, level)));
      if (!allowed) note('leaks', candidates, `${thing.identity} in ${text}`);
    }
    const [only, ...others] = candidates;
    if (only?.names === undefined || others.length > 0 || only.cancelled) return;
    const { names, level } = only;
    const mustPass = [...only.plans].every((plan) => isAllowed(plan, names, level));
    if (mustPass && !text.includes(names.secret)) note('visibleBlocked', candidates, text);
  }

  const send = (sent: Sent): void => {
    counts.messages++;
    const cancelled = requests.filter((each) => each.id !== undefined && each.id === sent.cancels);
    for (const each of cancelled) each.cancelled = true;
    const text = JSON.stringify(sent.message);
    const request: Pending = {
      ...sent,
      text,
      readings: readingsOf(sent.message),
      plans: new Set([inForce.plan]),
      answered: false,
      cancelled: false,
    };
    requests.push(request);
    if (sent.id === undefined) malformed.push(request);
    else byId.set(sent.id, [...(byId.get(sent.id) ?? []), request]);
    void client.send(sent.message as JSONRPCMessage);
  };
  const replacePolicy = (): void => {
    const next = choose();
    if (next === undefined) return;
    inForce.plan = next.plan;
    everInForce.add(next.plan);
    for (const each of requests) if (!each.answered) each.plans.add(next.plan);
    live.replace(next.policy);
  };

  if (random.chance(0.7)) for (const sent of HANDSHAKE) send(sent);
  const mayReplace = random.chance(0.5);
  for (let index = 1; index <= MESSAGES; index++) {
    const recent = requests.slice(-6).flatMap(({ id }) => (id === undefined ? [] : [id]));
    send(nextMessage(random, index, recent));
    if (mayReplace && random.chance(0.05)) replacePolicy();
    if (random.chance(0.1)) server.send(unasked(random));
    if (random.chance(0.2)) await nextTurn();
    if (random.chance(0.2)) server.flush();
  }
  const isOpen = () =>
    requests.some(({ id, answered, cancelled }) => id !== undefined && !answered && !cancelled);
  for (let idle = 0; idle < PATIENCE && (isOpen() || !server.isIdle); idle++) {
    if (!server.isIdle) idle = 0;
    server.flush();
    await nextTurn();
  }
  for (const each of requests) {
    if (each.id !== undefined && !each.answered && !each.cancelled) note('unanswered', [each], 'no answer');
  }
  for (const thing of server.used) {
    const allowed = [...everInForce].some((plan) => LEVELS.some((level) => isAllowed(plan, thing, level)));
    if (!allowed) note('leaks', [], `${thing.identity} was used at the server`);
  }
  await client.close();
  return { counts, findings };
}

const LEVELS: readonly (Level | undefined)[] = [undefined, 'low', 'high'];

const HANDSHAKE: readonly Sent[] = [
  {
    id: 'initialize',
    message: {
      jsonrpc: '2.0',
      id: 'initialize',
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
    },
  },
  { message: { jsonrpc: '2.0', method: 'notifications/initialized' } },
];

function hasId(message: unknown, id: unknown): boolean {
  if (Array.isArray(message)) return message.some((each) => hasId(each, id));
  const own = read(message, 'id');
  if (own === id) return id !== undefined;
  return typeof own === 'object' && typeof id === 'object' && JSON.stringify(own) === JSON.stringify(id);
}

/** What servers read in the URI that a request names. An answer that repeats it reveals nothing. */
function readingsOf(message: unknown): string[] {
  const uri = read(read(message, 'params'), 'uri');
  return typeof uri === 'string' ? READINGS.map((reading) => reading(uri)) : [];
}

function isExact(plan: Plan, kind: string, level: Level | undefined, shown: ReadonlySet<Thing>): boolean {
  return THINGS.every((each) => shown.has(each) === (each.kind === kind && isListed(plan, each, level)));
}

/** What servers send by themselves. */
function unasked(random: Random): object {
  const resource = THINGS.filter(({ kind }) => kind === 'resources')[random.below(5)];
  return random.pick<object>([
    { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: resource?.identity } },
    { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    { jsonrpc: '2.0', id: 'nobody', result: { everything: THINGS } },
    { jsonrpc: '2.0', method: 'notifications/unheard', params: { everything: THINGS } },
  ]);
}

const describe = (requests: readonly Pending[]): string =>
  requests
    .map(
      ({ message, plans }) => `${JSON.stringify(message)} under ${[...plans].map(planText).join(' then ')}`,
    )
    .join(' and ');

const planText = ({ mode, unmapped, entries, patterns }: Plan): string =>
  JSON.stringify({
    mode,
    unmapped,
    entries: Object.fromEntries(entries),
    patterns: Object.fromEntries(patterns),
  });
