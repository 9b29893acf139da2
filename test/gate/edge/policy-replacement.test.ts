import { describe, expect, it } from 'vitest';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import type { SessionRead, SessionStore } from '../../../src/core/session/store.js';
import { EXTENSION_ID, METHODS, type RequestId, read } from '../../../src/core/wire/messages.js';
import { Harness, LIST_KEYS, policyOf } from '../gate-harness.js';

// A host that prefers high does not see "x" under the old policy, and nobody sees it under the new one without a claim.
// Read with the new policy, the number of "high" is the number of "pro", which shows "x".
const OLD = `
concerns: { level: { values: [low, high] } }
primitives: { tools: { x: { level: low }, y: { level: high } } }
`;
const NEW = `
concerns: { tier: { values: [free, pro], set-by: operator, claim: tier } }
primitives: { tools: { x: { tier: pro }, y: { tier: free } } }
settings: { unmapped: hide }
`;
const ENFORCE = 'settings: { enforcement: enforce }\n';
const oldPolicy = (settings = '') => policyOf(OLD + settings);
const newPolicy = () => policyOf(NEW);
const TOOLS = [{ name: 'x' }, { name: 'y' }, { name: 'z' }];
const HIGH = { _meta: { [EXTENSION_ID]: { concerns: { level: 'high' } } } };

/** Answers the requests that the server has received and not answered yet. */
function answerAll(harness: Harness, results: Record<string, object>): void {
  for (const message of harness.toServer.splice(0)) {
    if (!('method' in message) || !('id' in message)) continue;
    const result = results[message.method] ?? {};
    void harness.server({ jsonrpc: '2.0', id: message.id, result });
  }
}

const namesIn = (answer: unknown, key: string): unknown[] => {
  const items = read(answer, 'result', key);
  return Array.isArray(items) ? items.map((item) => read(item, 'name') ?? read(item, 'taskId')) : [];
};

describe('a policy that is replaced while a request waits for the server', () => {
  it('does not show in a list what neither policy shows', () => {
    const harness = new Harness(oldPolicy());
    harness.request(1, 'tools/list', HIGH);
    harness.live.replace(newPolicy());
    answerAll(harness, { 'tools/list': { tools: TOOLS } });
    expect(namesIn(harness.answers(1)[0], 'tools')).toEqual(['y', 'z']);
  });

  it('does not change a list that was passed on', () => {
    const harness = new Harness(oldPolicy());
    harness.request(1, 'tools/list');
    harness.live.replace(newPolicy());
    answerAll(harness, { 'tools/list': { tools: TOOLS } });
    expect(read(harness.answers(1)[0], 'result')).toEqual({ tools: TOOLS });
  });

  it('does not let a tool run that neither policy shows', () => {
    const harness = new Harness(oldPolicy(ENFORCE));
    harness.request(1, 'tools/call', { name: 'x', ...HIGH });
    harness.live.replace(policyOf(`${NEW.trimEnd().replace('hide }', 'hide, enforcement: enforce }')}\n`));
    answerAll(harness, { 'tools/list': { tools: TOOLS } });
    const called = harness.toServer.map((message) => read(message, 'params', 'name'));
    expect(called).toEqual([expect.stringMatching(/^unknown-/)]);
  });

  it('does not let an answer name a tool that neither policy shows', async () => {
    const harness = new Harness(oldPolicy(ENFORCE));
    harness.request(1, 'tools/call', { name: 'y', ...HIGH });
    harness.live.replace(newPolicy());
    harness.serve({
      'tools/list': TOOLS,
      'prompts/list': [],
      'resources/list': [],
      'resources/templates/list': [],
    });
    const sent = harness.toServer.find((message) => read(message, 'method') === 'tools/call');
    const id = read(sent, 'id') as RequestId;
    await harness.server({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Try x instead.' } });
    expect(read(harness.answers(1)[0], 'error', 'message')).toBe('Try [hidden] instead.');
  });

  it('cuts nothing from a question of the server that was only hidden as advice', async () => {
    const harness = new Harness(oldPolicy());
    harness.request(1, 'tools/list', HIGH);
    harness.live.replace(oldPolicy(ENFORCE));
    const params = { message: 'Run y or x?', requestedSchema: { type: 'object', properties: {} } };
    await harness.server({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params });
    expect(harness.toClient).toMatchObject([{ id: 'q', params }]);
  });

  it('does not list the tasks of a tool that neither policy shows', async () => {
    const harness = new Harness(oldPolicy());
    harness.request(1, 'tools/call', { name: 'x', task: {} });
    answerAll(harness, { 'tools/call': { task: { taskId: 'of-x' } } });
    harness.request(2, 'tasks/list', HIGH);
    harness.live.replace(newPolicy());
    const results = {
      'tasks/list': { tasks: [{ taskId: 'of-x' }, { taskId: 'other' }] },
      'tools/list': { tools: TOOLS },
    };
    for (let turn = 0; turn < 5; turn++) {
      answerAll(harness, results);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(namesIn(harness.answers(2)[0], 'tasks')).toEqual(['other']);
  });

  it('gives a later request lists of the new policy, and of the old one again when it returns', () => {
    const old = oldPolicy();
    const harness = new Harness(old).serve({ 'tools/list': TOOLS });
    for (const [id, policy, shown] of [
      [1, old, ['y', 'z']],
      [2, newPolicy(), []],
      [3, policyOf(OLD.replace('y: { level: high }', 'y: { level: low }')), ['z']],
      [4, old, ['y', 'z']],
    ] as const) {
      harness.live.replace(policy);
      harness.request(id, 'tools/list', HIGH);
      expect(namesIn(harness.answers(id)[0], LIST_KEYS['tools/list'] ?? '')).toEqual(shown);
    }
    expect(harness.toServer).toHaveLength(1);
  });
});

describe('a policy that is replaced while a request waits for the session store', () => {
  /** A store whose reads and updates wait until they are let go. */
  function waitingStore(concerns: object) {
    const waiting: (() => void)[] = [];
    const session: SessionRead = { state: 'live', record: { concerns: { ...concerns } } };
    const wait = <T>(value: T) => new Promise<T>((resolve) => waiting.push(() => resolve(value)));
    const store: SessionStore = {
      read: () => wait(session),
      update: () => wait('stored' as const),
      end: async () => undefined,
    };
    const preferences: SessionPreferences = { place: 'store', store, id: 'session' };
    const release = async (): Promise<void> => {
      waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { preferences, release };
  }

  it('does not apply to the request', async () => {
    const { preferences, release } = waitingStore({ level: 'high' });
    const harness = new Harness(oldPolicy(), preferences).serve({ 'tools/list': TOOLS });
    harness.request(1, 'tools/list');
    harness.live.replace(newPolicy());
    await release();
    expect(namesIn(harness.answers(1)[0], 'tools')).toEqual(['y', 'z']);
  });

  it('does not count what neither policy shows', async () => {
    const { preferences, release } = waitingStore({});
    const harness = new Harness(oldPolicy(), preferences).serve({ 'tools/list': TOOLS });
    harness.request(1, METHODS.updateConcerns, { concerns: { level: 'high' } });
    await release();
    harness.live.replace(newPolicy());
    for (let turn = 0; turn < 5; turn++) await release();
    expect(read(harness.answers(1)[0], 'result', 'visible', 'tools')).toBe(2);
  });
});
