import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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
  await bundleWorker({ policy, server: { module: 'server.mjs' } }, { root: project.folder });
  const { outputs } = JSON.parse(readFileSync(join(project.folder, 'build/worker.meta.json'), 'utf8'));
  const texts = Object.keys(outputs).map((file) => readFileSync(join(project.folder, file), 'utf8'));
  expect(texts.filter((text) => text.includes('only in the task'))).toHaveLength(1);
  expect(texts.filter((text) => text.includes('only in the server'))).toEqual([]);
});

it('says what to do if the server module exports no tasks', async () => {
  const project = createProject();
  project.write('server.mjs', 'export const createServer = () => undefined;');
  await expect(
    bundleWorker({ policy, server: { module: 'server.mjs' } }, { root: project.folder }),
  ).rejects.toThrow('server.mjs does not export "tasks". Export an array of definitions made by defineTask');
});

it('refuses a server that is not a module', async () => {
  await expect(bundleWorker({ policy, server: { url: 'https://mcp.example' } })).rejects.toThrow(
    'Set server.module in endpoint.yml, or remove the function.',
  );
});
