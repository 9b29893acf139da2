import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Panel } from '../../../src/core/gate/panel/panel.js';
import { read } from '../../../src/core/wire/messages.js';
import { PATIENCE } from '../../patience.js';
import { sample } from '../../sample.js';
import { Harness, policyOf } from '../gate-harness.js';
import {
  chosenBy,
  decidedBy,
  isAddable,
  isShowable,
  isShown,
  LEVELS,
  type Spec,
  type State,
  switchedBy,
  TOOLS,
  TOPICS,
  yamlOf,
} from './added-oracle.js';

const some = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const own = fc
  .record({ topic: some(TOPICS), level: some(LEVELS), tier: some(['free', 'pro']) })
  .map((values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
const rule = fc.record({
  effect: fc.constantFrom('hide' as const, 'show' as const),
  tool: fc.constantFrom(...TOOLS),
  ifTopic: fc.boolean(),
});
const specs: fc.Arbitrary<Spec> = fc.record({
  level: fc.constantFrom('none' as const, 'narrow' as const, 'free' as const),
  unmapped: fc.constantFrom('show' as const, 'hide' as const),
  enforcement: fc.constantFrom('advisory' as const, 'enforce' as const),
  own: fc
    .array(fc.option(own, { nil: undefined, freq: 8 }), { minLength: TOOLS.length, maxLength: TOOLS.length })
    .map((all) =>
      Object.fromEntries(TOOLS.flatMap((tool, at) => (all[at] === undefined ? [] : [[tool, all[at]]]))),
    ),
  rules: fc.array(rule, { maxLength: 2 }),
});
const values = fc
  .record({ topic: some([...TOPICS, null]), level: some([...LEVELS, null]) })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))
  .filter((all) => Object.keys(all).length > 0);
const acts = fc.oneof(
  fc.record({ by: fc.constantFrom('person' as const, 'model' as const), values }),
  fc.record({ by: fc.constant('show' as const), names: fc.subarray([...TOOLS, 'tool_z'], { minLength: 1 }) }),
  fc.record({ by: fc.constant('show' as const), names: fc.subarray(TOOLS, { minLength: 1, maxLength: 1 }) }),
  fc.record({
    by: fc.constant('switch' as const),
    tool: fc.constantFrom(...TOOLS, 'tool_z'),
    to: fc.constantFrom('show' as const, 'hide' as const),
    narrows: fc.boolean(),
  }),
  fc.record({ by: fc.constant('undo' as const) }),
  fc.record({ by: fc.constantFrom('list' as const, 'find' as const) }),
  fc.record({ by: fc.constant('policy' as const), spec: specs }),
);

/** Every tool names the next one, so that a description could tell what is hidden. */
const LISTED = TOOLS.map((name, at) => ({ name, description: `See "${TOOLS[(at + 1) % TOOLS.length]}".` }));

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 's', version: '1' },
};
const SURROUNDINGS = { session: 's', sessions: [], tokensOf: () => 1, revision: 1 };

class World {
  readonly harness: Harness;
  panel: Panel | undefined;
  private next = 0;

  constructor(spec: Spec) {
    const observer = { changed() {}, listed() {}, closed() {} };
    const preferences = { place: 'connection', record: {} } as const;
    this.harness = new Harness(policyOf(yamlOf(spec)), preferences, undefined, ({ panel }) => {
      this.panel = panel;
      return observer;
    });
    this.harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const result =
        message.method === 'tools/list'
          ? { tools: LISTED }
          : message.method === 'initialize'
            ? INITIALIZED
            : { content: [{ type: 'text', text: 'ok' }] };
      void this.harness.server({ jsonrpc: '2.0', id: message.id, result });
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

  /** Returns whether the tool refused, and its text. */
  async model(args: object): Promise<readonly [isError: boolean, text: string]> {
    const answer = await this.ask('tools/call', { name: 'concerns', arguments: args });
    return [
      read(answer, 'result', 'isError') === true,
      String(read(read(read(answer, 'result', 'content'), '0'), 'text')),
    ];
  }

  async listed(): Promise<string[]> {
    const tools = read(await this.ask('tools/list'), 'result', 'tools');
    return (tools as { name: string }[]).map(({ name }) => name).filter((name) => name !== 'concerns');
  }
}

const asArguments = (given: object) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? 'any']));
const asModel = ({ topic, ...rest }: { topic?: string; level?: string }) => ({
  ...asArguments(rest),
  ...(topic === undefined ? {} : { topic: [topic ?? 'any'] }),
});

async function play(first: Spec, all: readonly (typeof acts extends fc.Arbitrary<infer T> ? T : never)[]) {
  let spec = first;
  let state: State = { person: {}, model: {}, added: [], shown: [], hidden: [] };
  const world = new World(spec);
  await world.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'host', version: '1' },
  });
  for (const act of all) {
    const addable = TOOLS.filter((tool) => isAddable(spec, state, tool));
    const shown = TOOLS.filter((tool) => isShown(spec, state, tool));
    if (act.by === 'policy') {
      spec = act.spec;
      world.harness.live.replace(policyOf(yamlOf(spec)));
    } else if (act.by === 'person') {
      await world.ask('prompts/get', { name: 'concerns', arguments: asArguments(act.values) });
      const before = state.person;
      const decided = decidedBy(spec, state, act.values);
      state = { ...decided, person: { ...before, ...act.values } };
    } else if (act.by === 'model') {
      const [refused] = await world.model(asModel(act.values));
      expect(refused).toBe(spec.level === 'none' && 'level' in act.values);
      if (!refused) state = { ...state, model: chosenBy(spec, state, act.values) };
    } else if (act.by === 'switch') {
      const change = { [act.to === 'show' ? '+tools' : '-tools']: [act.tool] };
      const after = TOOLS.includes(act.tool) ? switchedBy(spec, state, act) : undefined;
      const outcome = await world.panel?.change(change, act.narrows ? 'Ask.' : undefined);
      expect(outcome?.state === 'changed', outcome?.state).toBe(after !== undefined);
      state = after ?? state;
    } else if (act.by === 'undo') {
      expect((await world.panel?.change({ '+tools': null, '-tools': null }))?.state).toBe('changed');
      state = { ...state, shown: [], hidden: [] };
    } else if (act.by === 'show') {
      const [refused, text] = await world.model({ show: act.names });
      const wrong = act.names.filter((name) => !addable.includes(name) && !shown.includes(name));
      expect(refused).toBe(wrong.length > 0);
      // Of what cannot be shown, an answer repeats only what the model sent.
      const told = TOOLS.filter((name) => text.includes(name) && !act.names.includes(name));
      expect(told.every((name) => addable.includes(name) || shown.includes(name))).toBe(true);
      const added = act.names.filter((name) => !shown.includes(name));
      if (!refused) state = { ...state, added: [...new Set([...state.added, ...added])] };
    } else {
      const [, text] = await world.model(act.by === 'list' ? { list: true } : { find: 'TOOL see' });
      const lines = text.split('\n').flatMap((line) => /^(tool_\w)(?:: |$)/.exec(line)?.[1] ?? []);
      expect(lines.sort()).toEqual(addable);
      const closed = TOOLS.filter((name) => !addable.includes(name) && !shown.includes(name));
      if (spec.enforcement === 'enforce') expect(closed.filter((name) => text.includes(name))).toEqual([]);
    }
    const now = TOOLS.filter((tool) => isShown(spec, state, tool));
    expect(await world.listed()).toEqual(now);
    const { items = [], classes = [] } = (await world.panel?.state(SURROUNDINGS)) ?? {};
    expect(items.filter((item) => item.shown).map(({ name }) => name)).toEqual(now);
    for (const { name, of } of items)
      expect([name, classes[of]?.always !== 'hidden']).toEqual([name, isShowable(spec, state, name)]);
    for (const tool of TOOLS) {
      const answer = await world.ask('tools/call', { name: tool, arguments: {} });
      const sent = world.harness.toServer.at(-1);
      const isPassed = spec.enforcement === 'advisory' || now.includes(tool);
      expect([tool, read(sent, 'params', 'name') === tool]).toEqual([tool, isPassed]);
      expect(answer).toBeDefined();
    }
  }
}

it('names and shows nothing that anything but an open concern hides', {
  timeout: PATIENCE.test,
}, async () => {
  await fc.assert(fc.asyncProperty(specs, fc.array(acts, { minLength: 1, maxLength: 8 }), play), {
    numRuns: sample(60),
  });
});
