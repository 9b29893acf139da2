import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { attachGate } from '../../src/core/gate/attach.js';
import { takeKey } from '../../src/core/gate/whole-list-key.js';
import { EXTENSION_ID, LivePolicy, type Policy } from '../../src/index.js';
import { bridge } from '../../src/proxy/isolation.js';
import { type Reached, reach } from './areas.js';
import { nextMessage, type Sent } from './client-messages.js';
import { FuzzClock } from './clock.js';
import { type Fault, type Finding, NO_COUNTS, type Played } from './findings.js';
import { listFits } from './lists.js';
import { changesNumbers } from './numbers.js';
import { Random } from './random.js';
import { FuzzServer, READINGS, read } from './server.js';
import { clientAnswers, numberIn, unasked } from './server-messages.js';
import { SessionViews } from './switches.js';
import {
  isAllowed,
  isHiddenByEntry,
  isKnownByEntry,
  isReachable,
  levelOf,
  type Plan,
  policyOf,
  randomPlan,
  THINGS,
  type Thing,
  VIEWS,
  type View,
  withLevel,
} from './world.js';

/** Policies to choose from. Loading one takes as long as a hundred messages. */
export type Shelf = readonly { readonly plan: Plan; readonly policy: Policy }[];

export function makeShelf(seed: number, size = 40): Shelf {
  const random = new Random(seed);
  return Array.from({ length: size }, () => {
    const plan = randomPlan(random);
    return { plan, policy: policyOf(plan) };
  });
}

/** A request, and the plans and preferences that were in force from its arrival until its answer. */
interface Pending extends Sent {
  /** The message as JSON. */
  readonly text: string;
  readonly readings: readonly string[];
  readonly plans: Set<Plan>;
  readonly views: Set<View>;
  answered: boolean;
  cancelled: boolean;
  /** Called with whether the request changed the preferences of the session. */
  settle?: (changed: boolean) => void;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const MESSAGES = 60;
/** One in ten is modern. */
const MANY_MESSAGES = 400;
/** Turns of the event loop without an answer, after which no answer is expected any more. */
const PATIENCE = 30;
/** How long the gate waits for prompts that arrive together, and for a person, in milliseconds. */
const TOGETHER = 200;
const FOR_A_PERSON = 120_000;

/** Which versions of the protocol a client and the server behind a translation speak. */
interface Eras {
  readonly client: 'legacy' | 'modern';
  readonly server: '2025-11-25' | '2026-07-28';
}

/** Plays one connection: a client, the gate and a server, over the transport of the SDK in memory. */
export async function play(shelf: Shelf, seed: number, eras?: Eras): Promise<Played> {
  const clock = new FuzzClock();
  try {
    return await playUnder(clock, shelf, seed, eras);
  } finally {
    clock.restore();
  }
}

/** Plays one connection with a translation between the gate and the server, for each pair of eras. */
export const playBridged = (shelf: Shelf, seed: number): Promise<Played> => {
  const random = new Random(seed);
  const client = random.pick(['legacy', 'modern'] as const);
  return play(shelf, seed, { client, server: random.pick(['2025-11-25', '2026-07-28'] as const) });
};

/** Opens a wire to the server, as a child process has one. */
function wireTo(server: FuzzServer): InMemoryTransport {
  const [near, far] = InMemoryTransport.createLinkedPair();
  void server.connect(far as never);
  return near;
}

async function playUnder(
  clock: FuzzClock,
  shelf: Shelf,
  seed: number,
  eras: Eras | undefined,
): Promise<Played> {
  const random = new Random(seed);
  const counts = { ...NO_COUNTS };
  const findings: Finding[] = [];
  const reached: Reached = {};
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

  const isHostile = random.chance(0.3);
  const server = new FuzzServer(
    random,
    random.pick(READINGS),
    isHostile,
    0.3,
    random.chance(0.3),
    eras === undefined && random.chance(0.3),
  );
  const [client, serverSide] = InMemoryTransport.createLinkedPair();
  const upstream = eras && bridge(() => wireTo(server), 'per-session', { protocol: eras.server });
  const isModern = eras?.client === 'modern';
  const front = (isModern ? await upstream?.make({ era: 'modern' }) : upstream?.connection()) ?? server;
  // What servers of an SDK get from attachConcerns, which refuses all others.
  attachGate(front, { policy: live, opens: takeKey });
  await front.connect(serverSide as never);
  client.onmessage = (message) => judge(message);
  await client.start();

  const host: Client = {
    isInitialized: eras === undefined ? random.chance(0.7) : !isModern,
    prefers: random.pick<View>([undefined, undefined, 'low', 'high']),
    surfaces: random.pick<object>([{}, { elicitation: {}, sampling: {} }, { elicitation: {} }, SHOWS_PAGES]),
  };
  const session = new SessionViews(host.isInitialized ? host.prefers : undefined);
  /** The ids of forms of the gate, and of requests of the server that the client got, with how often it answered. */
  const forms = new Set<unknown>();
  const passed = new Map<unknown, number>();
  /** The preferences that a message of the server may be seen under, as long as it may be on its way. */
  const unaskedViews = new Set<View>();
  /** What a message of the server may repeat, by its number. */
  const given = new Map<number, Thing>();

  /** The requests with an id. An answer may also have the id of one that is not well-formed, as in a batch. */
  const asked = (id: unknown): readonly Pending[] =>
    byId.get(id) ?? malformed.filter(({ message }) => hasId(message, id));
  const someView = (each: Pending, test: (plan: Plan, view: View) => boolean): boolean =>
    [...each.plans].some((plan) => [...each.views].some((view) => test(plan, view)));

  function judge(message: unknown): void {
    const text = JSON.stringify(message);
    const id = read(message, 'id');
    if (changesNumbers(text)) note('changedNumbers', asked(id), text);
    if (read(message, 'method') !== undefined) return judgeUnasked(message, text);
    if (text.includes('"inputRequests"')) reach(reached, 'results that ask the client');
    const candidates = asked(id);
    const unanswered = candidates.filter(({ answered }) => !answered);
    // Whether a cancelled request gets an answer is up to the server.
    const open = unanswered.find(({ cancelled }) => !cancelled) ?? unanswered[0];
    if (typeof id === 'string' || typeof id === 'number') {
      if (open !== undefined) open.answered = true;
      else if (candidates.length > 0 && candidates.every((each) => each.id === id))
        note('answeredTwice', candidates, text);
    }
    if (candidates.length === 1 && !candidates[0]?.cancelled) settleSwitch(candidates[0], text);
    const list = candidates.find(({ lists }) => lists !== undefined)?.lists;
    const result = read(message, 'result');
    if (list !== undefined && candidates.every(({ lists }) => lists === list) && result !== undefined)
      return judgeList(list, candidates, text);
    const known: readonly Thing[] = candidates.every(isWellFormed) ? server.things : THINGS;
    for (const thing of known) {
      if (!appears(thing, candidates, text)) continue;
      // Definitions name what is in another list, unless an entry of the policy has it. The page shows definitions.
      const isQuoted =
        candidates.some(({ isPanel, lists }) => isPanel || lists !== undefined) &&
        !text.includes(thing.secret);
      const allowed =
        candidates.length > 0
          ? candidates.some((each) =>
              someView(
                each,
                (plan, view) =>
                  (isQuoted && (plan.mode !== 'enforce' || !isKnownByEntry(plan, thing))) ||
                  (each.isPanel === true && plan.panel !== 'off'
                    ? isReachable(plan, thing)
                    : isAllowed(plan, thing, view)),
              ),
            )
          : [...everInForce].some((plan) => VIEWS.some((view) => isAllowed(plan, thing, view)));
      if (!allowed) note('leaks', candidates, `${thing.identity} in ${text}`);
    }
    const [only, ...others] = candidates;
    if (only?.names === undefined || others.length > 0 || only.cancelled) return;
    const { names } = only;
    const isHidden = someView(only, (plan, view) => !isAllowed(plan, names, view));
    if (!isHidden && !text.includes(names.secret)) note('visibleBlocked', candidates, text);
  }

  function judgeList(list: string, candidates: readonly Pending[], text: string): void {
    if (isHostile && list !== 'resourceTemplates') reach(reached, 'lists of a server with reserved names');
    const fits = (plan: Plan, view: View) => listFits({ things: server.things, list, text }, plan, view);
    if (!candidates.some((each) => someView(each, fits))) note('wrongLists', candidates, text);
  }

  function judgeUnasked(message: unknown, text: string): void {
    const id = read(message, 'id');
    const views = new Set([...unaskedViews, ...session.possible, ...openViews()]);
    for (const thing of THINGS) {
      // The server may repeat a name that the client sent it, of anything or of nothing: a gate that took out only the
      // names of what is hidden would confirm a guess. Without such a request, the server told the name by itself.
      const isTold = text.includes(thing.identity) && given.get(numberIn(text)) !== thing;
      if (!isTold && !text.includes(thing.secret)) continue;
      const isHidden =
        [...everInForce].every((plan) => [...views].every((view) => isHiddenByEntry(plan, thing, view))) ||
        ![...everInForce].some(
          (plan) =>
            VIEWS.some((view) => isAllowed(plan, thing, view)) ||
            plan.unmapped === 'hide' ||
            // No list is fetched for a message of the server, and texts are searched for names, not for what templates match.
            !isKnownByEntry(plan, thing),
        );
      if (isHidden) note('leaks', [], `${thing.identity} in ${text}`);
    }
    if (id === undefined) return;
    const isForm = typeof id === 'string' && !id.startsWith('server-');
    if (isForm) reach(reached, 'forms of the gate');
    const target = random.pick<View>(VIEWS_TO_CHOOSE);
    const preset = random.pick(['-', '-', 'low', 'high'] as const);
    const content = isForm ? { preset, level: target ?? '-' } : { sure: 'yes' };
    const answers = clientAnswers(random, id, content);
    if (isForm) {
      forms.add(id);
      // Of several calls that wait, it is not known which the form belongs to, nor which of two with one id was answered.
      const waiting = requests.filter(
        (each) => each.isPanel && asked(each.id).some(({ answered }) => !answered),
      );
      const settle = session.begin(
        { by: 'form', targets: [target, ...(preset === '-' ? [] : [preset])] },
        new Set(waiting.flatMap(({ plans }) => [...plans])),
      );
      spreadViews();
      const [only] = waiting;
      if (only !== undefined && waiting.length === 1 && only.settle === undefined) only.settle = settle;
    } else passed.set(id, answers.length);
    for (const each of answers) {
      reach(reached, 'answers of the client');
      setImmediate(() => void client.send(each as JSONRPCMessage).catch(() => undefined));
    }
  }

  /** Notes whether a switch says that it changed something. */
  function settleSwitch(request: Pending | undefined, text: string): void {
    if (request?.settle === undefined || asked(request.id).length !== 1) return;
    const isForm = request.change === undefined;
    const isRefused = /"error":|"isError":true|Nothing changed/.test(text);
    const changed = isForm ? text.includes('The person changed') : !isRefused;
    reach(reached, changed ? 'switches that changed something' : 'switches that were refused');
    request.settle(changed);
  }

  function* openViews(): Generator<View> {
    // Of two requests with one id, it is not known which was answered: the server may still work on either.
    const mayBeOpen = (each: Pending): boolean =>
      !each.answered || asked(each.id).some(({ answered }) => !answered);
    for (const each of requests) if (mayBeOpen(each)) yield* each.views;
  }

  /** A request may state another level than its session has. Tools that were hidden one by one stay so. */
  function addViews({ states, views }: Pending, ofSession: Iterable<View>): void {
    for (const view of ofSession)
      views.add(states === undefined ? view : withLevel(view, levelOf(states[0])));
  }

  /** What a session may prefer now applies to each request that has no answer yet. */
  function spreadViews(): void {
    for (const each of requests) if (!each.answered) addViews(each, session.possible);
    for (const view of session.possible) unaskedViews.add(view);
  }

  const send = (sent: Sent): void => {
    counts.messages++;
    reach(reached, sent.area);
    const cancelled = requests.filter((each) => each.id !== undefined && each.id === sent.cancels);
    for (const each of cancelled) each.cancelled = true;
    const text = JSON.stringify(sent.message);
    const request: Pending = {
      ...sent,
      text,
      readings: readingsOf(sent.message),
      plans: new Set([inForce.plan]),
      views: new Set(),
      answered: false,
      cancelled: false,
    };
    requests.push(request);
    if (sent.isModern) addViews(request, [undefined]);
    addViews(request, session.possible);
    if (sent.id === undefined) malformed.push(request);
    else byId.set(sent.id, [...(byId.get(sent.id) ?? []), request]);
    // A modern request changes nothing for later ones.
    if (sent.change !== undefined && !(sent.isModern && !host.isInitialized)) {
      request.settle = session.begin(sent.change, request.plans);
      spreadViews();
    }
    void client.send(sent.message as JSONRPCMessage);
  };
  const replacePolicy = (): void => {
    const next = choose();
    if (next === undefined) return;
    inForce.plan = next.plan;
    everInForce.add(next.plan);
    for (const each of requests) if (!each.answered) each.plans.add(next.plan);
    session.grow();
    spreadViews();
    live.replace(next.policy);
  };

  if (host.isInitialized) for (const sent of handshakeOf(host)) send(sent);
  const mayReplace = random.chance(0.5);
  for (let index = 1; index <= (isModern ? MANY_MESSAGES : MESSAGES); index++) {
    const recent = requests
      .slice(-6)
      .flatMap(({ id }) => (id === undefined || id === 'initialize' ? [] : [id]));
    const next = nextMessage(random, index, recent);
    // A translation gets well-formed messages of one era.
    const isRequest = next.id !== undefined || next.cancels !== undefined;
    if (eras !== undefined && !(isRequest && (next.isModern ?? false) === isModern)) continue;
    send(next);
    if (eras !== undefined) reach(reached, `translated: ${eras.client} clients of ${eras.server} servers`);
    if (mayReplace && random.chance(0.05)) replacePolicy();
    if (random.chance(0.1)) {
      const { message, names, area, passes } = unasked(random, index);
      if (names !== undefined && server.wasGiven(names.identity, JSON.stringify(message)))
        given.set(index, names);
      reach(reached, area);
      counts.messages++;
      for (const view of [...openViews(), ...session.possible]) unaskedViews.add(view);
      if (passes !== undefined) passed.set(read(message, 'id'), 0);
      server.send(message);
    }
    if (random.chance(0.2)) await nextTurn();
    if (random.chance(0.2)) server.flush();
    if (random.chance(0.1)) clock.advance(TOGETHER);
  }
  const answersTo = (id: unknown): number => server.answered.filter((each) => each === id).length;
  const isOpen = () =>
    requests.some(({ id, answered, cancelled }) => id !== undefined && !answered && !cancelled) ||
    [...passed].some(([id, times]) => times > answersTo(id));
  for (let idle = 0; idle < PATIENCE && (isOpen() || !server.isIdle); idle++) {
    if (!server.isIdle) idle = 0;
    server.flush();
    clock.advance(idle === PATIENCE / 2 ? FOR_A_PERSON : TOGETHER);
    await nextTurn();
  }
  for (const each of requests) {
    if (each.id !== undefined && !each.answered && !each.cancelled) note('unanswered', [each], 'no answer');
  }
  for (const thing of server.used) {
    // In other modes, what a client sends that is not well-formed reaches the server.
    if (thing.isReserved && [...everInForce].some(({ mode }) => mode !== 'enforce')) continue;
    const allowed = [...everInForce].some((plan) => VIEWS.some((view) => isAllowed(plan, thing, view)));
    if (!allowed) note('leaks', [], `${thing.identity} was used at the server`);
  }
  for (const [id, times] of passed) {
    const got = answersTo(id);
    // What is refused is answered by the gate.
    if (got < times) note('unanswered', [], `${id} of the server`);
    if (got > Math.max(times, 1)) note('answeredTwice', [], `${id} of the server`);
  }
  for (const id of server.answered) {
    if (forms.has(id)) note('leaks', [], 'the answer to a form of the gate reached the server');
  }
  await client.close();
  await upstream?.close();
  return { counts, findings, reached };
}

const VIEWS_TO_CHOOSE: readonly [View, ...View[]] = [undefined, 'low', 'high'];
const SHOWS_PAGES = {
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** What a client says about itself. */
interface Client {
  readonly isInitialized: boolean;
  readonly prefers: View;
  /** The capabilities that say how it can ask its person. */
  readonly surfaces: object;
}

function handshakeOf({ prefers, surfaces }: Client): readonly Sent[] {
  const { extensions = {} } = surfaces as { extensions?: object };
  const concerns = prefers === undefined ? {} : { [EXTENSION_ID]: { concerns: { level: prefers } } };
  const capabilities = { ...surfaces, extensions: { ...extensions, ...concerns } };
  const params = {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'fuzz', version: '1' },
  };
  return [
    { id: 'initialize', message: { jsonrpc: '2.0', id: 'initialize', method: 'initialize', params } },
    { message: { jsonrpc: '2.0', method: 'notifications/initialized' } },
  ];
}

/** Whether it is a request that the gate must understand in every mode. */
const isWellFormed = ({ id }: Pending): boolean => id !== undefined;

/** Whether a message tells of a thing what its request did not. The names of what is reserved are everywhere. */
function appears(
  { secret, identity, isReserved }: Thing,
  candidates: readonly Pending[],
  text: string,
): boolean {
  if (text.includes(secret)) return true;
  if (isReserved || !text.includes(identity)) return false;
  return !candidates.some((each) => each.text.includes(identity) || each.readings.includes(identity));
}

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

const describe = (requests: readonly Pending[]): string =>
  requests
    .map(
      ({ message, plans }) => `${JSON.stringify(message)} under ${[...plans].map(planText).join(' then ')}`,
    )
    .join(' and ');

const planText = ({ mode, unmapped, panel, entries, patterns }: Plan): string =>
  JSON.stringify({
    mode,
    unmapped,
    panel,
    entries: Object.fromEntries(entries),
    patterns: Object.fromEntries(patterns),
  });
