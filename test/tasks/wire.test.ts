import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TASKS_EXTENSION } from '../../src/core/wire/messages.js';
import type { Tasks } from '../../src/tasks/index.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { definitions } from './demo-tasks.js';
import { hideStoppedExecutions } from './stopped-executions.js';
import {
  ANN_TOKEN as ANN,
  accept,
  CAPABILITIES,
  type Follow,
  followLegacy,
  followModern,
  followRaw,
  sendModern,
  send as sendTo,
} from './wire-clients.js';
import { type Endpoint, startEndpoint } from './wire-endpoint.js';
import { type Combination, openWorld, type World } from './worlds.js';

// Clients wait as long as they are told to; poll.test.ts tests the real intervals.
vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 40 }));

const REPORT = '7+11 rows on snow by Ann, signed by Ann';

const COMBINATIONS: readonly Combination[] = [
  { records: 'memory', engine: 'embedded' },
  { records: 'dynamo', engine: 'durable' },
];

hideStoppedExecutions();

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

describe.each(COMBINATIONS)(
  'clients of tasks with $records records and the $engine engine',
  (combination) => {
    let world: World;
    let endpoint: Endpoint;
    let hidden: readonly string[] = [];
    beforeAll(async () => {
      world = await openWorld(combination, definitions, dynamo);
      const makeTasks = (): Tasks => world.another();
      endpoint = await startEndpoint(makeTasks, (tool) => !hidden.includes(tool), { elicitation: {} });
    });
    afterAll(async () => {
      await endpoint.close();
      await world.close();
    });

    const send = (method: string, params: object, authorization = ANN) =>
      sendTo(endpoint.url, method, params, authorization);
    const modern = (
      method: string,
      params: object,
      capabilities: object = CAPABILITIES,
      authorization = ANN,
    ) => sendModern(endpoint.url, method, params, capabilities, authorization);
    const untilStatus = async (taskId: string, status: string, poll = modern) => {
      for (;;) {
        const { answer } = await poll('tasks/get', { taskId });
        if (answer.result.status === status) return answer.result;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    it.each<[string, Follow]>([
      ['the official client of the extension', followModern],
      ['the same client on protocol 2025-11-25', followLegacy],
      ['a client without SDK', followRaw],
    ])('follows a task with two questions in %s', async (_client, follow) => {
      expect(await follow(endpoint.url)).toContain(REPORT);
    });

    it('answers a client without SDK: create, get, update, get, cancel', async () => {
      const created = await modern('tools/call', { name: 'ask', arguments: {} });
      expect(created.answer.result).toMatchObject({
        resultType: 'task',
        status: 'working',
        ttlMs: 86_400_000,
      });
      const { taskId } = created.answer.result;
      const asking = await untilStatus(taskId, 'input_required');
      expect(asking).toMatchObject({
        resultType: 'complete',
        inputRequests: { name: { method: 'elicitation/create' } },
      });
      const inputResponses = { name: await accept(), other: await accept() };
      expect((await modern('tasks/update', { taskId, inputResponses })).answer.result).toEqual({
        resultType: 'complete',
      });
      expect(await untilStatus(taskId, 'completed')).toMatchObject({
        result: { resultType: 'complete', content: [{ text: 'accept Ann' }] },
      });
      expect((await modern('tasks/cancel', { taskId })).answer.result).toEqual({ resultType: 'complete' });
      expect((await modern('tasks/get', { taskId })).answer.result.status).toBe('completed');
      expect((await modern('tasks/update', { taskId, inputResponses: [] })).answer.error.code).toBe(-32602);
      expect((await modern('tasks/list', {})).answer.error.code).toBe(-32601);
    });

    it('calls a tool error completed in the extension and failed before it', async () => {
      const { answer } = await modern('tools/call', { name: 'throws' });
      expect(await untilStatus(answer.result.taskId, 'completed')).toMatchObject({
        result: { isError: true },
      });
      expect((await send('tasks/get', { taskId: answer.result.taskId })).answer.result.status).toBe('failed');
      const other = await modern('tools/call', { name: 'protocol-error' });
      expect(await untilStatus(other.answer.result.taskId, 'failed')).toMatchObject({
        error: { code: -32602, message: 'no such row' },
      });
    });

    it('requires the capability of the extension', async () => {
      for (const [method, params] of [
        ['tools/call', { name: 'report' }],
        ['tasks/get', { taskId: 'x' }],
      ] as const) {
        const { answer, status } = await modern(method, params, {});
        expect(status).toBe(400);
        expect(answer.error).toMatchObject({
          code: -32021,
          data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
        });
      }
    });

    it('runs an optional task within a plain call, and refuses a required one', async () => {
      const plain = await send('tools/call', { name: 'quick', arguments: { text: 'now' } });
      expect(plain.answer.result).toEqual({ content: [{ type: 'text', text: 'quick now' }] });
      const unable = await modern('tools/call', { name: 'quick', arguments: { text: 'now' } }, {});
      expect(unable.answer.result).toMatchObject({
        resultType: 'complete',
        content: [{ text: 'quick now' }],
      });
      expect((await send('tools/call', { name: 'report' })).answer.error.code).toBe(-32601);
      const invalid = await send('tools/call', { name: 'quick', arguments: { text: 7 }, task: {} });
      // A task that has ended: its result is the tool error.
      expect(invalid.answer.result.task).toMatchObject({ status: 'failed' });
      expect((await send('tools/call', { name: 'quick', task: 'soon' })).answer.error.code).toBe(-32602);
    });

    it('lists the tasks of a caller page by page, and filters them', async () => {
      const lister = 'Bearer https://login.example|lister';
      for (const name of ['nothing', 'throws', 'protocol-error', 'ask', 'quick']) {
        const { answer } = await send('tools/call', { name, arguments: {}, task: {} }, lister);
        const status = name === 'ask' ? 'input_required' : /throws|error/.test(name) ? 'failed' : 'completed';
        await untilStatus(answer.result.task.taskId, status, (method, params) =>
          send(method, params, lister),
        );
      }
      const first = (await send('tasks/list', {}, lister)).answer.result;
      expect(first.tasks).toHaveLength(3);
      const second = (await send('tasks/list', { cursor: first.nextCursor }, lister)).answer.result;
      expect(second).toMatchObject({ tasks: [{}, {}] });
      expect(second).not.toHaveProperty('nextCursor');
      const order = { orderBy: 'createdAt', order: 'asc' };
      const filtered = async (filter: object) => {
        const { result } = (await send('tasks/list', { filter: { ...order, ...filter } }, lister)).answer;
        return result.tasks.map(({ status }: { status: string }) => status);
      };
      expect(await filtered({ status: ['failed'] })).toEqual(['failed', 'failed']);
      expect(await filtered({ status: ['input_required', 'unknown'] })).toEqual(['input_required']);
      expect(await filtered({ status: ['unknown'] })).toEqual([]);
      expect(await filtered({ methods: ['tools/call'], status: ['completed'] })).toEqual([
        'completed',
        'completed',
      ]);
      expect(await filtered({ methods: ['prompts/get'] })).toEqual([]);
      expect((await send('tasks/list', { cursor: 'forged' }, lister)).answer.error.code).toBe(-32602);
      hidden = ['ask'];
      expect(await filtered({ status: ['input_required'] })).toEqual([]);
      hidden = [];
    });

    it('does not tell a stranger, or a client that does not see the tool, that a task exists', async () => {
      const marker = 'MARKER-7f3a';
      const created = await modern('tools/call', { name: 'quick', arguments: { text: marker } });
      const { taskId } = created.answer.result;
      await untilStatus(taskId, 'completed');
      const unknown = `${taskId.slice(0, -4)}0000`;
      const ask = async (authorization: string, id: string) => {
        const answers = [];
        for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result', 'tasks/update']) {
          answers.push((await send(method, { taskId: id }, authorization)).text);
          answers.push(
            (await modern(method, { taskId: id, inputResponses: {} }, CAPABILITIES, authorization)).text,
          );
        }
        // Ids of requests count up, and are no part of the comparison.
        return answers.map((each) => each.replace(/"id":\d+/, '"id":0'));
      };
      const eve = await ask('Bearer https://login.example|eve', taskId);
      expect(eve).toEqual(await ask('Bearer https://login.example|eve', unknown));
      expect(eve.join('')).not.toMatch(new RegExp(`${marker}|${taskId}|quick`));
      hidden = ['quick'];
      expect(await ask(ANN, taskId)).toEqual(await ask(ANN, unknown));
      hidden = [];
      expect((await ask(ANN, taskId)).join('')).toContain(marker);
      expect((await send('tasks/list', {}, 'Bearer https://login.example|eve')).answer.result.tasks).toEqual(
        [],
      );
    });

    it('ends a question that the client refuses', async () => {
      const { answer } = await send('tools/call', { name: 'ask', task: {} });
      const { taskId } = answer.result.task;
      await untilStatus(taskId, 'input_required');
      const response = await fetch(endpoint.url, {
        method: 'POST',
        headers: { authorization: ANN, 'content-type': 'application/json' },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: `ask:${taskId}:name`,
          error: { code: -1, message: 'no person here' },
        }),
      });
      expect(response.status).toBe(202);
      expect(JSON.stringify(await untilStatus(taskId, 'completed'))).toContain(
        'The client refuses the question \\"name\\": no person here',
      );
    });
  },
);
