import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EXTENSION_ID } from '../../src/protocol/wire.js';
import { Harness, LIST_KEYS, policyOf } from './gate-harness.js';

/** `npm run fuzz` sends a million; here a sample keeps the tests short. */
const MESSAGES = Number(process.env.FUZZ_MESSAGES ?? 20_000);
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

const name = fc.constantFrom(
  'a',
  'b',
  'c',
  'x1',
  'r://a',
  '__proto__',
  'constructor',
  '',
  '\ud800',
  'security',
  'safe',
  'tier',
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'json' },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 5e-324, 'high', 'docs'),
    name,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map((entries) => JSON.parse(asObject(entries))),
  ),
})).value;

/** With `__proto__` as a key of its own, as it comes over a wire. */
function asObject(entries: readonly (readonly [string, unknown])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? 'null'}`).join(',')}}`;
}

const id = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('0', '1', 'x', '__proto__'));
const method = fc.constantFrom(
  ...Object.keys(LIST_KEYS),
  'initialize',
  'server/discover',
  'listConcerns',
  'updateConcerns',
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
  'ping',
  'nothing/at-all',
  'constructor',
);
const params = fc.oneof(
  json,
  fc.record(
    {
      _meta: fc.oneof(json, fc.record({ [EXTENSION_ID]: fc.record({ concerns: json }) })),
      concerns: json,
      cursor: json,
      filter: fc.oneof(json, fc.record({ namePatterns: json })),
      name,
      uri: name,
      ref: fc.oneof(
        json,
        fc.record({ type: fc.constantFrom('ref/prompt', 'ref/resource'), name, uri: name }),
      ),
      argument: json,
      task: json,
      requestId: id,
    },
    { requiredKeys: [] },
  ),
);
const fromClient = fc.oneof(
  { weight: 8, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id, method, params }) },
  {
    weight: 2,
    arbitrary: fc.record({
      jsonrpc: fc.constant('2.0'),
      method: fc.constantFrom('notifications/initialized', 'notifications/progress', 'x'),
      params,
    }),
  },
  { weight: 1, arbitrary: fc.record({ jsonrpc: fc.constant('2.0'), id, result: json }) },
  { weight: 1, arbitrary: json },
);
const items = fc.array(fc.oneof(json, fc.record({ name, uri: name, _meta: json, annotations: json })), {
  maxLength: 5,
});
const result = fc.oneof(
  json.map((value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {})),
  fc.record(
    {
      tools: items,
      prompts: items,
      resources: items,
      resourceTemplates: items,
      tasks: items,
      nextCursor: json,
      _meta: json,
    },
    { requiredKeys: [] },
  ),
);
const unasked = fc.oneof(
  json,
  fc.record({ jsonrpc: fc.constant('2.0'), id, result }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    method: fc.constantFrom(
      'notifications/tools/list_changed',
      'notifications/resources/updated',
      'sampling/createMessage',
    ),
    params,
  }),
);

const script = fc.array(
  fc.record({
    message: fromClient,
    reply: result,
    fails: fc.boolean(),
    late: fc.boolean(),
    unasked: fc.option(unasked),
  }),
  { minLength: PER_RUN, maxLength: PER_RUN },
);

const isRequest = (message: unknown): message is { id: string | number; method: string } =>
  typeof message === 'object' &&
  message !== null &&
  !Array.isArray(message) &&
  'id' in message &&
  'method' in message;

it(`answers every request exactly once, whatever ${MESSAGES} messages say`, {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(script, fc.constantFrom(...policies), async (steps, policy) => {
      const harness = new Harness(policy);
      const sent = new Map<string | number, number>();
      const strays = new Map<string | number, number>();
      let step = steps[0];
      harness.onServer = (message) => {
        if (!isRequest(message)) return;
        const { reply, fails, late } = step ?? { reply: {}, fails: false, late: false };
        const answer = fails
          ? { jsonrpc: '2.0', id: message.id, error: { code: -32000, message: 'no', data: reply } }
          : { jsonrpc: '2.0', id: message.id, result: reply };
        if (late) setImmediate(() => void harness.server(answer));
        else void harness.server(answer);
      };
      for (step of steps) {
        if (isRequest(step.message)) sent.set(step.message.id, (sent.get(step.message.id) ?? 0) + 1);
        harness.client(step.message);
        const stray = step.unasked as { id?: string | number; result?: unknown } | null;
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
      // A server that answers late, with pages that never end, takes a turn for each of a hundred pages of each list.
      const open = () => [...sent].some(([each, count]) => harness.answers(each).length < count);
      for (let round = 0; open() && round < 2000; round++)
        await new Promise((resolve) => setImmediate(resolve));
      await harness.gate.settled();
      for (const [each, count] of sent) {
        const answers = harness.answers(each).length;
        const what = `${answers} answers to ${count} times ${JSON.stringify(each)}`;
        // An answer that nobody asked for may come for a request that the gate is still working on: then it is the one.
        expect(answers, what).toBeGreaterThanOrEqual(count);
        expect(answers, what).toBeLessThanOrEqual(count + (strays.get(each) ?? 0));
      }
      harness.gate.close();
    }),
    { numRuns: Math.ceil(MESSAGES / PER_RUN), endOnFailure: false },
  );
});
