import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { METHODS, read } from '../../../src/core/wire/messages.js';
import { PATIENCE } from '../../patience.js';
import { Harness, policyOf } from '../gate-harness.js';
import {
  accepted,
  type ConcernSpec,
  inEffect,
  isShown,
  lost,
  type PolicySpec,
  shows,
  type Value,
  type Values,
  yamlOf,
} from './narrow-oracle.js';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
const LEVELS = ['low', 'mid', 'high'];
const TOPICS = ['maps', 'code', 'news'];
const SIZES = [0, 1, 2, 3];

const model = fc.constantFrom('none' as const, 'narrow' as const, 'narrow' as const);
const level: fc.Arbitrary<ConcernSpec> = fc.record({
  values: fc.constantFrom(LEVELS, ['low', 'mid']),
  match: fc.constantFrom('exact' as const, 'at-least' as const, 'at-most' as const),
  default: fc.constant('mid'),
  model,
});
const topic: fc.Arbitrary<ConcernSpec> = fc.record({
  values: fc.constant(TOPICS),
  match: fc.constant('exact' as const),
  multiple: fc.constant(true),
  model,
});
const size: fc.Arbitrary<ConcernSpec> = fc.record({
  values: fc.constant({ min: 0, max: 3 }),
  match: fc.constant('at-most' as const),
  model,
});
const rule = fc.record({
  effect: fc.constantFrom('hide' as const, 'show' as const),
  concern: fc.constant('level'),
  is: fc.constantFrom('low', 'mid'),
});

const specs: fc.Arbitrary<PolicySpec> = fc
  .record({
    level,
    topic: fc.option(topic, { nil: undefined }),
    size,
    rules: fc.array(rule, { maxLength: 2 }),
    defaults: fc.constantFrom('aware' as const, 'always' as const, 'never' as const),
    own: fc.array(fc.tuple(fc.nat(2), fc.nat(3), fc.nat(4)), { minLength: 6, maxLength: 6 }),
  })
  .map(({ level, topic, size, rules, defaults, own }) => {
    const levels = Array.isArray(level.values) ? level.values : LEVELS;
    const valuesOf = ([at = 0, on = 0, of = 0]: readonly number[]) => ({
      level: levels[at % levels.length] ?? 'low',
      ...(topic === undefined || on > 2 ? {} : { topic: TOPICS[on] ?? 'maps' }),
      ...(of > 3 ? {} : { size: of }),
    });
    const primitives = NAMES.map((name, index) => [name, valuesOf(own[index] ?? [])] as const);
    return {
      concerns: { level, ...(topic === undefined ? {} : { topic }), size },
      rules,
      defaults,
      primitives: Object.fromEntries(primitives),
    };
  });

const someTopics = fc.subarray(TOPICS, { minLength: 1 });
const values: fc.Arbitrary<Values> = fc.record(
  {
    level: fc.constantFrom<Value>(...LEVELS, null),
    topic: fc.oneof(someTopics, fc.constant(null)),
    size: fc.constantFrom<Value>(...SIZES, null),
  },
  { requiredKeys: [] },
);

const acts = fc.oneof(
  fc.record({ by: fc.constant('model' as const), values }),
  fc.record({ by: fc.constant('model' as const), values }),
  fc.record({ by: fc.constantFrom('prompt' as const, 'host' as const), values }),
  fc.record({ by: fc.constant('policy' as const), spec: specs }),
  fc.record({ by: fc.constant('server' as const), names: fc.subarray(NAMES) }),
);

const compiled = new WeakMap<PolicySpec, Policy>();
function policyFrom(spec: PolicySpec): Policy {
  const known = compiled.get(spec) ?? policyOf(yamlOf(spec));
  compiled.set(spec, known);
  return known;
}

/** A gate in front of a server with tools, prompts and resources of the same names. */
class World {
  private readonly harness: Harness;
  private next = 0;
  names: readonly string[] = NAMES.slice(0, 3);

  constructor(private spec: PolicySpec) {
    this.harness = new Harness(policyFrom(spec));
    this.harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const lists: Record<string, object> = {
        'tools/list': { tools: this.names.map((name) => ({ name, ...this.own(name) })) },
        'prompts/list': { prompts: this.names.map((name) => ({ name, ...this.own(name) })) },
        'resources/list': {
          resources: this.names.map((name) => ({ name, uri: `test://${name}`, ...this.own(name) })),
        },
        'resources/templates/list': { resourceTemplates: [] },
      };
      void this.harness.server({ jsonrpc: '2.0', id: message.id, result: lists[message.method] ?? {} });
    };
  }

  async ask(method: string, params: object = {}): Promise<unknown> {
    const id = `r${this.next++}`;
    this.harness.request(id, method, params);
    for (const end = Date.now() + PATIENCE.wait; Date.now() < end; ) {
      const [answer] = this.harness.answers(id);
      if (answer !== undefined) return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`${method} got no answer`);
  }

  /** The topic is in what the server lists, so an entry of the policy alone cannot decide. */
  private own(name: string): object {
    const { topic } = this.spec.primitives[name] ?? {};
    return topic === undefined ? {} : { _meta: { concerns: { topic } } };
  }

  replace(spec: PolicySpec): void {
    this.spec = spec;
    this.harness.live.replace(policyFrom(spec));
  }

  async listChanged(names: readonly string[]): Promise<void> {
    this.names = names;
    for (const kind of ['tools', 'prompts', 'resources']) {
      await this.harness.server({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` });
    }
  }

  async listed(method: string, key: string): Promise<string[]> {
    const items = read(await this.ask(method), 'result', key);
    const names = Array.isArray(items) ? items.map((item) => String(read(item, 'name'))) : [];
    return names.filter((name) => !name.startsWith('concerns'));
  }

  /** Whether a request that names a primitive reaches the server with that name. */
  async reaches(method: string, params: object, path: readonly [string, ...string[]]): Promise<boolean> {
    const from = this.harness.toServer.length;
    await this.ask(method, params);
    const sent = this.harness.toServer.slice(from).filter((message) => read(message, 'method') === method);
    return sent.some((message) => read(message, 'params', ...path) === read(params, ...path));
  }
}

/** What a person, a host and a model have set, by the words of the documentation. */
class Truth {
  person: Values = {};
  model: Values = {};

  constructor(public spec: PolicySpec) {}

  /** A prompt sets the values that it names, and states the others as they are in effect. */
  prompt(change: Values): void {
    if (Object.keys(change).length === 0) return;
    this.person = { ...inEffect(this.spec, this.person), ...lost(this.spec, this.person), ...change };
    const kept = Object.entries(this.model).filter(([name]) => !(name in change));
    this.model = Object.fromEntries(kept);
  }

  /** `updateConcerns` replaces everything. */
  host(values: Values): void {
    this.person = values;
    this.model = {};
  }

  /** A call with a value that is not open to the model, or not valid, changes nothing. */
  act(values: Values): boolean {
    const { concerns } = this.spec;
    const isOpen = Object.keys(values).every((name) => concerns[name]?.model === 'narrow');
    const taken = accepted(this.spec, values);
    if (!isOpen || JSON.stringify(taken) !== JSON.stringify(values)) return false;
    const merged = Object.entries({ ...this.model, ...values }).filter(([, value]) => value !== null);
    this.model = Object.fromEntries(merged);
    return true;
  }
}

const textFor = (value: Value): string => (value === null ? 'any' : [value].flat().join(','));
const forModel = (name: string, value: Value): unknown =>
  value === null ? (name === 'topic' ? ['any'] : 'any') : value;

type Act = typeof acts extends fc.Arbitrary<infer T> ? T : never;

async function perform(world: World, truth: Truth, act: Act): Promise<void> {
  if (act.by === 'policy') {
    truth.spec = act.spec;
    world.replace(act.spec);
    // What the server lists comes from the policy here, so it changed too.
    return world.listChanged(world.names);
  }
  if (act.by === 'server') return world.listChanged(act.names);
  const known = Object.entries(accepted(truth.spec, act.values));
  if (act.by === 'model') {
    // Also values that the policy does not know: they must be refused.
    const args = Object.entries(act.values).map(([name, value]) => [name, forModel(name, value)]);
    const params = { name: 'concerns', arguments: Object.fromEntries(args) };
    const answer = await world.ask('tools/call', params);
    const isTaken = truth.act(act.values);
    expect(read(answer, 'result', 'isError') === true).toBe(!isTaken);
    return;
  }
  const valid = Object.fromEntries(known);
  if (act.by === 'host') {
    truth.host(valid);
    await world.ask(METHODS.updateConcerns, { concerns: valid });
    return;
  }
  truth.prompt(valid);
  const args = known.map(([name, value]) => [name, textFor(value)]);
  await world.ask('prompts/get', { name: 'concerns', arguments: Object.fromEntries(args) });
}

async function checkLists(world: World, { spec, person, model }: Truth): Promise<void> {
  const own = inEffect(spec, person);
  const allowed = world.names.filter((name) => shows(spec, name, own));
  const expected = world.names.filter((name) => isShown(spec, name, person, model));
  for (const [method, key] of [
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
  ] as const) {
    const listed = await world.listed(method, key);
    // The promise to the person; then that it is kept by hiding no more than it must.
    for (const name of listed) expect(allowed).toContain(name);
    expect(listed).toEqual(expected);
  }
}

async function checkEntries(world: World, { spec, person, model }: Truth): Promise<void> {
  for (const name of world.names) {
    const isReachable = isShown(spec, name, person, model);
    const uri = `test://${name}`;
    const argument = { name: 'x', value: '' };
    const entries: [string, object, readonly [string, ...string[]]][] = [
      ['tools/call', { name }, ['name']],
      ['prompts/get', { name }, ['name']],
      ['resources/read', { uri }, ['uri']],
      ['resources/subscribe', { uri }, ['uri']],
      ['completion/complete', { ref: { type: 'ref/prompt', name }, argument }, ['ref', 'name']],
      ['completion/complete', { ref: { type: 'ref/resource', uri }, argument }, ['ref', 'uri']],
    ];
    for (const [method, params, path] of entries) {
      expect([method, name, await world.reaches(method, params, path)]).toEqual([method, name, isReachable]);
    }
  }
}

it('never shows what the own values of the person hide, whatever happens in between', async () => {
  let narrowed = 0;
  await fc.assert(
    fc.asyncProperty(specs, fc.array(acts, { minLength: 1, maxLength: 6 }), async (spec, sequence) => {
      const world = new World(spec);
      const truth = new Truth(spec);
      for (const act of sequence) {
        await perform(world, truth, act);
        await checkLists(world, truth);
        if (Object.keys(truth.model).length > 0) narrowed++;
      }
      await checkEntries(world, truth);
    }),
    { numRuns: 40 },
  );
  expect(narrowed).toBeGreaterThan(5);
});
