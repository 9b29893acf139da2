import { describe, expect, it } from 'vitest';
import type { Sender } from '../../../src/core/gate/request/configure.js';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import type { GateReport } from '../../../src/core/gate/request/report.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import {
  CLIENT_CAPABILITIES_META,
  EXTENSION_ID,
  PROTOCOL_VERSION_META,
} from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const POLICY = `
concerns:
  security: { values: [low, high] }
  cost: { values: [minimal, high], default: high }
  tier: { values: [free, pro], match: at-most, default: free, set-by: operator, claim: tier }
presets: { safe: { security: high } }
primitives:
  tools:
    a: { security: low }
    b: { security: high }
    c: { security: low, cost: minimal }
    d: { tier: pro, security: low }
    e: {}
rules:
  - { id: no-e, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, e] }, { var: claims.strict }] } }
`;
const named = (...names: string[]) => names.map((name) => ({ name }));
const TOOLS = named('a', 'b', 'c', 'd', 'e', 'new');

function gate(settings = '{}', preferences?: SessionPreferences): Harness {
  const policy = policyOf(`${POLICY}settings: ${settings}\n`);
  return new Harness(policy, preferences).serve({ 'tools/list': TOOLS });
}

/** Returns what the gate reports about a request. */
function reportOf(harness: Harness, params: object, sender: Partial<Sender> = {}): GateReport | undefined {
  harness.client({ jsonrpc: '2.0', id: harness.reports.length, method: 'tools/list', params }, sender);
  return harness.reports.at(-1);
}
const inMeta = (concerns: object) => ({ _meta: { [EXTENSION_ID]: { concerns } } });
const HIGH = inMeta({ security: 'high' });
/** A claim that is not known would hide. */
const LAX = { claims: new Map<string, unknown>([['strict', false]]) };

describe('the report of a list', () => {
  it('counts each hidden tool once, for its first reason', () => {
    expect(reportOf(gate(), inMeta({ security: 'high', cost: 'high' }), LAX)).toMatchObject({
      shown: 3,
      total: 6,
      hidden: { concerns: { security: 2, tier: 1 } },
    });
  });

  it('counts tools that are hidden by rules, unmapped, or left out by the client filter', () => {
    const claims = new Map<string, unknown>([
      ['tier', 'pro'],
      ['strict', true],
    ]);
    const params = { ...HIGH, filter: { namePatterns: ['x*'] } };
    expect(reportOf(gate('{ unmapped: hide }'), params, { claims })).toMatchObject({
      shown: 0,
      total: 6,
      hidden: { concerns: { security: 3 }, rules: { 'no-e': 1 }, unmapped: 1, filter: 1 },
    });
  });

  it('has no counts if everything is shown', () => {
    const claims = new Map<string, unknown>([...LAX.claims, ['tier', 'pro']]);
    expect(reportOf(gate(), {}, { claims })).not.toHaveProperty('hidden');
  });

  it('counts what would be hidden under shadow, although everything is listed', () => {
    const harness = gate('{ enforcement: shadow }');
    const counts = { shown: 3, total: 6, hidden: { concerns: { security: 2, tier: 1 } } };
    expect(reportOf(harness, inMeta({ security: 'high', cost: 'high' }), LAX)).toMatchObject(counts);
    expect(harness.toClient).toMatchObject([{ result: { tools: TOOLS } }]);
  });

  it('counts per page if the list is too long to be cached', () => {
    const harness = new Harness(policyOf(POLICY));
    let page = 0;
    harness.onServer = (message) => {
      if (!('method' in message) || !('id' in message)) return;
      const nextCursor = String(page++);
      void harness.server({ jsonrpc: '2.0', id: message.id, result: { tools: TOOLS, nextCursor } });
    };
    expect(reportOf(harness, HIGH)).toMatchObject({
      total: 6,
      hidden: { concerns: { security: 2, tier: 1 } },
    });
    expect(harness.reports.at(-1)?.warnings).toMatchObject([{ code: 'unbounded-list' }]);
  });

  it('counts tasks by the reason that hides their tools', async () => {
    const policy = policyOf(`${POLICY}settings: {}\n`);
    const store = createMemoryStore();
    const harness = new Harness(policy, { place: 'store', store, id: 's' });
    const tasks = ['of-a', 'of-b', 'of-b2', 'of-d', 'of-unknown'].map((taskId) => ({
      taskId,
      status: 'working',
    }));
    harness.serve({ 'tools/list': TOOLS, 'tasks/list': tasks });
    for (const [taskId, tool] of [
      ['of-a', 'a'],
      ['of-b', 'b'],
      ['of-b2', 'b'],
      ['of-d', 'd'],
    ] as const) {
      await store.update(`task/${taskId}`, { tool, owner: ownerOf({ session: 's' }, taskId) });
    }
    await store.update('s', { listChanged: [], concerns: { security: 'high' } });
    harness.request(1, 'tasks/list', { taskIds: ['of-b'] });
    await expect
      .poll(() => harness.reports.at(-1))
      .toMatchObject({
        method: 'tasks/list',
        shown: 1,
        // Nothing tells who created the fifth.
        total: 4,
        hidden: { concerns: { security: 1, tier: 1 }, filter: 1 },
      });
  });
});

describe('the report of preference sources', () => {
  const url = 'https://example.test/mcp?concerns=safe,cost:minimal';
  const http = { url, headers: { 'mcp-concerns': 'cost=high' } };

  it('has the strongest source of each concern, and the names of presets', () => {
    expect(reportOf(gate(), {}, { http, claims: new Map([['tier', 'pro']]) })).toMatchObject({
      concerns: { security: 'high', cost: 'high', tier: 'pro' },
      sources: { security: 'url preset safe', cost: 'header', tier: 'claim' },
    });
    expect(reportOf(gate(), inMeta({ security: 'low' }), { http })).toMatchObject({
      concerns: { security: 'low', cost: 'high', tier: 'free' },
      sources: { security: 'request', cost: 'header', tier: 'default' },
    });
  });

  it('has the session for preferences of any earlier message', () => {
    const harness = gate();
    harness.client({
      jsonrpc: '2.0',
      method: 'notifications/initialized',
      params: { concerns: { security: 'high' } },
    });
    expect(harness.reports.at(-1)).toMatchObject({
      method: 'notifications/initialized',
      sources: { security: 'session' },
    });
    expect(reportOf(harness, {})?.sources).toEqual({
      security: 'session',
      cost: 'default',
      tier: 'default',
    });
  });

  it('has the capabilities of a modern client', () => {
    const capabilities = { extensions: { [EXTENSION_ID]: { concerns: { preset: 'safe' } } } };
    const _meta = { [PROTOCOL_VERSION_META]: '2026-07-28', [CLIENT_CAPABILITIES_META]: capabilities };
    expect(reportOf(gate(), { _meta })).toMatchObject({
      era: 'modern',
      sources: { security: 'capabilities preset safe', cost: 'default', tier: 'default' },
    });
  });

  it('has the reason for a denied concern, which has no value', async () => {
    const policy = policyOf(`
concerns:
  security: { values: [low, high] }
  tier: { values: [free, pro], set-by: operator, claim: tier }
primitives: { tools: { a: { security: low }, b: { tier: free } } }
settings: { enforcement: enforce }
`);
    const expired = { place: 'store', store: createMemoryStore(), id: 's' } as const;
    const harness = new Harness(policy, expired).serve({ 'tools/list': named('a', 'b') });
    harness.request(1, 'tools/list');
    await expect
      .poll(() => harness.reports.at(-1))
      .toMatchObject({
        concerns: {},
        sources: { security: 'forgotten', tier: 'no-claim' },
        hidden: { concerns: { security: 1, tier: 1 } },
      });
  });

  it('is missing if nothing is in effect', () => {
    const harness = new Harness(policyOf('concerns: { level: { values: [low, high], default: low } }'));
    harness.serve({ 'tools/list': TOOLS });
    expect(reportOf(harness, {})).toEqual({
      method: 'tools/list',
      era: 'legacy',
      concerns: {},
      shown: 6,
      total: 6,
      warnings: [],
    });
  });

  it('has only names that the policy declares', () => {
    const secret = 'S3CR3T';
    const concerns = {
      security: secret,
      preset: secret,
      [secret]: 'high',
      tier: 'pro',
      cost: ['high', secret],
    };
    const claims = new Map([
      ['tier', secret],
      [secret, secret],
    ]);
    const hostile = {
      url: `https://example.test/mcp?concerns=${secret},security:${secret},${secret}:high&${secret}`,
      headers: { 'mcp-concerns': `security=${secret}, preset=${secret}, ${secret.toLowerCase()}=high` },
    };
    const harness = gate('{ invalid: ignore }');
    const { warnings: _texts, ...logged } =
      reportOf(
        harness,
        { ...inMeta(concerns), filter: { namePatterns: [secret] } },
        { http: hostile, claims },
      ) ?? {};
    expect(logged).toMatchObject({ shown: 0, sources: { tier: 'unmatched-claim' } });
    expect(JSON.stringify(logged).toLowerCase()).not.toContain(secret.toLowerCase());
  });
});
