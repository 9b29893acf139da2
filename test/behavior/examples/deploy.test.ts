import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Environment, startEnvironment } from '../../deploy/project.js';
import { unzip } from '../../deploy/unzip.js';
import { httpEvent, rpc, toolsOf } from '../../lambda/events.js';
import { createProject, isAvailable } from './pages.js';
import { scenarioOf } from './scenarios.js';

const GUIDE = 'docs/guides/deploy.md';
const OTHER_TOOLS = 'docs/guides/deploy-with-other-tools.md';
const running: Environment[] = [];
afterEach(async () => {
  for (const environment of running.splice(0)) await environment.close();
});

/**
 * Executes a scenario word for word, but with the packages of this repository instead of `npm install`, because these tests
 * do not use the network. `npm run test:install` installs them.
 */
async function execute(page: string, name: string, folder: string): Promise<void> {
  const steps = scenarioOf(page, name);
  expect(steps.length).toBeGreaterThan(1);
  for (const step of steps) {
    if ('file' in step) {
      mkdirSync(dirname(join(folder, step.file)), { recursive: true });
      writeFileSync(join(folder, step.file), step.text);
    } else if (step.command.startsWith('npm install ')) {
      const names = step.command.split(' ').filter((word) => !/^(npm|install|mcp-concerns|-.*)$/.test(word));
      expect(names.filter((each) => !isAvailable(each))).toEqual([]);
    } else {
      const env = { ...process.env, npm_config_offline: 'true' };
      await promisify(execFile)('sh', ['-c', step.command], { cwd: folder, env }).catch((cause) => {
        throw new Error(`${step.command}\n${cause.stdout}${cause.stderr}`);
      });
    }
  }
}

/** Starts the function that `osls package` made. */
async function startPackaged(folder: string, env: Record<string, string> = {}): Promise<Environment> {
  const zip = readdirSync(join(folder, '.serverless')).find((file) => file.endsWith('.zip')) ?? '';
  const task = join(folder, 'task');
  await unzip(join(folder, '.serverless', zip), task);
  const environment = startEnvironment(task, env);
  running.push(environment);
  return environment;
}

const list = (environment: Environment, concerns = '') =>
  environment.invoke(httpEvent('POST', rpc('tools/list'), { rawQueryString: `concerns=${concerns}` }));

describe('the guide for osls', () => {
  const own = createProject(GUIDE);
  const v2 = createProject(GUIDE);
  const stdio = createProject(GUIDE);
  const remote = createProject(GUIDE);

  it('packages an own server of SDK v1, named after its folder', async () => {
    await execute(GUIDE, 'own-server', own.folder);
    const environment = await startPackaged(own.folder);
    expect(toolsOf(await list(environment))).toEqual(['read_note', 'write_note']);
    expect(toolsOf(await list(environment, 'access:read'))).toEqual(['read_note']);
    const { service } = parse(readFileSync(join(own.folder, 'serverless.yml'), 'utf8'));
    expect(own.folder).toContain(service.replace(/-$/, ''));
    expect(service).toMatch(/^page-/);
  });

  it('packages a server of SDK v2', async () => {
    await execute(GUIDE, 'sdk-v2', v2.folder);
    expect(parse(readFileSync(join(v2.folder, 'endpoint.yml'), 'utf8')).server).toMatchObject({ sdk: 2 });
    expect(toolsOf(await list(await startPackaged(v2.folder), 'access:read'))).toEqual(['read_note']);
  });

  it('packages a stdio server from npm', async () => {
    await execute(GUIDE, 'stdio', stdio.folder);
    expect(toolsOf(await list(await startPackaged(stdio.folder)))).toContain('echo');
  });

  it('packages a remote server', async () => {
    await execute(GUIDE, 'remote', remote.folder);
    const { json } = await list(await startPackaged(remote.folder));
    // Nothing answers at mcp.example.
    expect(json).toMatchObject({ error: { message: expect.stringContaining('cannot be') } });
  });
});

describe('the guide for other tools', () => {
  const project = createProject(OTHER_TOOLS);
  const bundled = createProject(OTHER_TOOLS);

  it('bundles the folder that the SAM template deploys', async () => {
    for (const step of scenarioOf(GUIDE, 'own-server')) {
      if (!('file' in step)) continue;
      mkdirSync(dirname(join(bundled.folder, step.file)), { recursive: true });
      writeFileSync(join(bundled.folder, step.file), step.text);
    }
    const endpoint = { policy: 'policy.yaml', server: { module: 'src/server.ts' } };
    writeFileSync(join(bundled.folder, 'endpoint.yml'), JSON.stringify(endpoint));
    await bundled.run(/^npx mcp-concerns bundle/);

    const [step] = scenarioOf(OTHER_TOOLS, 'sam');
    if (step === undefined || !('file' in step)) throw new Error('The page has no SAM template.');
    const tags = ['!Ref', '!GetAtt', '!Sub'].map((tag) => ({
      tag,
      resolve: (text: string) => ({ [tag]: text }),
    }));
    const { Resources: resources } = parse(step.text, { customTags: tags });
    const { Properties: lambda } = resources.Endpoint;
    const [file, handler] = lambda.Handler.split('.');
    expect(existsSync(join(bundled.folder, lambda.CodeUri, `${file}.mjs`))).toBe(true);
    const environment = startEnvironment(bundled.folder);
    running.push(environment);
    expect([handler, toolsOf(await list(environment, 'access:read'))]).toEqual(['handler', ['read_note']]);
    expect(lambda.Environment.Variables.MCP_CONCERNS_TABLE).toEqual({ '!Ref': 'Sessions' });
    const [{ Action: actions, Resource: on }] = lambda.Policies[0].Statement;
    expect([actions.length, on]).toEqual([3, { '!GetAtt': 'Sessions.Arn' }]);
    expect(resources.Sessions.Properties.TimeToLiveSpecification).toEqual({
      AttributeName: 'expiresAt',
      Enabled: true,
    });
    expect(lambda.Timeout).toBeLessThan(30);
  });

  it('serves the module for Serverless Framework v4, whose entry calls its fetch', async () => {
    const policy = scenarioOf(GUIDE, 'own-server').find(
      (step) => 'file' in step && step.file === 'policy.yaml',
    );
    if (policy === undefined || !('file' in policy)) throw new Error('The guide has no policy.');
    writeFileSync(join(project.folder, 'policy.yaml'), policy.text);
    await execute(OTHER_TOOLS, 'v4', project.folder);
    const { mcp } = parse(readFileSync(join(project.folder, 'serverless.yml'), 'utf8'));
    const program = `
      const { default: handler } = await import(${JSON.stringify(join(project.folder, mcp.servers.notes.server))});
      const response = await handler.fetch(new Request('https://api.example/dev/notes/mcp?concerns=access:read', {
        method: 'POST',
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      }));
      console.log(await response.text());`;
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: project.folder });
    const body = /^data: (.*)$/m.exec(stdout)?.[1] ?? stdout;
    expect(toolsOf({ body })).toEqual(['read_note']);
  });
});
