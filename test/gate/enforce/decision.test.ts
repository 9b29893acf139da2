import { describe, expect, it } from 'vitest';
import { resolveConfiguration } from '../../../src/core/engine/configuration.js';
import { bindCatalog } from '../../../src/core/engine/select.js';
import { ONE_SERVER } from '../../../src/core/engine/servers/outside-names.js';
import { judgeAccess } from '../../../src/core/gate/enforce/access-check.js';
import type { FactOf, NeedName, RequestSteps } from '../../../src/core/gate/request/decision.js';
import type { Facts } from '../../../src/core/gate/request/facts.js';
import { NO_LISTS } from '../../../src/core/gate/request/whole-list.js';
import { ROUTES } from '../../../src/core/gate/table/routes.js';
import { policyOf } from '../gate-harness.js';

const policy = policyOf(`
concerns: { security: { values: [low, high], match: at-most } }
primitives: { tools: { "secret": { security: high }, "op*": { security: low } } }
settings: { enforcement: enforce }
`);

/** Runs a decision without a connection. Returns its outcome, and what it asked for. */
function decided<T>(
  steps: RequestSteps<T>,
  facts: { readonly [N in NeedName]?: FactOf<N> },
): { outcome: T; asked: NeedName[] } {
  const asked: NeedName[] = [];
  let step = steps.next(undefined as never);
  while (step.done !== true) {
    asked.push(step.value.need);
    step = steps.next(facts[step.value.need] as never);
  }
  return { outcome: step.value, asked };
}

function call(name: string): Facts {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } } as const;
  return {
    policy,
    request,
    route: ROUTES.get('tools/call') ?? { to: 'unknown' },
    era: 'legacy',
    sender: { extra: undefined },
    keeps: { caller: false, session: true, place: 'connection' },
    connection: {
      lasts: true,
      server: undefined,
      servers: ONE_SERVER,
      relisted: null,
      listens: true,
      taskTools: undefined,
    },
    configuration: resolveConfiguration(policy, [{ from: 'session', concerns: { security: 'low' } }]),
    kept: { session: { state: 'live', record: {} }, principal: undefined },
    logged: [],
    substitute: undefined,
    isEnforced: true,
  };
}

const found = {
  lists: { servers: ONE_SERVER, tools: bindCatalog(policy, 'tools', [{ name: 'open' }, { name: 'secret' }]) },
  enough: true,
};

describe('the decision on a call, without a connection', () => {
  it.each([
    ['a shown tool', 'open', found, { to: 'server', params: { name: 'open' } }],
    ['a hidden tool', 'secret', found, { to: 'server', substitute: { original: 'secret' } }],
    [
      'a tool of an unread list',
      'open',
      { lists: NO_LISTS, enough: false },
      { to: 'client', error: { code: -32603 } },
    ],
  ])('about %s needs preferences and lists', (_what, name, lists, outcome) => {
    const facts = call(name);
    const result = decided(judgeAccess(facts), { preferences: facts, lists });
    expect(result.asked).toEqual(['preferences', 'lists']);
    expect(result.outcome).toMatchObject(outcome);
  });
});
