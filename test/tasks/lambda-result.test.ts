import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { BufferedHandler } from '../../src/core/lambda/buffered.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { createEmbeddedEngine, createMemoryRecords, createTasks, withTasks } from '../../src/tasks/index.js';
import { httpEvent, rpc, withClaims } from '../lambda/events.js';
import { policyOf } from '../policy/author.js';
import { definitions } from './demo-tasks.js';
import { fastTimer } from './worlds.js';

const logged: { error?: { type?: string } }[] = [];
beforeAll(() => {
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void logged.push(JSON.parse(line)));
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('answers the GET of a client that comes back, on a function that buffers responses', async () => {
  const records = createMemoryRecords();
  const engine = createEmbeddedEngine({ definitions, records, timer: fastTimer });
  const tasks = createTasks({ definitions, records, engine });
  const handler = createFunction({
    server: () => withTasks(new McpServer({ name: 'v1', version: '1.0.0' }), tasks),
    policy: policyOf('version: 1\nconcerns: {}\nprimitives: { tools: {} }\n'),
    env: { MCP_CONCERNS_SESSIONS: 'none', MCP_CONCERNS_AUTHORIZER: 'gateway' },
  }) as BufferedHandler;
  const call = (event: ReturnType<typeof httpEvent>) =>
    handler(withClaims(event, { iss: 'https://login.example', sub: 'ann' }));

  const started = await call(httpEvent('POST', rpc('tools/call', { name: 'ask', arguments: {}, task: {} })));
  const [, taskId = ''] = /"taskId":"(\w+)"/.exec(String(started.body)) ?? [];
  await expect
    .poll(async () => (await call(httpEvent('POST', rpc('tasks/result', { taskId }, 7)))).body)
    .toContain('Who?');
  const result = await call(httpEvent('POST', rpc('tasks/result', { taskId }, 7)));
  const [, lastEventId = ''] = /^id: (res:\S+)\nretry: \d+\ndata:\n\n$/.exec(String(result.body)) ?? [];
  const answer = { jsonrpc: '2.0', id: `ask:${taskId}:name`, result: { action: 'decline' } };
  expect(await call(httpEvent('POST', answer))).toMatchObject({ statusCode: 202 });
  const headers = { accept: 'text/event-stream', 'last-event-id': lastEventId };
  await expect
    .poll(async () => (await call(httpEvent('GET', undefined, { headers }))).body)
    .toContain('decline undefined');
  expect(await call(httpEvent('GET'))).toMatchObject({ statusCode: 405 });
  // A response without its answer is no failure.
  expect(JSON.stringify(logged)).not.toContain('closed');
});
