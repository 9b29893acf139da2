import { describe, expect, it } from 'vitest';
import type { InitializedConnection } from '../../../src/core/gate/edge/concerns-options.js';
import { Connection } from '../../../src/core/gate/edge/connection.js';
import { SharedCatalog } from '../../../src/core/gate/request/catalog-cache.js';
import { LivePolicy } from '../../../src/core/gate/request/live-policy.js';
import { NO_REPORT } from '../../../src/core/gate/request/report.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { read } from '../../../src/core/wire/messages.js';
import { type GivenOptions, HIGH, LISTS, levels, recordsOf, TaskGate, turn } from '../tasks/task-gate.js';

const advisory = levels();
const MAKER = { tool: 'work', owner: 'p#alice' };
const PORTS = { toServer: () => undefined, toClient: async () => undefined };
const HERE = { place: 'connection', record: {} } as const;

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'host', version: '1' },
};
const ACCEPTED = {
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'vault', version: '2' },
  },
};

describe('a connection', () => {
  const open = ({ principal, probe, ...options }: GivenOptions = {}) => {
    const gate = { policy: advisory, principal, probe };
    return new Connection({ gate, preferences: { ...HERE }, ...options }, PORTS).state;
  };

  it('begins without anything that a message would tell', () => {
    const own = open();
    expect(own).toMatchObject({
      preferences: HERE,
      policy: advisory,
      principal: undefined,
      taskTools: undefined,
      probe: undefined,
      report: NO_REPORT,
      isLegacy: false,
      lasts: false,
      relisted: null,
      announced: [],
    });
    expect(own.server).toBeUndefined();
    expect(own.listed.active).toBe(false);
    expect(own.tasks.get('one')).toBeUndefined();
  });

  it('has what it is given', () => {
    const principal = { place: 'none' } as const;
    const lister = { tools: [], list: async () => ({ ok: false as const, message: '' }) };
    const report = () => undefined;
    const tasks = recordsOf();
    const given = { principal, report, tasks, probe: 'probe/x' };
    const own = open({ ...given, lister });
    expect(own.taskTools).toBe(lister.tools);
    for (const [name, value] of Object.entries(given)) expect(own).toHaveProperty(name, value);
  });

  it('of a session that exists is initialized', () => {
    expect(open({ resumed: true })).toMatchObject({ isLegacy: true, lasts: false });
  });

  it('has a name of its own, which stays', () => {
    const [one, two] = [open(), open()];
    expect(one.name).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.name).toBe(one.name);
    expect(one.name).not.toBe(two.name);
  });

  it('remembers tasks itself, and with a store for others', async () => {
    const own = open();
    expect(own.tasks.set('one', MAKER)).toBeUndefined();
    expect(own.tasks.get('one')).toEqual(MAKER);
    const store = createMemoryStore();
    await open({ preferences: { place: 'store', store, id: 's' } }).tasks.set('one', MAKER);
    expect(await open({ preferences: { place: 'store', store, id: 't' } }).tasks.get('one')).toEqual(MAKER);
  });

  it('has lists of its own, or those that it shares', async () => {
    const shared = new SharedCatalog();
    const asked: number[] = [];
    for (const options of [{ shared }, { shared }, {}]) {
      const own = new TaskGate(advisory, LISTS, options);
      expect(own.gate.state.catalog).toBe(own.gate.state.catalog);
      await own.ask('tools/list', HIGH);
      asked.push(own.received('tools/list').length);
    }
    expect(asked).toEqual([1, 0, 1]);
  });
});

describe('a connection that a client initializes', () => {
  /** What a page with switches is told, in order. */
  function observed(policy = new LivePolicy(advisory)) {
    const told: string[] = [];
    const seen: InitializedConnection[] = [];
    const observe: GivenOptions['observe'] = (initialized) => {
      seen.push(initialized);
      return {
        changed: () => told.push('changed'),
        listed: () => told.push('listed'),
        closed: () => told.push('closed'),
      };
    };
    const own = new TaskGate(policy, { ...LISTS, initialize: ACCEPTED }, { observe });
    return { own, told, seen, policy };
  }

  it('is observed once, from then on', async () => {
    const { own, told, seen } = observed();
    await own.ask('tools/list');
    expect(seen).toEqual([]);
    await own.ask('initialize', INITIALIZE);
    expect(seen).toEqual([
      {
        panel: { state: expect.any(Function), change: expect.any(Function) },
        client: { name: 'host', version: '1' },
      },
    ]);
    await own.ask('initialize', INITIALIZE);
    expect(seen).toHaveLength(1);
    await own.ask('tools/list');
    own.gate.close();
    expect(told).toEqual(['listed', 'closed']);
  });

  it('lasts, and knows how the server names itself', async () => {
    const { own } = observed();
    await own.ask('initialize', INITIALIZE);
    expect(own.gate.state).toMatchObject({
      lasts: true,
      server: { name: 'vault', version: '2' },
      announced: ['tools'],
    });
  });

  it('is asked on behalf of its latest request, under the policy in force', async () => {
    const { own, seen, policy } = observed();
    await own.ask('initialize', INITIALIZE);
    await own.ask('prompts/list', HIGH);
    const other = levels('{ enforcement: shadow }');
    policy.replace(other);
    const surroundings = { session: 's', sessions: [], tokensOf: () => 1, revision: 1 };
    const state = await seen[0]?.panel.state(surroundings);
    expect(state?.policy).toMatchObject({ enforcement: 'shadow' });
  });

  it('is not observed before it has had a request', () => {
    const { own, seen } = observed();
    const [client, server] = [{ name: 'host' }, { name: 'vault' }];
    own.gate.handshake({ state: 'accepted', client, server, announced: [] });
    expect(seen).toEqual([]);
    expect(own.gate.state).toMatchObject({ lasts: true, server: { name: 'vault' } });
  });

  it('closes also if nobody observes it', async () => {
    const own = new TaskGate(advisory, { initialize: ACCEPTED });
    expect(await own.ask('initialize', INITIALIZE)).toMatchObject([{ result: { serverInfo: {} } }]);
    expect(() => own.gate.close()).not.toThrow();
  });

  it('announces lists that another policy changes, until it closes', async () => {
    const { own, told, policy } = observed();
    const announced = () => own.toClient.map((each) => read(each, 'method')).filter(Boolean);
    await own.ask('initialize', INITIALIZE);
    await own.ask('tools/list', HIGH);
    policy.replace(levels('{ unmapped: hide }'));
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(announced()).toEqual(['notifications/tools/list_changed']);
    expect(told).toEqual(['listed', 'changed']);
    own.gate.close();
    policy.replace(advisory);
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(announced()).toHaveLength(1);
    expect(told).toEqual(['listed', 'changed', 'closed']);
  });

  it('that has had no request announces nothing', async () => {
    const live = new LivePolicy(advisory);
    const own = new TaskGate(live, LISTS);
    live.replace(levels('{ unmapped: hide }'));
    for (let turns = 0; turns < 3; turns++) await turn();
    expect([...own.toClient, ...own.toServer]).toEqual([]);
    expect(own.gate.state.policy).toBe(live.current);
  });

  it('can change its policy without being observed', async () => {
    const live = new LivePolicy(advisory);
    const own = new TaskGate(live, { ...LISTS, initialize: ACCEPTED });
    await own.ask('initialize', INITIALIZE);
    live.replace(levels('{ page-size: 9 }'));
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(own.toClient).toHaveLength(1);
  });
});

describe('a request that the gate answers later', () => {
  it('can be answered once, unless the client cancels it', () => {
    const own = new TaskGate(advisory);
    const exchange = own.exchange('tasks/list');
    const id = own.gate.ledger.enter(exchange);
    expect([...own.gate.ledger.all()]).toEqual([exchange]);
    expect(own.gate.ledger.leave(id)).toBe(true);
    expect(own.gate.ledger.leave(id)).toBe(false);
    const cancelled = own.gate.ledger.enter(own.exchange('tasks/list'));
    own.client({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'own' } });
    expect(own.gate.ledger.leave(cancelled)).toBe(false);
    expect([...own.gate.ledger.all()]).toEqual([]);
  });
});
