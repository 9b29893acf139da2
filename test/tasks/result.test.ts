import { CallToolResultSchema, CreateTaskResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalEndpoint } from '../../src/core/http/local.js';
import { stateOf, type TaskState } from '../../src/tasks/index.js';
import { type LocalDynamo, startDynamo } from '../session/dynamo.js';
import { definitions } from './demo-tasks.js';
import { startEnvironments } from './http-endpoint.js';
import { hideStoppedExecutions } from './stopped-executions.js';
import { ANN_TOKEN as ANN, accept, connectV1, followV1, send as sendTo } from './wire-clients.js';
import { type Combination, openWorld, until, type World } from './worlds.js';

// Clients wait as long as they are told to; poll.test.ts tests the real intervals.
vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 40 }));

const COMBINATIONS: readonly Combination[] = [
  { records: 'memory', engine: 'embedded' },
  { records: 'dynamo', engine: 'durable' },
];
const ANN_CALLER = { issuer: 'https://login.example', subject: 'sub ann' };
const EVE = 'Bearer https://login.example|eve';

hideStoppedExecutions();

let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
});
afterAll(() => dynamo.close());

describe.each(COMBINATIONS)(
  'results of protocol 2025-11-25 in two environments, with $records records and the $engine engine',
  (combination) => {
    let world: World;
    let endpoint: LocalEndpoint;
    beforeAll(async () => {
      world = await openWorld(combination, definitions, dynamo);
      endpoint = await startEnvironments(() => world.another());
    });
    afterAll(async () => {
      await endpoint.close();
      await world.close();
    });

    const send = (method: string, params: object, authorization = ANN) =>
      sendTo(endpoint.url, method, params, authorization);
    const start = async (name: string): Promise<string> =>
      (await send('tools/call', { name, arguments: {}, task: {} })).answer.result.task.taskId;
    // Not with tasks/get, whose answer may have the question.
    const untilState = (taskId: string, state: TaskState) =>
      until(world.tasks, taskId, (record) => stateOf(record) === state, ANN_CALLER);
    const comeBack = async (lastEventId: string, authorization = ANN, url = endpoint.url) => {
      const accept = 'text/event-stream';
      const headers = { authorization, accept, 'last-event-id': lastEventId };
      const response = await fetch(url, { headers });
      return { status: response.status, text: await response.text() };
    };
    const answerQuestion = async (taskId: string) =>
      fetch(endpoint.url, {
        method: 'POST',
        headers: {
          authorization: ANN,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: `ask:${taskId}:name`, result: await accept() }),
      });

    // walk.test.ts follows one in memory.
    it.runIf(combination.engine === 'durable')(
      'follows a task in SDK v1, which asks each question once',
      async () => {
        expect(await followV1(endpoint.url)).toMatch(
          /^Who writes\? Who signs\? working.*input_required.*7\+11 rows on snow by Ann, signed by Ann/,
        );
        const asked: string[] = [];
        const client = await connectV1(endpoint.url, asked);
        const call = { method: 'tools/call', params: { name: 'ask', arguments: {}, task: {} } } as const;
        const { task } = await client.request(call, CreateTaskResultSchema);
        const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
        expect(JSON.stringify(result)).toContain('accept Ann');
        expect(asked).toEqual(['Who?']);
        const other = await client.request(call, CreateTaskResultSchema);
        expect(await client.experimental.tasks.cancelTask(other.task.taskId)).toMatchObject({
          status: 'cancelled',
        });
        await client.close();
      },
    );

    it('holds no request while a task runs, and goes on in any environment', async () => {
      const taskId = await start('ask');
      await untilState(taskId, 'input_required');
      const first = await send('tasks/result', { taskId });
      expect(first.text).toMatch(/^id: res:[\w-]+\nretry: 40\ndata:\n\nevent: message\ndata: /);
      expect(first.answer).toMatchObject({ id: `ask:${taskId}:name`, method: 'elicitation/create' });
      const [, lastEventId = ''] = /^id: (\S+)$/m.exec(first.text) ?? [];
      const prime = first.text.slice(0, first.text.indexOf('data:'));

      // The stream has ended, and the task has not. The same question is not sent twice.
      expect(await comeBack(lastEventId)).toEqual({ status: 200, text: `${prime}data:\n\n` });
      expect((await send('tasks/result', { taskId })).text).not.toContain('elicitation/create');
      expect((await answerQuestion(taskId)).status).toBe(202);
      await untilState(taskId, 'completed');
      const [, id] = JSON.parse(Buffer.from(lastEventId.slice(4), 'base64url').toString());
      for (let environment = 0; environment < 2; environment++) {
        const { text } = await comeBack(lastEventId);
        const response = JSON.parse(text.trimEnd().split('\ndata: ').at(-1) ?? '');
        expect(response).toMatchObject({ id, result: { content: [{ text: 'accept Ann' }] } });
      }
    });

    it('answers a stranger who has an event id as one who made it up', async () => {
      const taskId = await start('quick');
      await untilState(taskId, 'completed');
      const eventId = (id: string) => `res:${Buffer.from(JSON.stringify([id, 7])).toString('base64url')}`;
      const made = eventId(`${taskId.slice(0, -4)}0000`);
      expect((await comeBack(eventId(taskId))).text).toContain('quick undefined');
      const eve = await comeBack(eventId(taskId), EVE);
      expect(eve).toEqual(await comeBack(made, EVE));
      expect(eve).toEqual(await comeBack(made));
      expect(eve.text).toContain('"code":-32602');
      // No event id: a client would come back for ever.
      expect(eve.text).not.toMatch(/^id:|retry:/m);

      const hiding = await startEnvironments(() => world.another(), { hidden: ['quick'] });
      expect(await comeBack(eventId(taskId), ANN, hiding.url)).toEqual(await comeBack(made, ANN, hiding.url));
      await hiding.close();
    });

    it.each<[string, object, string]>([
      ['no capability to answer questions', {}, 'did not declare the capability \\"elicitation.form\\"'],
      [
        'only links to pages',
        { elicitation: { url: {} } },
        'did not declare the capability \\"elicitation.form\\"',
      ],
      ['an elicitation without modes', { elicitation: {} }, 'accept Ann'],
    ])('asks a client that declared %s only what it can answer', async (_what, capabilities, expected) => {
      const post = (message: object, session = '') =>
        fetch(endpoint.url, {
          method: 'POST',
          headers: {
            authorization: ANN,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session === '' ? {} : { 'mcp-session-id': session }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
        });
      const protocolVersion = '2025-11-25';
      const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } };
      const opened = await post({ method: 'initialize', params });
      await opened.text();
      const session = opened.headers.get('mcp-session-id') ?? '';
      const started = await (
        await post({ method: 'tools/call', params: { name: 'ask', arguments: {}, task: {} } }, session)
      ).text();
      const [, taskId = ''] = /"taskId":"(\w+)"/.exec(started) ?? [];
      let text = '';
      while (!text.includes('"result":{')) {
        text = await (await post({ method: 'tasks/result', params: { taskId } }, session)).text();
        if (text.includes('elicitation/create')) await answerQuestion(taskId);
      }
      expect(text).toContain(expected);
      const { answers = [] } = (await world.tasks.read(ANN_CALLER, taskId)) ?? {};
      expect(answers.includes('elicitation.form')).toBe(expected === 'accept Ann');
    });

    it('refuses every other GET with 405', async () => {
      const wrong = ['', 'other', 'res:', 'res:!', 'res:bm90IGpzb24', 'res:e30', 'res:WzFd', 'res:WzEsMl0'];
      for (const lastEventId of wrong) expect(await comeBack(lastEventId)).toMatchObject({ status: 405 });
    });

    it('ends the error of a task without an invitation to come back', async () => {
      const asked: string[] = [];
      const client = await connectV1(endpoint.url, asked);
      const taskId = await start('protocol-error');
      const result = client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema);
      await expect(result).rejects.toThrow('no such row');
      await client.close();
    });
  },
);
