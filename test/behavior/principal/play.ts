import type { FetchHandler } from '../../../src/core/http/fetch-handler.js';
import type { LocalDynamo } from '../../session/dynamo.js';
import { callerOf, connect, environments, type Host, shownUnder, type Values } from './world.js';

/** What a run counted. */
export interface Played {
  /** Requests of hosts for lists and for changes. */
  readonly calls: number;
  readonly acts: number;
  /** Lists that did not show what the latest acknowledged act asked for. */
  readonly stale: readonly string[];
  /** Lists with a value that only the other caller ever chose. */
  readonly foreign: readonly string[];
  readonly reads: number;
  /** Reads of the preferences of a caller. */
  readonly principalReads: number;
  /** Reads that did not ask DynamoDB for the latest value. */
  readonly inconsistentReads: number;
}

/** A caller with hosts in both eras. Only this caller chooses these topics. */
interface Person {
  readonly name: string;
  readonly issuer: string;
  readonly topics: readonly string[];
}

const PEOPLE: readonly Person[] = [
  { name: 'ada', issuer: 'https://one.example', topics: ['a', 'b'] },
  // The same subject of another issuer is another caller.
  { name: 'ada', issuer: 'https://two.example', topics: ['c', 'd'] },
];

/** A legacy session: what its host sent when it connected, and what a person chose in it. */
interface Session {
  readonly host: Host;
  readonly initial: Values;
  acted?: Values;
}

/**
 * Lets two callers act and list at the same time, each with hosts in both eras, on three handlers with one table.
 *
 * @param dynamo the database
 * @param calls how many requests both callers send in total
 * @param seed makes the run repeatable
 */
export async function play(dynamo: LocalDynamo, calls: number, seed: number): Promise<Played> {
  const { handlers, sent } = await environments(dynamo, 3);
  const stale: string[] = [];
  const foreign: string[] = [];
  const counted = await Promise.all(
    PEOPLE.map((person, index) =>
      playOne(person, handlers, {
        calls: Math.ceil(calls / PEOPLE.length),
        random: randomFrom(seed * 100 + index),
        stale,
        foreign,
      }),
    ),
  );
  const reads = sent.flat().filter(({ command }) => command === 'GetItemCommand');
  return {
    calls: counted.reduce((sum, each) => sum + each.calls, 0),
    acts: counted.reduce((sum, each) => sum + each.acts, 0),
    stale,
    foreign,
    reads: reads.length,
    principalReads: reads.filter(({ input }) => JSON.stringify(input.Key).includes('principal#')).length,
    inconsistentReads: reads.filter(({ input }) => input.ConsistentRead !== true).length,
  };
}

interface Course {
  readonly calls: number;
  readonly random: () => number;
  readonly stale: string[];
  readonly foreign: string[];
}

async function playOne(
  { name, issuer, topics }: Person,
  handlers: readonly FetchHandler[],
  { calls, random, stale, foreign }: Course,
): Promise<{ calls: number; acts: number }> {
  const pick = <T>(from: readonly T[]): T => {
    const found = from[Math.floor(random() * from.length)];
    if (found === undefined) throw new Error('Nothing to pick from.');
    return found;
  };
  const authInfo = callerOf(issuer, name);
  const anywhere = () => pick(handlers);
  const anyValues = (): Values => ({
    ...(random() < 0.7 ? { security: pick(['low', 'high', null]) } : {}),
    ...(random() < 0.7 ? { topic: pick([...topics, null]) } : {}),
  });
  const open = async (): Promise<Session> => {
    const initial = anyValues();
    return { host: await connect('legacy', anywhere, { authInfo, initial }), initial };
  };
  const modern = await connect('modern', anywhere, { authInfo });
  let sessions = [await open(), await open()];
  let principal: Values = {};
  let [count, acts] = [0, 0];

  /** Per concern, the strongest source that says something; `null` says that there is no preference. */
  const expected = (session: Session | undefined): Values => {
    if (session === undefined) return principal;
    const { acted, initial } = session;
    return acted === undefined ? { ...initial, ...principal } : { ...initial, ...principal, ...acted };
  };
  const check = async (session: Session | undefined): Promise<void> => {
    count++;
    const wanted = expected(session);
    const { names, concerns } = await (session?.host ?? modern).list();
    if (names.join() !== shownUnder(wanted).join()) {
      stale.push(
        `${issuer} ${session === undefined ? 'modern' : 'legacy'}: wanted ${JSON.stringify(wanted)}, got ${names}`,
      );
    }
    if (typeof concerns.topic === 'string' && !topics.includes(concerns.topic))
      foreign.push(`${issuer}: ${concerns.topic}`);
  };
  const act = async (session: Session | undefined): Promise<void> => {
    count++;
    acts++;
    const host = session?.host ?? modern;
    let chosen: Values;
    if (random() < 0.3) {
      const preset = pick(['safe', 'open']);
      await host.request('prompts/get', { name: `concerns-${preset}` });
      chosen = { security: preset === 'safe' ? 'high' : 'low', topic: null };
    } else {
      chosen = anyValues();
      await host.update(chosen);
    }
    principal = chosen;
    if (session === undefined) return;
    const { host: same } = session;
    // An act replaces what the client sent when it connected.
    sessions = sessions.map((each) =>
      each.host === same ? { host: same, initial: {}, acted: chosen } : each,
    );
  };

  while (count < calls) {
    if (random() < 0.05) {
      await sessions[0]?.host.close();
      sessions = [...sessions.slice(1), await open()];
    }
    await act(random() < 0.5 ? undefined : pick(sessions));
    // All at the same time, so that they reach several environments.
    await Promise.all([check(undefined), check(undefined), ...sessions.map(check)]);
  }
  await Promise.all([modern.close(), ...sessions.map(({ host }) => host.close())]);
  return { calls: count, acts };
}

/** A small generator of random numbers (mulberry32), so that a run can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
