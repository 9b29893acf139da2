import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { Random } from '../../fuzz/random.js';
import { listeningWorld, policyHiding, settle } from './world.js';

type World = Awaited<ReturnType<typeof listeningWorld>>;
type Host = Awaited<ReturnType<World['connect']>>;
type Hosts = readonly [Host, ...Host[]];
type Send = (host: Host) => Promise<unknown>;
type Act = (hosts: Hosts) => unknown;

/** What was seen in many conversations of modern hosts. */
export interface Played {
  requests: number;
  /** Acts outside the conversations: new policies, changes of the server, switches of a person. */
  acts: number;
  announced: number;
  /** Identical requests that got different lists, although nothing outside the conversation changed. */
  readonly different: string[];
  /** Streams that were told too much or too little. */
  readonly wrong: string[];
  /** The longest time from an act to its announcement, in milliseconds. */
  slowest: number;
}

const WITHIN_MS = 1000;
const TOOLS = ['a', 'b', 'c', 'd'] as const;
const STEPS = 12;

/**
 * Plays random conversations of modern hosts.
 *
 * @param conversations how many
 * @param seed repeats the same conversations
 */
export async function play(conversations: number, seed: number): Promise<Played> {
  const random = new Random(seed);
  const played: Played = { requests: 0, acts: 0, announced: 0, different: [], wrong: [], slowest: 0 };
  const world = await listeningWorld();
  let epoch = 0;
  const seen = new Map<string, string>();

  const list = async (host: Host, level: string | undefined) => {
    const _meta = level === undefined ? {} : { _meta: { [EXTENSION_ID]: { concerns: { level } } } };
    const { tools } = await host.client.listTools(_meta);
    const names = tools.map(({ name }) => name).join();
    const request = JSON.stringify([epoch, host.caller, host.concerns, level]);
    const before = seen.get(request) ?? names;
    if (before !== names) played.different.push(`${request}: ${before}, then ${names}`);
    seen.set(request, names);
  };
  const requests: readonly [Send, ...Send[]] = [
    (host) => list(host, undefined),
    (host) => list(host, random.pick(['low', 'high'])),
    (host) => host.client.listResources(),
    (host) => host.client.callTool({ name: random.pick(TOOLS), arguments: {} }),
    (host) => host.client.readResource({ uri: random.pick(['r://low', 'r://high', 'r://none']) }),
  ];
  const acts: readonly [Act, ...Act[]] = [
    () => world.live.replace(policyHiding(TOOLS.filter(() => random.chance(0.3)))),
    () => world.toggle(random.pick(TOOLS)),
    (hosts) =>
      random
        .pick(hosts)
        .client.getPrompt({ name: 'concerns', arguments: { level: random.pick(['low', 'high', 'any']) } }),
  ];
  /** Acts, and checks that exactly those streams are told whose list looks different. */
  const act = async (hosts: Hosts, listening: readonly Host[]): Promise<void> => {
    const states = async () =>
      Promise.all(
        listening.map(async (host) => ({ host, names: String(await host.names()), count: host.changes() })),
      );
    const before = await states();
    played.acts++;
    epoch++;
    // A switch may be refused, for example to a caller whose preferences are not kept.
    await Promise.resolve(random.pick(acts)(hosts)).catch(() => undefined);
    const start = performance.now();
    const after = await states();
    const expected = before.map(({ names, count }, index) => count + (names === after[index]?.names ? 0 : 1));
    const isTold = () => listening.every((host, index) => host.changes() >= (expected[index] ?? 0));
    while (!isTold() && performance.now() - start < WITHIN_MS) await settle(2);
    played.slowest = Math.max(played.slowest, performance.now() - start);
    await settle(10);
    for (const [index, { host, names, count }] of before.entries()) {
      played.announced += host.changes() - count;
      if (host.changes() === expected[index]) continue;
      played.wrong.push(
        `${host.caller} ${host.concerns}: ${names} became ${after[index]?.names}, told ${host.changes() - count}`,
      );
    }
  };

  try {
    for (let conversation = 0; conversation < conversations; conversation++) {
      const connect = () =>
        world.connect(random.pick(['ada', 'bob', undefined]), random.pick(['', 'level:low', 'level:high']));
      const hosts: [Host, ...Host[]] = [await connect()];
      for (let more = random.below(3); more > 0; more--) hosts.push(await connect());
      const listening = hosts.filter(() => random.chance(0.7));
      for (const { client } of listening) await client.listen({ toolsListChanged: true });
      for (let step = 0; step < STEPS; step++) {
        if (random.chance(0.1)) await act(hosts, listening);
        else {
          played.requests++;
          // Hidden names are refused.
          await random
            .pick(requests)(random.pick(hosts))
            .catch(() => undefined);
        }
      }
      await Promise.all(hosts.map(({ client }) => client.close()));
    }
  } finally {
    await world.close();
  }
  return played;
}
