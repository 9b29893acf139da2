import { describe, expect, it } from 'vitest';
import { gather } from '../../../src/core/gate/edge/gather.js';
import { configure } from '../../../src/core/gate/request/configure.js';
import { toolIsShown } from '../../../src/core/gate/tasks/visible-tasks.js';
import { policyOf } from '../gate-harness.js';
import { HIGH, LISTS, levels, TaskGate } from '../tasks/task-gate.js';

const enforced = levels('{ enforcement: enforce }');

/** Asks on behalf of a client that wants a high level. */
function shows(name: string, replies: TaskGate['replies'] = LISTS, params: object = HIGH, policy = enforced) {
  const own = new TaskGate(policy, replies);
  const exchange = own.exchange('tasks/get', params);
  const kept = { session: { state: 'live', record: {} }, principal: undefined } as const;
  exchange.configured(configure(exchange, kept, { meta: true }), []);
  return {
    answer: (async () => gather(exchange, toolIsShown(exchange.configuration, name)))(),
    asked: own.toServer,
  };
}

describe('a tool that a request does not name itself', () => {
  it.each([
    ['work', true],
    ['open', true],
    ['secret', false],
  ])('is shown, or not: %s', async (name, expected) => {
    expect(await shows(name).answer).toBe(expected);
  });

  it('is shown without asking the server if nothing can be hidden', async () => {
    const { answer, asked } = shows('secret', LISTS, {});
    expect(await answer).toBe(true);
    expect(asked).toEqual([]);
  });

  it('cannot be decided if the server did not list its tools', async () => {
    const replies = { 'tools/list': { error: { code: 7, message: 'Later' } } };
    await expect(shows('work', replies).answer).rejects.toThrow(
      new Error('The server did not list its tools.'),
    );
  });

  it('is decided by what a very long list says about it', async () => {
    const dangers = policyOf(`
rules: [{ id: dangers, hide: [tools], when: { "===": [{ var: primitive.annotations.destructiveHint }, true] } }]
settings: { enforcement: enforce }
`);
    // More pages than a list may have to be kept.
    const reply = ({ cursor = '0' }: Record<string, unknown>) => {
      const page = Number(cursor);
      const tool =
        page === 120 ? { name: 'wipe', annotations: { destructiveHint: true } } : { name: `tool-${page}` };
      return { result: { tools: [tool], ...(page < 150 ? { nextCursor: String(page + 1) } : {}) } };
    };
    for (const [name, expected] of [
      ['wipe', false],
      ['tool-3', true],
    ] as const) {
      expect(await shows(name, { 'tools/list': reply }, {}, dangers).answer).toBe(expected);
    }
  });
});
