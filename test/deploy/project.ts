import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { HttpResult } from '../../src/core/lambda/result.js';
import { unzip } from './unzip.js';

/** The project of a user who installed this package. */
export interface Project {
  readonly folder: string;
  write(file: string, text: string): void;
  /** Runs `osls package`, and returns the folder with the unpacked zip. */
  package(endpoint: unknown, provider?: object, functions?: object): Promise<string>;
  /** Runs `osls package` with the `serverless.yml` that is there. */
  packageService(service: string): Promise<string>;
}

/** @returns a new project; its folder is removed when this process exits */
export function createProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync('node_modules')) {
    if (!name.startsWith('.')) symlinkSync(resolve('node_modules', name), join(modules, name));
  }
  symlinkSync(resolve('.'), join(modules, 'mcp-concerns'));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('package.json', JSON.stringify({ name: 'project', type: 'module' }));
  const packageService = async (service: string): Promise<string> => {
    const osls = resolve('node_modules/serverless/bin/serverless.js');
    await promisify(execFile)(process.execPath, [osls, 'package'], { cwd: folder }).catch((cause) => {
      throw new Error(`${cause.stdout}${cause.stderr}`);
    });
    const task = mkdtempSync(join(folder, 'task-'));
    await unzip(join(folder, `.serverless/${service}.zip`), task);
    return task;
  };
  return {
    folder,
    write,
    packageService,
    async package(
      endpoint,
      provider = {},
      functions = { mcp: { handler: 'build/lambda/index.handler', events: [{ httpApi: 'POST /mcp' }] } },
    ) {
      const config = {
        service: 'project',
        frameworkVersion: '4',
        configValidationMode: 'error',
        plugins: ['mcp-concerns/serverless'],
        custom: { endpoint },
        provider: { name: 'aws', runtime: 'nodejs24.x', ...provider },
        package: { excludeDevDependencies: false, patterns: ['!**', 'build/lambda/**'] },
        functions,
      };
      // Every JSON text is YAML.
      write('serverless.yml', JSON.stringify(config));
      return packageService('project');
    },
  };
}

/** @returns a project with the `serverless.yml` of this repository, so that several tests can package it at the same time */
export function createCopy(): Project {
  const project = createProject();
  for (const name of ['examples', 'policies', 'templates'])
    symlinkSync(resolve(name), join(project.folder, name));
  for (const name of ['serverless.yml', 'endpoint.yml']) copyFileSync(name, join(project.folder, name));
  return project;
}

/** @returns a project that deploys the demo server as a variant, as `mcp-concerns init --lambda` writes it */
export function createVariant(variant: string): Project {
  const project = createProject();
  for (const name of ['examples', 'policies']) symlinkSync(resolve(name), join(project.folder, name));
  const server = ['--policy', 'policies/vault.yaml', '--module', 'examples/vault/server.ts'];
  const options = ['--variant', variant, '--service', 'mcp-concerns', '--quiet'];
  const args = [resolve('dist/cli/main.js'), 'init', '--lambda', ...server, ...options];
  execFileSync(process.execPath, args, { cwd: project.folder });
  // Only variants with tasks have a worker. Its packaging stops at a server with tasks unless the settings say what becomes of them.
  if (!variant.includes('tasks')) appendFileSync(join(project.folder, 'endpoint.yml'), '  tasks: plain\n');
  return project;
}

/** An execution environment of Lambda: a process that handles one event after the other. */
export interface Environment {
  invoke(event: object): Promise<HttpResult & { readonly json: Record<string, unknown> }>;
  /** @returns the output of the process so far */
  output(): string;
  readonly pid: number;
  close(): Promise<void>;
}

const PROGRAM = `
  import { createInterface } from 'node:readline';
  const { handler } = await import(process.argv[1]);
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write('ANSWER ' + JSON.stringify(await handler(JSON.parse(line), { awsRequestId: 'one' })) + '\\n');
  }
  process.exit(0);`;

/**
 * Starts the packaged function in a separate process.
 *
 * @param task the unpacked zip
 * @param env its environment
 */
export function startEnvironment(task: string, env: Record<string, string> = {}): Environment {
  const entry = join(task, 'build/lambda/index.mjs');
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, entry], {
    cwd: task,
    env: { PATH: process.env.PATH ?? '', MCP_CONCERNS_SESSIONS: 'none', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  let answered: (line: string) => void = () => undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('ANSWER ')) answered(line.slice('ANSWER '.length));
    else output += `${line}\n`;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = once(child, 'close');
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async invoke(event) {
      const line = new Promise<string>((resolve) => {
        answered = resolve;
      });
      child.stdin.write(`${JSON.stringify(event)}\n`);
      const died = ended.then(([code]) => {
        throw new Error(`The function's process ended with ${code}:\n${output}`);
      });
      const result = JSON.parse(await Promise.race([line, died])) as HttpResult;
      const body = result.body ?? '';
      const json = body.startsWith('event:') ? (/^data: (.*)$/m.exec(body)?.[1] ?? 'null') : body;
      return { ...result, json: JSON.parse(json) };
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
