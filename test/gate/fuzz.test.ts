import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sample } from '../sample.js';
import { step } from './fuzz-messages.js';
import { Harness, policyOf } from './gate-harness.js';

/** `npm run fuzz` sends a million messages. A sample keeps this test short. */
const MESSAGES = Number(process.env.FUZZ_MESSAGES ?? sample(20_000));
const PER_RUN = 50;

const POLICY = `
concerns:
  security: { values: [low, medium, high], default: medium }
  budget: { values: { min: 0, max: 100 } }
  topic: { values: [docs, maps], multiple: true }
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
presets: { safe: { security: high } }
primitives:
  tools: { a: { security: low }, b: { security: high, budget: 50 }, c: { tier: pro } }
  resources: { "r://a": { topic: docs } }
patterns: { tools: { "x*": { topic: [docs, maps] } } }
rules:
  - { id: no-write, hide: [tools], when: { "===": [ { var: primitive.annotations.readOnlyHint }, false ] } }
settings: { enforcement: ENFORCEMENT, transparency: true }
`;
const policies = ['advisory', 'enforce', 'shadow'].map((each) =>
  policyOf(POLICY.replace('ENFORCEMENT', each)),
);

const script = fc.array(step, { minLength: PER_RUN, maxLength: PER_RUN });
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const isRequest = (message: unknown): message is { id: string | number; method: string } =>
  typeof message === 'object' &&
  message !== null &&
  !Array.isArray(message) &&
  'id' in message &&
  'method' in message;

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** How many requests and unexpected responses each id had. */
interface Played {
  readonly sent: ReadonlyMap<string | number, number>;
  readonly strays: ReadonlyMap<string | number, number>;
}

/** Sends the messages of a script through a gate, and waits for the answers. */
async function play(harness: Harness, steps: readonly Step[]): Promise<Played> {
  const sent = new Map<string | number, number>();
  const strays = new Map<string | number, number>();
  let current = steps[0];
  harness.onServer = (message) => {
    if (!isRequest(message)) return;
    const { reply, fails, late } = current ?? { reply: {}, fails: false, late: false };
    const answer = fails
      ? { jsonrpc: '2.0', id: message.id, error: { code: -32000, message: 'no', data: reply } }
      : { jsonrpc: '2.0', id: message.id, result: reply };
    if (late) setImmediate(() => void harness.server(answer));
    else void harness.server(answer);
  };
  for (current of steps) {
    if (isRequest(current.message)) sent.set(current.message.id, (sent.get(current.message.id) ?? 0) + 1);
    harness.client(current.message);
    const stray = current.unasked as { id?: string | number; result?: unknown } | null;
    if (
      stray !== null &&
      typeof stray === 'object' &&
      !Array.isArray(stray) &&
      'result' in stray &&
      stray.id !== undefined
    ) {
      strays.set(stray.id, (strays.get(stray.id) ?? 0) + 1);
    }
    if (stray !== null) await harness.server(stray);
  }
  // A server that answers late, with pages that never end, needs an event loop turn for each of hundreds of pages.
  const open = () => [...sent].some(([each, count]) => harness.answers(each).length < count);
  for (let round = 0; open() && round < 4000; round++) await nextTurn();
  await harness.gate.settled();
  return { sent, strays };
}

/** Returns the requests without a response that a gate keeps: the client's, and its own. */
function pendingIn({ gate }: Harness): readonly unknown[] {
  // biome-ignore lint/complexity/useLiteralKeys: private members can only be read with this notation.
  const ledger = gate['ledger'];
  // biome-ignore lint/complexity/useLiteralKeys: as above.
  const pending = [...ledger.all()].length - (ledger['cancelled']?.size ?? 0);
  const ofClient = pending === 0 ? [] : [`${pending} of the client`];
  return [...ofClient, ...(ledger.awaits('server') ? ['a request of the gate'] : [])];
}

it(`answers every request exactly once, whatever ${MESSAGES} messages contain`, {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.constantFrom(...policies), async (steps, policy) => {
      const harness = new Harness(policy);
      const { sent, strays } = await play(harness, steps);
      for (const [each, count] of sent) {
        const answers = harness.answers(each).length;
        const what = `${answers} answers to ${count} times ${JSON.stringify(each)}`;
        // An unexpected response may have the id of a pending request. Then it is taken for the response.
        expect(answers, what).toBeGreaterThanOrEqual(count);
        expect(answers, what).toBeLessThanOrEqual(count + (strays.get(each) ?? 0));
      }
      harness.gate.close();
    }),
    { numRuns: Math.ceil(MESSAGES / PER_RUN), endOnFailure: false },
  );
});

/** How much the heap may grow without a leak: caches that are full by then, and the JavaScript engine's own. */
const NOISE_BYTES = 2_000_000;

it(`keeps nothing of ${MESSAGES} messages on three connections that stay open`, {
  timeout: 3_600_000,
}, async () => {
  const gates = policies.map((policy) => new Harness(policy));
  const runs = Math.ceil(MESSAGES / PER_RUN);
  const heaps: number[] = [];
  for (let run = 0; run < runs; run++) {
    const harness = gates[run % gates.length];
    if (harness === undefined) throw new Error('There is a gate for each policy.');
    for (const steps of fc.sample(script, { numRuns: 1, seed: run })) await play(harness, steps);
    for (let round = 0; pendingIn(harness).length > 0 && round < 4000; round++) await nextTurn();
    expect(pendingIn(harness)).toEqual([]);
    // The test itself keeps these.
    for (const kept of [harness.toServer, harness.toClient, harness.reports]) kept.length = 0;
    if ((run + 1) % Math.ceil(runs / 20) === 0) heaps.push(heapInUse());
  }
  const quarter = heaps[Math.floor(heaps.length / 4) - 1] ?? 0;
  const [least = 0] = heaps.slice(Math.floor(heaps.length / 2)).sort((a, b) => a - b);
  const series = heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join(' ');
  if (process.env.FUZZ_MESSAGES !== undefined) console.info(`heap in MB: ${series}`);
  // The minimum of the second half: a leak keeps the heap above it.
  expect(least - quarter, `heap in MB: ${series}`).toBeLessThan(NOISE_BYTES);
  for (const { gate } of gates) gate.close();
});

/** Returns the heap size in bytes after garbage collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
