import { describe, expect, it } from 'vitest';
import {
  createDeployedTasks,
  defineTask,
  readExportedTasks,
  TaskDefinitionError,
} from '../../src/tasks/index.js';
import { ANN } from './worlds.js';

const report = defineTask({ name: 'report', inputSchema: { type: 'object' }, run: () => 'done' });

describe('createDeployedTasks', () => {
  it('runs tasks in this process if the environment names nothing', async () => {
    const tasks = createDeployedTasks([report], {});
    expect([...tasks.definitions.keys()]).toEqual(['report']);
    const started = await tasks.start(ANN, 'report', {});
    const id = started.ok ? started.record.id : '';
    await expect.poll(async () => (await tasks.read(ANN, id))?.status).toBe('completed');
  });

  it.each([
    ['TABLE', { MCP_CONCERNS_TASKS_FUNCTION: 'arn:aws:lambda:eu-central-1:1:function:t:durable' }],
    ['FUNCTION', { MCP_CONCERNS_TASKS_TABLE: 'tasks' }],
  ])('refuses an environment without MCP_CONCERNS_TASKS_%s', (missing, env) => {
    expect(() => createDeployedTasks([report], env)).toThrow(`but MCP_CONCERNS_TASKS_${missing} is not`);
  });

  it('rejects the first call if the function is not a version or an alias', async () => {
    const env = { MCP_CONCERNS_TASKS_FUNCTION: 'tasks', MCP_CONCERNS_TASKS_TABLE: 'tasks' };
    await expect(createDeployedTasks([report], env).start(ANN, 'report', {})).rejects.toMatchObject({
      code: 'TASK_FUNCTION_INVALID',
    });
  });
});

it.each([
  [new Map(), 'it is not an array. Export the definitions, not what createTasks returns'],
  [[report, { ...report, support: 'maybe' }], 'element 2 was not made by defineTask'],
  [[report, report], 'two tasks have the name "report"'],
])('refuses an export that is not a list of definitions: %j', (exported, message) => {
  expect(() => readExportedTasks(exported, './server.js')).toThrow(TaskDefinitionError);
  expect(() => readExportedTasks(exported, './server.js')).toThrow(
    `./server.js exports "tasks", but ${message}`,
  );
});
