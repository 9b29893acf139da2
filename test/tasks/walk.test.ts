import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LocalEndpoint } from '../../src/core/http/local.js';
import { createEmbeddedEngine, createMemoryRecords, createTasks } from '../../src/tasks/index.js';
import { definitions } from './demo-tasks.js';
import { startEnvironments } from './http-endpoint.js';
import {
  type Follow,
  followLegacy,
  followModern,
  followRaw,
  followV1,
  send,
  sendModern,
} from './wire-clients.js';
import { fastTimer } from './worlds.js';

// Clients wait as long as they are told to; poll.test.ts tests the real intervals.
vi.mock('../../src/tasks/wire/poll.js', () => ({ pollInterval: () => 40 }));

describe('an endpoint of both eras, in two environments', () => {
  let endpoint: LocalEndpoint;
  beforeAll(async () => {
    const records = createMemoryRecords();
    const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
    endpoint = await startEnvironments(() => createTasks({ definitions, records, engine }), { sdk: 'v2' });
  });
  afterAll(() => endpoint.close());

  it.concurrent.each<[string, Follow]>([
    ['the official client of the extension', followModern],
    ['the same client on protocol 2025-11-25', followLegacy],
    ['callToolStream of SDK v1', followV1],
    ['a client without SDK', followRaw],
  ])('leads %s to the result of a task with two questions', async (_client, follow) => {
    expect(await follow(endpoint.url)).toContain('7+11 rows on snow by Ann, signed by Ann');
  });

  it('shows both eras the same task', async () => {
    const created = await sendModern(endpoint.url, 'tools/call', { name: 'throws' });
    const { taskId } = created.answer.result;
    const modern = async () => (await sendModern(endpoint.url, 'tasks/get', { taskId })).answer.result;
    await expect.poll(async () => (await modern()).status).toBe('completed');
    expect(await modern()).toMatchObject({ result: { isError: true } });
    const { answer } = await send(endpoint.url, 'tasks/get', { taskId });
    expect(answer.result).toMatchObject({ taskId, status: 'failed' });
    const result = await send(endpoint.url, 'tasks/result', { taskId });
    expect(result.answer.result).toMatchObject({ isError: true, content: [{ text: 'no luck' }] });
    const { tasks } = (await send(endpoint.url, 'tasks/list', { taskIds: [taskId] })).answer.result;
    expect(tasks).toMatchObject([{ taskId, status: 'failed' }]);
    expect((await sendModern(endpoint.url, 'tasks/list', {})).answer.error.code).toBe(-32601);
  });
});
