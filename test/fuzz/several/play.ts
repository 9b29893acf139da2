import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { attachGate } from '../../../src/core/gate/attach.js';
import { LivePolicy, type Policy } from '../../../src/index.js';
import { bridgeSeveral } from '../../../src/proxy/several/bridge-several.js';
import { type Reached, reach } from '../areas.js';
import { FuzzClock } from '../clock.js';
import { type Fault, type Finding, NO_COUNTS, type Played } from '../findings.js';
import { Random } from '../random.js';
import { Host, randomView } from './host.js';
import { Judge } from './judge.js';
import { MemberServer } from './member.js';
import { policyOf, randomPlan } from './policy.js';
import { isAllowed, type Plan, SLUGS } from './world.js';

/** Policies of three servers each to choose from. Composing one takes as long as a thousand messages. */
export type SeveralShelf = readonly { readonly plan: Plan; readonly policy: Policy }[];

export function makeSeveralShelf(seed: number, size = 8): SeveralShelf {
  const random = new Random(seed);
  return Array.from({ length: size }, () => {
    const plan = randomPlan(random);
    return { plan, policy: policyOf(plan) };
  });
}

const MESSAGES = 80;
/** One of so many endpoints has a server with 10,000 tools. */
const MANY_EACH = 30;
/** How often a second passes. */
const PAUSES = 0.04;
const SECOND_MS = 1000;
/** More seconds than pass in one endpoint, so that no server is late, which would leave it out of lists. */
const PATIENCE_MS = 600_000;
/** Turns of the event loop without an answer, after which no answer is expected any more. */
const PATIENCE = 60;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Plays one endpoint: three servers with equal names as one, and a gate for each of its clients, under one policy. */
export async function playSeveral(shelf: SeveralShelf, seed: number): Promise<Played> {
  // A machine under load must not make a server late, which leaves it out of lists.
  const clock = new FuzzClock();
  try {
    return await playWithoutTime(shelf, seed, clock);
  } finally {
    clock.restore();
  }
}

async function playWithoutTime(shelf: SeveralShelf, seed: number, clock: FuzzClock): Promise<Played> {
  const random = new Random(seed);
  const counts = { ...NO_COUNTS };
  const findings: Finding[] = [];
  const reached: Reached = {};
  const note = (fault: Fault, method: string, what: string): void => {
    counts[fault]++;
    findings.push({ fault, method, seed, what: `several servers: ${what}` });
  };
  const choose = () => shelf[random.below(shelf.length)];
  const first = choose();
  if (first === undefined) throw new RangeError('There is no policy to choose.');
  const live = new LivePolicy(first.policy);
  let plan = first.plan;
  const everInForce = new Set([plan]);

  const hasMany = seed % MANY_EACH === 0;
  const servers = SLUGS.map((slug) => {
    const era = random.pick(['2025-11-25', '2025-11-25', '2026-07-28'] as const);
    const complain = (what: string): void => note('wrongServer', 'none', what);
    return new MemberServer(random, slug, era, random.chance(0.4), hasMany, complain);
  });
  const isShared = random.chance(0.3);
  const several = bridgeSeveral(
    new Map(servers.map((server) => [server.slug, () => server.open()])),
    isShared ? 'shared' : 'per-session',
    (slug) => ({
      protocol: servers.find((server) => server.slug === slug)?.era,
      isLongLived: true,
      isOfOnePerson: true,
    }),
    undefined,
    PATIENCE_MS,
  );
  const judge = new Judge(servers, everInForce, note, reached);
  const hosts: Host[] = [];
  for (const name of random.chance(0.5) ? ['h1', 'h2'] : ['h1']) {
    const era = random.chance(0.25) ? 'modern' : 'legacy';
    const front = era === 'modern' ? await several.make({ era }) : several.connection();
    attachGate(front, { policy: live, upstream: front.behind });
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await front.connect(theirs);
    const session = era === 'modern' ? { level: undefined, topic: undefined } : randomView(random);
    const host = new Host(random, name, era, session, ours);
    ours.onmessage = (message) => judge.message(host, message);
    await ours.start();
    hosts.push(host);
    reach(reached, era === 'modern' ? 'several: modern clients' : undefined);
    if (era === 'legacy') host.initialize(plan);
  }
  if (isShared && hosts.length > 1) reach(reached, 'several: clients that share servers');

  const isOpen = (): boolean => hosts.some((host) => host.isOpen()) || servers.some(({ isIdle }) => !isIdle);
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < PATIENCE && isOpen(); idle++) {
      if (servers.some(({ isIdle }) => !isIdle)) idle = 0;
      for (const server of servers) server.flush();
      await nextTurn();
    }
  };
  await settle();
  let seconds = 0;
  const mayReplace = random.chance(0.2);
  for (let index = 1; index <= MESSAGES; index++) {
    hosts[random.below(hosts.length)]?.next(plan);
    const next = mayReplace && random.chance(0.03) ? choose() : undefined;
    if (next !== undefined) {
      reach(reached, 'several: policies that were replaced');
      plan = next.plan;
      everInForce.add(plan);
      for (const { sent } of hosts) for (const each of sent) if (!each.answered) each.plans.add(plan);
      live.replace(next.policy);
    }
    if (random.chance(0.5)) {
      counts.messages++;
      servers[random.below(servers.length)]?.act();
    }
    if (random.chance(0.3)) await nextTurn();
    if (random.chance(PAUSES)) {
      seconds++;
      clock.advance(SECOND_MS);
    }
    if (random.chance(0.2)) for (const server of servers) server.flush();
  }
  await settle();
  // What is kept of floods is told later.
  for (let second = 0; second < 3; second++) {
    seconds++;
    clock.advance(SECOND_MS);
    await settle();
    await nextTurn();
  }
  // Few questions are open at a time, so the last ones of many take long.
  const isAsking = () => servers.some((server) => server.unsettled().next().done !== true);
  for (let turn = 0; turn < PATIENCE && isAsking(); turn++) await nextTurn();

  const sent = hosts.flatMap((host) => host.sent);
  counts.messages += sent.length;
  for (const each of sent) if (!each.answered && !each.cancelled) note('unanswered', each.method, each.text);
  for (const storm of servers.flatMap((server) => [...server.storms]))
    reach(reached, `several: storms of ${storm}`);
  for (const { name, era, told } of hosts) {
    for (const [key, times] of told) {
      const [slug, method = ''] = key.split(' ');
      const asked = sent.filter((each) => each.slug === slug).length;
      const most = mostTold(method, seconds, asked);
      if (era === 'legacy' && times > most)
        note('wrongServer', method, `${name} was told ${times} times by ${slug}`);
    }
  }
  for (const server of servers) {
    for (const thing of new Set(server.used)) {
      const times = server.used.filter((each) => each === thing).length;
      const asked = sent.filter(
        (each) =>
          each.thing === thing &&
          !each.method.startsWith('tasks/') &&
          [...each.plans].some((one) => isAllowed(one, thing, each.view)),
      ).length;
      if (times > asked)
        note('leaks', 'none', `${thing.outside} was used ${times} times for ${asked} requests`);
    }
    for (const id of new Set(server.named)) {
      const times = server.named.filter((each) => each === id).length;
      const asked = sent.filter(
        ({ method, outside }) => method.startsWith('tasks/') && outside === `${server.slug}+${id}`,
      ).length;
      if (times > asked)
        note('wrongServer', 'none', `${server.slug} got task ${id} ${times} times for ${asked}`);
    }
    // A list of four pages may be read for each request, and for each announcement of the server itself.
    const most = 4 * (50 + 2 * sent.length + 3 * server.announced);
    if (server.listed > most)
      note(
        'wrongServer',
        'none',
        `${server.slug} was asked for ${server.listed} lists, announced ${server.announced} times`,
      );
    for (const what of server.unsettled()) note('unanswered', 'none', what);
  }
  for (const { transport } of hosts) await transport.close();
  await several.close();
  return { counts, findings, reached };
}

/** How often a server may tell a host something in so many seconds, during so many requests to it. */
function mostTold(method: string, seconds: number, asked: number): number {
  if (method === 'notifications/message') return 50 * (1 + seconds / 10);
  if (method === 'notifications/progress') return (20 * (1 + seconds) + 1) * asked;
  return method === 'notifications/resources/updated' ? 1 + seconds : Number.POSITIVE_INFINITY;
}
