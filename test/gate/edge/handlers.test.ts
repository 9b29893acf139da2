import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/core/engine/policy.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import {
  type GivenOptions,
  HIGH,
  LISTS,
  levels,
  MODERN,
  type Reply,
  recordsOf,
  TaskGate,
  verified,
} from '../tasks/task-gate.js';

const advisory = levels();
const shadow = levels('{ enforcement: shadow }');
const enforced = levels('{ enforcement: enforce }');
const lenient = levels('{ enforcement: enforce, methods: ["vendor/*"] }');
const SECRET: Reply = { error: { code: 7, message: 'not while secret runs' } };
const REDACTED: Reply = { error: { code: 7, message: 'not while [hidden] runs' } };

const answered = (body: object) => [{ jsonrpc: '2.0', id: 'request-1', ...body }];
const gate = (policy: Policy, replies: TaskGate['replies'] = {}, options: GivenOptions = {}) =>
  new TaskGate(policy, { ...LISTS, ...replies }, options);

describe('a request that names nothing', () => {
  it('is answered by the server, and reported', async () => {
    const own = gate(enforced, { ping: { result: { note: 'secret' } } });
    expect(await own.ask('ping', HIGH)).toEqual(answered({ result: { note: 'secret' } }));
    expect(own.received('ping')).toEqual([HIGH]);
    expect(own.reports).toEqual([{ method: 'ping', era: 'legacy' }]);
  });

  it.each<[string, string, Policy, Reply]>([
    ['without hidden names under enforce', 'logging/setLevel', enforced, REDACTED],
    ['as it is, of a method that the policy lets pass', 'vendor/x', lenient, SECRET],
    ['as it is, if nothing is enforced', 'logging/setLevel', advisory, SECRET],
  ])('can be answered with an error, %s', async (_how, method, policy, expected) => {
    const preferences = { place: 'connection', record: { concerns: { level: 'high' } } } as const;
    const own = gate(policy, { [method]: SECRET }, { preferences });
    expect(await own.ask(method, HIGH)).toEqual(answered(expected));
  });

  it('is refused under enforce if no table knows it', async () => {
    const own = gate(enforced);
    const error = { code: -32601, message: 'Method not found' };
    expect(await own.ask('vendor/x')).toEqual(answered({ error }));
    expect(own.toServer).toEqual([]);
  });
});

describe('the answer to a request that names a primitive', () => {
  const LINK = { type: 'resource_link', uri: 'r://a/hidden', name: 'n' };
  const hides = levels('{ enforcement: enforce, unmapped: hide }');

  it.each<[string, Policy, object, Reply, Reply]>([
    ['has no hidden names under enforce', enforced, HIGH, SECRET, REDACTED],
    ['stays if nothing is hidden', enforced, {}, SECRET, SECRET],
    ['stays if nothing is enforced', shadow, HIGH, SECRET, SECRET],
    [
      'has no hidden links under enforce',
      hides,
      HIGH,
      { result: { content: [LINK] } },
      { result: { content: [] } },
    ],
    [
      'has its links if nothing is enforced',
      levels('{ enforcement: shadow, unmapped: hide }'),
      HIGH,
      { result: { content: [LINK] } },
      { result: { content: [LINK] } },
    ],
  ])('%s', async (_what, policy, params, reply, expected) => {
    const own = gate(policy, { 'tools/call': reply });
    expect(await own.ask('tools/call', { name: 'work', ...params })).toEqual(answered(expected));
  });

  it('waits for the lists that tell what is hidden', async () => {
    const own = gate(enforced, { 'tools/call': SECRET });
    delete own.replies['prompts/list'];
    expect(await own.ask('tools/call', { name: 'work', ...HIGH })).toEqual([]);
    const asked = own.toServer.find((message) => read(message, 'method') === 'prompts/list');
    await own.server({ jsonrpc: '2.0', id: read(asked, 'id'), result: { prompts: [] } });
    await own.ask('ping');
    expect(own.answersTo('request-1')).toEqual(answered(REDACTED));
  });

  it('without a name, is redacted too', async () => {
    const skills = [{ uri: 'r://a/hidden', name: 'x' }];
    const own = gate(hides, { 'skills/list': { result: { skills } } });
    expect(await own.ask('skills/list', HIGH)).toMatchObject([{ result: { skills: [] } }]);
  });

  it.each<[string, Policy, object]>([
    ['under enforce', enforced, HIGH],
    ['under enforce, if nothing is hidden', enforced, {}],
    ['if nothing is enforced', advisory, HIGH],
  ])('tells who created a task, %s', async (_when, policy, params) => {
    const tasks = recordsOf();
    const created: Reply = { result: { task: { taskId: 'one', statusMessage: 'with secret' } } };
    const own = gate(policy, { 'tools/call': created }, { tasks, preferences: { place: 'none' } });
    const [answer] = await own.ask('tools/call', { name: 'work', task: {}, ...params }, verified('alice'));
    const isRedacted = policy === enforced && params === HIGH;
    expect(read(answer, 'result', 'task')).toEqual({
      taskId: 'one',
      statusMessage: isRedacted ? 'with [hidden]' : 'with secret',
    });
    const owner = ownerOf({ issuer: 'issuer', subject: 'sub alice' }, 'one');
    expect(tasks.known).toEqual(new Map([['one', { tool: 'work', owner }]]));
  });

  it('tells who created a task, also if lists are waited for', async () => {
    const tasks = recordsOf();
    const created: Reply = { result: { task: { taskId: 'one', statusMessage: 'with secret' } } };
    const own = gate(enforced, { 'tools/call': created }, { tasks });
    delete own.replies['prompts/list'];
    await own.ask('tools/call', { name: 'work', task: {}, ...HIGH });
    expect(tasks.known.size).toBe(0);
    const asked = own.toServer.find((message) => read(message, 'method') === 'prompts/list');
    await own.server({ jsonrpc: '2.0', id: read(asked, 'id'), result: { prompts: [] } });
    await own.ask('ping');
    expect(tasks.known.size).toBe(1);
    expect(own.answersTo('request-1')).toHaveLength(1);
  });

  it('that cannot be filtered is not sent', async () => {
    const own = gate(hides, {
      'skills/list': { result: { skills: [{ uri: 'r://a', name: 'secret' }] } },
      'resources/list': { error: { code: 7, message: 'Later' } },
    });
    const [answer] = await own.ask('skills/list', HIGH);
    expect(answer).toMatchObject({ error: { code: -32603 } });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });
});

describe('the requests with which a client connects', () => {
  const capabilities = { tools: {}, tasks: { list: {}, cancel: {} } };

  it('are not offered a list of tasks, if nothing tells the client apart', async () => {
    const own = gate(
      advisory,
      { initialize: { result: { capabilities } } },
      { preferences: { place: 'none' } },
    );
    const [answer] = await own.ask('initialize', {}, { http: {} });
    expect(read(answer, 'result', 'capabilities', 'tasks')).toEqual({ cancel: {} });
    expect(read(answer, 'result', 'capabilities', 'extensions', EXTENSION_ID)).toBeDefined();
  });

  it.each<[string, Policy, string]>([
    ['has no hidden names in its instructions under enforce', enforced, 'Use [hidden].'],
    ['has its own instructions if nothing is enforced', advisory, 'Use secret.'],
  ])('of 2026-07-28: the answer %s', async (_what, policy, instructions) => {
    const store = createMemoryStore();
    await store.update('p', { concerns: { level: 'high' } });
    const principal = { place: 'store', store, id: 'p' } as const;
    const reply = { result: { capabilities: {}, instructions: 'Use secret.' } };
    const own = gate(policy, { 'server/discover': reply }, { principal, preferences: { place: 'none' } });
    await own.ask('tools/list', { _meta: MODERN });
    const [answer] = await own.ask('server/discover', { _meta: MODERN });
    expect(read(answer, 'result', 'instructions')).toBe(instructions);
    expect(own.reports.filter(({ method }) => method === 'server/discover')).toEqual([
      { method: 'server/discover', era: 'modern' },
    ]);
  });

  it('has its answer at once, if nothing must be waited for', () => {
    for (const policy of [advisory, enforced]) {
      const own = gate(policy, { 'server/discover': { result: { capabilities: {} } } });
      own.client({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: MODERN } });
      expect(own.received('server/discover')).toHaveLength(1);
    }
  });
});

describe('a request about concerns', () => {
  it('is answered by the gate, and reported', async () => {
    const own = gate(advisory);
    const [answer] = await own.ask('listConcerns');
    expect(answer).toMatchObject({ id: 'request-1', result: { concerns: expect.anything() } });
    expect(JSON.stringify(answer)).toContain('"level"');
    expect(own.reports).toEqual([{ method: 'listConcerns', era: 'legacy' }]);
    expect(own.toServer).toEqual([]);
  });
});
