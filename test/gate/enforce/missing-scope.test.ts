import { describe, expect, it } from 'vitest';
import { showsTool } from '../../../src/core/gate/edge/shows-tool.js';
import { ownerOf } from '../../../src/core/session/task-owner.js';
import type { Message } from '../../../src/core/wire/messages.js';
import { policyOf } from '../gate-harness.js';
import { MODERN, type Reply, recordsOf, TaskGate, verified } from '../tasks/task-gate.js';

// Everything of these is listed for a caller who lacks the scope `notes:write`.
const policy = policyOf(`
concerns:
  notes: { values: ["notes:read", "notes:write"], multiple: true, obtainable: true, set-by: operator, claim: scope }
primitives:
  tools: { read: { notes: "notes:read" }, write: { notes: "notes:write" } }
  resources: { "r://open": { notes: "notes:read" }, "r://draft": { notes: "notes:write" } }
settings: { enforcement: enforce }
`);
const embedded = (uri: string) => ({ type: 'resource', resource: { uri, text: 'text of it' } });
const link = (uri: string) => ({ type: 'resource_link', uri, name: 'n' });
const updated = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
});
const REPLIES: Record<string, Reply> = {
  'tools/list': { result: { tools: [{ name: 'read' }, { name: 'write' }] } },
  'prompts/list': { result: { prompts: [{ name: 'p' }] } },
  'resources/list': { result: { resources: [{ uri: 'r://open' }, { uri: 'r://draft' }] } },
  'resources/templates/list': { result: { resourceTemplates: [] } },
  'tools/call': { result: { content: [link('r://draft'), embedded('r://draft'), embedded('r://open')] } },
  'resources/read': { result: { contents: ['r://open', 'r://draft'].map((uri) => ({ uri, text: 't' })) } },
  'prompts/get': { result: { messages: [{ role: 'user', content: embedded('r://draft') }] } },
  'tasks/list': {
    result: { tasks: ['mine', 'other'].map((taskId) => ({ taskId, status: 'completed' })) },
  },
};
const alice = { issuer: 'issuer', subject: 'sub alice' };
const tasks = () =>
  recordsOf({
    mine: { tool: 'read', owner: ownerOf(alice, 'mine') },
    other: { tool: 'write', owner: ownerOf(alice, 'other') },
  });
const withScopes = (...scopes: string[]) => ({ ...verified('alice'), scopes });
const READER = withScopes('notes:read');
const WRITER = withScopes('notes:read', 'notes:write');
const gate = () => new TaskGate(policy, REPLIES, { preferences: { place: 'none' }, tasks: tasks() });
const resultOf = async (method: string, params: object, sender: object) =>
  (await gate().ask(method, params, sender)).map((message) =>
    'result' in message ? message.result : message,
  );
const listened = { notifications: { resourceSubscriptions: ['r://open', 'r://draft'] }, _meta: MODERN };

describe('a caller who lacks the scope of a resource', () => {
  it('sees it in the list', async () => {
    expect(JSON.stringify(await resultOf('resources/list', { _meta: MODERN }, READER))).toContain(
      'r://draft',
    );
  });

  it('has no stream about it', async () => {
    const [reader, writer] = [gate(), gate()];
    await reader.ask('subscriptions/listen', listened, READER);
    expect(reader.received('subscriptions/listen')).toMatchObject([
      { notifications: { resourceSubscriptions: ['r://open'] } },
    ]);
    await writer.ask('subscriptions/listen', listened, WRITER);
    expect(writer.received('subscriptions/listen')).toEqual([listened]);
  });

  it('is not told of its updates, nor that the server watches it', async () => {
    const told = async (sender: object) => {
      const own = gate();
      await own.ask('subscriptions/listen', listened, sender);
      await own.server(updated('r://draft'));
      await own.server(updated('r://open'));
      const params = { notifications: { resourceSubscriptions: ['r://open', 'r://draft'] } };
      await own.server({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params });
      return own.toClient.flatMap((message: Message) => ('method' in message ? [message.params] : []));
    };
    const acknowledged = (...uris: string[]) => ({ notifications: { resourceSubscriptions: uris } });
    expect(await told(READER)).toEqual([{ uri: 'r://open' }, acknowledged('r://open')]);
    expect(await told(WRITER)).toEqual([
      { uri: 'r://draft' },
      { uri: 'r://open' },
      acknowledged('r://open', 'r://draft'),
    ]);
  });

  it('gets links to it in a result, and not its content', async () => {
    const call = { name: 'read', arguments: {}, _meta: MODERN };
    expect(await resultOf('tools/call', call, READER)).toEqual([
      { content: [link('r://draft'), embedded('r://open')] },
    ]);
    expect(await resultOf('tools/call', call, WRITER)).toEqual([
      { content: [link('r://draft'), embedded('r://draft'), embedded('r://open')] },
    ]);
  });

  it('does not get its content with another resource, nor in a prompt', async () => {
    const read = { uri: 'r://open', _meta: MODERN };
    expect(await resultOf('resources/read', read, READER)).toEqual([
      { contents: [{ uri: 'r://open', text: 't' }] },
    ]);
    const prompt = { name: 'p', _meta: MODERN };
    expect(await resultOf('prompts/get', prompt, READER)).toEqual([{ messages: [] }]);
    expect(await resultOf('prompts/get', prompt, WRITER)).toMatchObject([{ messages: [{ role: 'user' }] }]);
  });
});

describe('a caller who lacks the scope of a tool', () => {
  it('is not shown the tasks that it once created', async () => {
    const idsOf = async (sender: object) =>
      (await resultOf('tasks/list', {}, sender)).flatMap((result) =>
        (result as { tasks: { taskId: string }[] }).tasks.map(({ taskId }) => taskId),
      );
    expect(await idsOf(READER)).toEqual(['mine']);
    expect(await idsOf(WRITER)).toEqual(['mine', 'other']);
  });

  it('is not shown the results of its tasks', async () => {
    const own = gate();
    const request = { jsonrpc: '2.0', id: 1, method: 'tasks/result', params: { taskId: 'other' } } as const;
    const shows = (tool: string, sender: object) =>
      showsTool(own.gate, tool, request, { extra: undefined, ...sender });
    expect(await shows('read', READER)).toBe(true);
    expect(await shows('write', READER)).toBe(false);
    expect(await shows('write', WRITER)).toBe(true);
  });
});
