import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProject, type Project } from '../deploy/project.js';
import { PATIENT, startDynamo } from '../session/dynamo.js';
import { Programs } from './programs.js';
import { CLI, FIXTURES, startServer } from './servers.js';

/** What a packaged function serves: the zip of this repository's own template, and what `init --lambda` writes. */
export const FUNCTIONS = [
  'default zip',
  'function, v1 module',
  'function, v2 module',
  'function, package',
  'function, legacy URL',
  'function, both URL',
] as const;
export type FunctionServer = (typeof FUNCTIONS)[number];

const SERVICE = 'eras';
const packaged = new Map<string, Promise<string>>();
/** Servers with a URL, which is in the zip. */
const remote = new Programs();

/** Starts a packaged function, with its sessions in a table, and returns its URL. */
export async function startFunction(
  server: FunctionServer,
  policy: string,
  response: 'buffered' | 'stream',
  programs: Programs,
): Promise<string> {
  const key = `${server} ${policy}`;
  const packaging = packaged.get(key) ?? packageFunction(server, policy);
  packaged.set(key, packaging);
  const task = await packaging;
  const dynamo = await startDynamo();
  programs.closeLater(() => dynamo.close());
  const env = {
    ...PATIENT,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    MCP_CONCERNS_TABLE: await dynamo.table(),
    MCP_CONCERNS_RESPONSE: response,
    POWERTOOLS_LOG_LEVEL: 'WARN',
  };
  const entry = pathToFileURL(join(task, 'build/lambda/index.mjs')).href;
  const port = await programs.start([join(FIXTURES, 'function.mjs'), entry], /^(\d+)$/m, env);
  return `http://127.0.0.1:${port}/mcp`;
}

/** Ends the servers that functions have the URLs of. */
export const closeRemote = (): Promise<void> => remote.close();

/** Packages as an operator does. Returns the unpacked zip. */
async function packageFunction(server: FunctionServer, policy: string): Promise<string> {
  const project = createProject();
  project.write('policy.yaml', policy);
  for (const file of ['make.mjs', 'v1-module.mjs', 'v2-module.mjs'])
    copyFileSync(join(FIXTURES, file), join(project.folder, file));
  if (server === 'default zip') {
    symlinkSync(resolve('templates'), join(project.folder, 'templates'));
    copyFileSync('serverless.yml', join(project.folder, 'serverless.yml'));
    project.write('endpoint.yml', 'policy: policy.yaml\nserver: { module: ./v1-module.mjs }\n');
    return project.packageService('mcp-concerns');
  }
  const init = [resolve(CLI), 'init', '--lambda', '--policy', 'policy.yaml', '--service', SERVICE, '--quiet'];
  const args = [...init, ...(await inputOf(server, project))];
  execFileSync(process.execPath, args, { cwd: project.folder });
  return project.packageService(SERVICE);
}

/** @returns the arguments of `init --lambda` that name the server */
async function inputOf(server: FunctionServer, project: Project): Promise<readonly string[]> {
  const [kind = '', way] = server.replace('function, ', '').split(' ');
  if (way === 'module') return ['--module', `./${kind}-module.mjs`];
  if (way === 'URL') return ['--url', await startServer(kind, remote)];
  const name = 'legacy-server';
  const folder = `node_modules/${name}`;
  const dependencies = {
    '@modelcontextprotocol/sdk': '*',
    '@modelcontextprotocol/server': '*',
    '@hono/node-server': '*',
  };
  project.write(
    `${folder}/package.json`,
    JSON.stringify({ name, version: '1.0.0', type: 'module', bin: './bin.mjs', dependencies }),
  );
  project.write(
    `${folder}/bin.mjs`,
    `process.argv.push('legacy', 'stdio');\nawait import('./server.mjs');\n`,
  );
  for (const file of ['make.mjs', 'server.mjs'])
    cpSync(join(FIXTURES, file), join(project.folder, folder, file));
  return ['--package', name];
}
