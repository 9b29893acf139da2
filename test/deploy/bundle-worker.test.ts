import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { bundleFunction } from '../../src/deploy/bundle.js';
import { bundleWorker } from '../../src/deploy/bundle-worker.js';
import { createProject } from './project.js';

const policy = 'policy.yaml';

it('bundles the tasks of a server module, without the rest of it', async () => {
  const project = createProject();
  project.write(
    'server.mjs',
    `import { defineTask } from 'mcp-concerns/tasks';
     export const tasks = [defineTask({ name: 'report', inputSchema: { type: 'object' }, run: () => 'only in the task' })];
     export const createServer = () => 'only in the server';`,
  );
  await bundleWorker({ policy, server: { module: 'server.mjs' } }, project.folder);
  const { outputs } = JSON.parse(readFileSync(join(project.folder, 'build/worker.meta.json'), 'utf8'));
  const texts = Object.keys(outputs).map((file) => readFileSync(join(project.folder, file), 'utf8'));
  expect(texts.filter((text) => text.includes('only in the task'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('only in the server'))).toEqual([]);
});

it('says what to do if the server module exports no tasks', async () => {
  const project = createProject();
  project.write('server.mjs', 'export const createServer = () => undefined;');
  await expect(bundleWorker({ policy, server: { module: 'server.mjs' } }, project.folder)).rejects.toThrow(
    'server.mjs does not export "tasks". Export an array of definitions made by defineTask',
  );
});

it('refuses a server that is not a module', async () => {
  await expect(bundleWorker({ policy, server: { url: 'https://mcp.example' } }, '.')).rejects.toThrow(
    'Set server.module in endpoint.yml, or remove the function.',
  );
});

it('is needed by a server module with tasks, unless the settings say that their tools run as plain calls', async () => {
  const project = createProject();
  project.write(
    'server.mjs',
    `import { Server } from '@modelcontextprotocol/sdk/server/index.js';
     export const tasks = [];
     export const createServer = () => new Server({ name: 's', version: '1' }, {});`,
  );
  project.write('policy.yaml', 'version: 1\nconcerns: {}\n');
  const bundle = (server: object, worker: boolean) =>
    bundleFunction(
      { policy, server: { module: 'server.mjs', ...server } },
      {
        root: project.folder,
        packages: [],
        worker,
      },
    );
  await expect(bundle({}, false)).rejects.toMatchObject({
    code: 'TASKS_WITHOUT_WORKER',
    message: expect.stringContaining('server.mjs exports "tasks", but no function'),
  });
  project.write('endpoint.yml', 'policy: policy.yaml\nserver: { module: server.mjs }\n');
  const main = resolve('dist/cli/main.js');
  const { status, stderr } = spawnSync(process.execPath, [main, 'bundle'], {
    cwd: project.folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([2, expect.stringContaining('set "tasks: plain" under server')]);
  await bundle({ tasks: 'plain' }, false);
  await bundle({}, true);
});
