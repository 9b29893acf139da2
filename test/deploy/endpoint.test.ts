import { once } from 'node:events';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv } from 'ajv';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createVaultServer } from '../../examples/vault/server.js';
import { listenLocally } from '../../src/core/http/local.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { read } from '../../src/core/wire/messages.js';
import { endpointSchema } from '../../src/deploy/generated/endpoint-schema.js';
import { httpEvent, initialize, rpc, toolsOf } from '../lambda/events.js';
import { createProject, type Environment, type Project, startEnvironment } from './project.js';

const requestWith = (concerns: string, method: string, params?: object) =>
  httpEvent('POST', rpc(method, params), { rawQueryString: `concerns=${concerns}` });

let project: Project;
const open: Environment[] = [];
beforeAll(() => {
  project = createProject();
  for (const name of ['vault', 'everything', 'playwright']) {
    project.write(`policies/${name}.yaml`, '');
    copyFileSync(`policies/${name}.yaml`, join(project.folder, `policies/${name}.yaml`));
  }
});
afterEach(async () => {
  for (const environment of open.splice(0)) await environment.close();
});

function start(task: string, env: Record<string, string> = {}): Environment {
  const environment = startEnvironment(task, env);
  open.push(environment);
  return environment;
}

interface Output {
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Returns the files that the import of a function loads, from the metafile of esbuild. */
function importedAtStart(metafile: string): readonly string[] {
  const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as { outputs: Record<string, Output> };
  const chunks = new Set(Object.keys(outputs).filter((path) => path.endsWith('/index.mjs')));
  for (const chunk of chunks)
    for (const { path, kind } of outputs[chunk]?.imports ?? [])
      if (kind !== 'dynamic-import' && path in outputs) chunks.add(path);
  return [...chunks].flatMap((chunk) => Object.keys(outputs[chunk]?.inputs ?? {}));
}

describe('a module', () => {
  const POLICY = `
version: 1
concerns:
  security: { values: [low, high] }
primitives:
  tools:
    open: { security: low }
    shut: { security: high }
`;
  const server = (sdk: string, log: string) => `
import { McpServer } from '${sdk}';
import * as z from 'zod';
${log}
export function createServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  for (const name of ['open', 'shut'] as const) {
    server.registerTool(name, { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
      content: [{ type: 'text', text: name + text }],
    }));
  }
  return server;
}
`;
  const IMPORTED = `console.error('the module was imported');`;

  const USES = `
version: 1
concerns:
  effect: { values: [read-only, changes, destroys], match: at-most }
  region: { values: [eu, us], set-by: operator, claim: region, default: eu }
primitives:
  tools:
    projects(action=list): { effect: read-only }
    projects(action=get): { effect: read-only }
    projects(action=create): { effect: changes }
    wipe(target=all): { effect: destroys }
    ping: {}
patterns: { tools: { "projects(action=*)": { effect: destroys } } }
bind: { region: { var: concerns.region } }
settings: { enforcement: enforce, unmapped: show }
`;
  const projectsServer = (sdk: string) =>
    `
import { McpServer } from '${sdk}';
import * as z from 'zod';
${IMPORTED}
export function createServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  const shape = { action: z.enum(['list', 'get', 'create', 'delete']), region: z.string() };
  const target = { target: z.enum(['all']) };
  const run = async ({ action, region }: { action: string; region: string }) => ({
    content: [{ type: 'text' as const, text: action + ' in ' + region }],
  });
  const of = (each: object) => (SDK === 2 ? z.object(each) : each);
  server.registerTool('projects', { inputSchema: of(shape) }, run);
  server.registerTool('wipe', { inputSchema: of(target) }, async () => ({ content: [] }));
  server.registerTool('ping', {}, async () => ({ content: [] }));
  return server;
}
`.replace('SDK === 2', String(sdk.endsWith('/server')));
  const REFUSED = 'Invalid arguments for tool projects: action must be one of "list", "get".';
  const MODERN = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  beforeAll(() => project.write('policies/own.yaml', POLICY));

  it('of SDK v1 in TypeScript is bundled and served', async () => {
    project.write('src/v1.ts', server('@modelcontextprotocol/sdk/server/mcp.js', ''));
    const endpoint = { policy: 'policies/own.yaml', server: { module: 'src/v1.ts' } };
    const environment = start(await project.package(endpoint));
    expect(toolsOf(await environment.invoke(requestWith('security:high', 'tools/list')))).toEqual(['shut']);
    const call = { name: 'open', arguments: { text: '!' } };
    const { json } = await environment.invoke(requestWith('security:high', 'tools/call', call));
    expect(json).toMatchObject({ result: { content: [{ text: 'open!' }] } });
  });

  it('of SDK v2 is served in both eras, and not imported for lists from a snapshot', async () => {
    project.write('src/v2.ts', server('@modelcontextprotocol/server', IMPORTED));
    const endpoint = {
      policy: 'policies/own.yaml',
      server: { module: './src/v2.ts', sdk: 2 },
      catalog: 'snapshot',
    };
    const task = await project.package(endpoint);
    const environment = start(task);
    expect(toolsOf(await environment.invoke(requestWith('security:low', 'tools/list')))).toEqual(['open']);
    const params = {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    };
    const event = httpEvent('POST', rpc('tools/list', params), {
      rawQueryString: 'concerns=security:low',
      headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
    });
    const { json, statusCode } = await environment.invoke(event);
    expect([statusCode, json]).toMatchObject([200, { result: { tools: [{ name: 'open' }] } }]);
    expect(environment.output()).not.toContain('the module was imported');
  });

  it.each([
    ['1', '@modelcontextprotocol/sdk/server/mcp.js'],
    ['2', '@modelcontextprotocol/server'],
  ])('of SDK v%s has the same narrowed tools in known lists as in its own', async (sdk, from) => {
    project.write('policies/uses.yaml', USES);
    project.write(`src/uses-${sdk}.ts`, projectsServer(from));
    const server = { module: `src/uses-${sdk}.ts`, ...(sdk === '2' ? { sdk: 2 } : {}) };
    const environments: Environment[] = [];
    for (const more of [{ catalog: 'snapshot' }, {}])
      environments.push(start(await project.package({ policy: 'policies/uses.yaml', server, ...more })));
    const [known, live] = environments;
    const ask = async (
      environment: Environment,
      era: string,
      concerns: string,
      method: string,
      params = {},
    ) => {
      const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
      const body = rpc(method, era === 'modern' ? { ...params, _meta: MODERN } : params);
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
      const rawQueryString = concerns === '' ? '' : `concerns=${concerns}`;
      const event = { rawQueryString, ...(era === 'modern' ? { headers } : {}) };
      return (await environment.invoke(httpEvent('POST', body, event))).json;
    };
    const lists = async (environment: Environment, era: string) => {
      const all: unknown[] = [];
      for (const concerns of ['', 'effect:read-only', 'effect:changes', 'effect:destroys'])
        all.push(await ask(environment, era, concerns, 'tools/list'));
      return all;
    };
    if (known === undefined || live === undefined) throw new Error('Nothing was packaged.');
    for (const era of ['legacy', 'modern']) {
      const narrowed = await lists(known, era);
      if (era === 'legacy') expect(known.output()).not.toContain('the module was imported');
      expect(await lists(live, era)).toEqual(narrowed);
      expect(narrowed[1]).toMatchObject({ result: { tools: [{ name: 'projects' }, { name: 'ping' }] } });
      expect(read(narrowed[1], 'result', 'tools', '0', 'inputSchema')).toMatchObject({
        properties: { action: { type: 'string', enum: ['list', 'get'] } },
        required: ['action'],
        additionalProperties: false,
      });
      expect(JSON.stringify(read(narrowed[1], 'result', 'tools'))).not.toMatch(/delete|create|wipe|region/);
      for (const environment of environments) {
        const call = (action: string) =>
          ask(environment, era, 'effect:read-only', 'tools/call', {
            name: 'projects',
            arguments: { action },
          });
        const refused = { result: { isError: true, content: [{ text: REFUSED }] } };
        expect(await call('delete')).toMatchObject(refused);
        expect(await call('delete')).toEqual(await call('nope'));
        expect(await call('list')).toMatchObject({ result: { content: [{ text: 'list in eu' }] } });
      }
    }
  });

  it('of SDK v2 does not load SDK v1 when the function is imported', async () => {
    project.write('src/v2.ts', server('@modelcontextprotocol/server', ''));
    await project.package({ policy: 'policies/own.yaml', server: { module: './src/v2.ts', sdk: 2 } });
    const inputs = importedAtStart(join(project.folder, 'build/lambda.meta.json'));
    expect(inputs.some((file) => file.includes('@modelcontextprotocol/server/'))).toBe(true);
    // Its readers of a body and of media types are a few lines.
    const loaded = inputs.filter((file) =>
      /@modelcontextprotocol\/sdk\/(?!.*(requestBody|mediaType)\.js$)/.test(file),
    );
    expect(loaded).toEqual([]);
  });

  it('of SDK v1 is not imported for lists from a snapshot', async () => {
    project.write('src/slow.ts', server('@modelcontextprotocol/sdk/server/mcp.js', IMPORTED));
    const endpoint = { policy: 'policies/own.yaml', server: { module: 'src/slow.ts' }, catalog: 'snapshot' };
    const environment = start(await project.package(endpoint));
    expect(toolsOf(await environment.invoke(requestWith('security:high', 'tools/list')))).toEqual(['shut']);
    expect(environment.output()).not.toContain('the module was imported');
    await environment.invoke(
      requestWith('security:high', 'tools/call', { name: 'shut', arguments: { text: '' } }),
    );
    expect(environment.output()).toContain('the module was imported');
  });

  it('of SDK v1 with a snapshot is served to hosts of 2026-07-28 too', async () => {
    project.write('src/slow.ts', server('@modelcontextprotocol/sdk/server/mcp.js', IMPORTED));
    const endpoint = { policy: 'policies/own.yaml', server: { module: 'src/slow.ts' }, catalog: 'snapshot' };
    const environment = start(await project.package(endpoint));
    const ask = (method: string, params: object) => {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      };
      const name = 'name' in params ? { 'mcp-name': String(params.name) } : {};
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
      const body = rpc(method, { ...params, _meta });
      return environment.invoke(
        httpEvent('POST', body, { rawQueryString: 'concerns=security:low', headers }),
      );
    };
    expect(await ask('server/discover', {})).toMatchObject({
      statusCode: 200,
      json: { result: { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } } },
    });
    const { json } = await ask('tools/list', {});
    expect(json).toMatchObject({ result: { resultType: 'complete', tools: [{ name: 'open' }] } });
    const called = await ask('tools/call', { name: 'open', arguments: { text: '!' } });
    expect(called.json).toMatchObject({ result: { content: [{ text: 'open!' }] } });
    expect(toolsOf(await environment.invoke(requestWith('security:high', 'tools/list')))).toEqual(['shut']);
  });

  it('that cannot be bundled is named in the error, with file and line', async () => {
    project.write('src/broken.ts', `import { nothing } from './nowhere.js';\nexport default nothing;\n`);
    const endpoint = { policy: 'policies/own.yaml', server: { module: 'src/broken.ts' } };
    await expect(project.package(endpoint)).rejects.toThrow(
      /src\/broken\.ts cannot be bundled: Could not resolve "\.\/nowhere\.js" \(src\/broken\.ts:1\)/,
    );
  });
});

describe('a package with a stdio server', () => {
  const server = {
    package: '@modelcontextprotocol/server-everything',
    arguments: ['stdio'],
    environment: ['SHOWN'],
  };
  let task: string;
  beforeAll(async () => {
    task = await project.package({ policy: 'policies/everything.yaml', server, catalog: 'snapshot' });
  });

  it('is in the zip with its dependencies, and lists come from the snapshot', async () => {
    const environment = start(task);
    const all = toolsOf(await environment.invoke(httpEvent('POST', rpc('tools/list'))));
    const some = toolsOf(
      await environment.invoke(requestWith('effect:read-only,sensitivity:public', 'tools/list')),
    );
    expect(all).toContain('toggle-simulated-logging');
    expect(some).toContain('echo');
    expect(some).not.toContain('toggle-simulated-logging');
    const { json } = await environment.invoke(httpEvent('POST', initialize()));
    expect(json).toMatchObject({ result: { serverInfo: { name: 'mcp-servers/everything' } } });
  });

  it('keeps running between invocations, and is restarted after it died', async () => {
    const environment = start(task);
    const echo = () =>
      environment.invoke(
        requestWith('effect:read-only', 'tools/call', { name: 'echo', arguments: { message: 'hi' } }),
      );
    expect((await echo()).json).toMatchObject({ result: { content: [{ text: 'Echo: hi' }] } });
    const [first] = childrenOf(environment.pid);
    await echo();
    expect(childrenOf(environment.pid)).toEqual([first]);
    process.kill(first ?? 0, 'SIGKILL');
    while (childrenOf(environment.pid).includes(first ?? 0)) await sleep(20);
    expect((await echo()).json).toMatchObject({ result: { content: [{ text: 'Echo: hi' }] } });
    expect(childrenOf(environment.pid)).not.toEqual([first]);
  });

  it('gets only the variables of the function that endpoint.yml names', async () => {
    const environment = start(task, { SHOWN: 'yes', AWS_SECRET_ACCESS_KEY: 'no' });
    const { json } = await environment.invoke(httpEvent('POST', rpc('tools/call', { name: 'get-env' })));
    const { content } = json.result as { content: [{ text: string }] };
    const seen = JSON.parse(content[0].text);
    expect(seen).toMatchObject({ SHOWN: 'yes', HOME: '/tmp' });
    expect(seen).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  });

  it('rejects requests that would change state for all hosts', async () => {
    const { json } = await start(task).invoke(httpEvent('POST', rpc('logging/setLevel', { level: 'debug' })));
    expect(json).toMatchObject({ error: { code: -32601 } });
  });

  it('that is not installed is named in the error', async () => {
    const endpoint = { policy: 'policies/everything.yaml', server: { package: 'no-such-server' } };
    await expect(project.package(endpoint)).rejects.toThrow(
      'no-such-server is not installed in this project. Run "npm install no-such-server".',
    );
  });
});

describe('a remote server', () => {
  let url: string;
  let close: () => Promise<void>;
  const tokens: (string | undefined)[] = [];
  beforeAll(async () => {
    const handle = createHandler({
      server: () => createVaultServer(),
      policy: loadPolicy('policies/vault.yaml'),
    });
    const remote = await listenLocally(async (request) => {
      tokens.push(request.headers.get('authorization') ?? undefined);
      return handle(request);
    }, {});
    ({ url } = remote);
    close = () => remote.close();
  });
  afterAll(() => close());

  it('gets the configured headers, and its lists are filtered by the policy', async () => {
    const server = { url, headers: { Authorization: 'UPSTREAM_AUTHORIZATION' } };
    const task = await project.package({ policy: 'policies/vault.yaml', server });
    const environment = start(task, { UPSTREAM_AUTHORIZATION: 'Bearer of-the-operator' });
    const listed = await environment.invoke(requestWith('security:high,cost:minimal', 'tools/list'));
    expect(toolsOf(listed)).toHaveLength(9);
    expect(new Set(tokens)).toEqual(new Set(['Bearer of-the-operator']));
  });

  it('is not started without the variable of a header, instead of getting an empty one', async () => {
    const server = { url, headers: { Authorization: 'UPSTREAM_AUTHORIZATION' } };
    const task = await project.package({ policy: 'policies/vault.yaml', server });
    tokens.length = 0;
    const failed = start(task, { UPSTREAM_AUTHORIZATION: '' }).invoke(requestWith('', 'tools/list'));
    await expect(failed).rejects.toThrow('are not set: UPSTREAM_AUTHORIZATION (header Authorization)');
    expect(tokens).toEqual([]);
  });

  it('gives its snapshot with the header, which no command line contains', async () => {
    process.env.SECRET_HEADER = 'Bearer of-the-operator';
    const server = { url, headers: { Authorization: 'SECRET_HEADER' } };
    const endpoint = { policy: 'policies/vault.yaml', server, catalog: 'snapshot' };
    tokens.length = 0;
    const seen: string[] = [];
    const watch = setInterval(() => seen.push(...commandLines()), 20);
    const task = await project.package(endpoint);
    clearInterval(watch);
    delete process.env.SECRET_HEADER;
    expect(new Set(tokens)).toEqual(new Set(['Bearer of-the-operator']));
    expect(seen.some((line) => line.includes('SECRET_HEADER') && line.includes('--header-env'))).toBe(true);
    expect(seen.filter((line) => line.includes('of-the-operator'))).toEqual([]);
    expect(readFileSync(join(task, 'build/lambda/catalog.json'), 'utf8')).toContain('hashData');
  });

  it('is not listed without the variable of a header', async () => {
    const server = { url, headers: { Authorization: 'UNSET_HEADER' } };
    const endpoint = { policy: 'policies/vault.yaml', server, catalog: 'snapshot' };
    await expect(project.package(endpoint)).rejects.toThrow('the variable UNSET_HEADER is not set');
  });

  it('that cannot be listed makes packaging fail, without the header in the error', async () => {
    process.env.SECRET_HEADER = 'Bearer of-nobody-else';
    const server = { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'SECRET_HEADER' } };
    const endpoint = { policy: 'policies/vault.yaml', server, catalog: 'snapshot' };
    const failed = await project.package(endpoint).catch(String);
    delete process.env.SECRET_HEADER;
    expect(failed).toContain('127.0.0.1:9');
    expect(failed).not.toContain('of-nobody-else');
  });

  it('that is unreachable causes an error of the request, not of the function', async () => {
    const server = { url: 'http://127.0.0.1:9/mcp' };
    const environment = start(await project.package({ policy: 'policies/vault.yaml', server }));
    for (let times = 0; times < 2; times++) {
      const { json } = await environment.invoke(httpEvent('POST', rpc('tools/list')));
      expect(json).toMatchObject({
        error: { code: -32603, message: expect.stringContaining('cannot be reached') },
      });
    }
  });
});

describe('a policy outside the function', () => {
  it('may be read by the role', async () => {
    const endpoint = { policy: 'policies/vault.yaml', server: { url: 'https://mcp.example/mcp' } };
    await project.package(endpoint, { environment: { MCP_CONCERNS_POLICY: 'ssm:/vault/policy' } });
    const file = join(project.folder, '.serverless/cloudformation-template-update-stack.json');
    const { Resources: resources } = JSON.parse(readFileSync(file, 'utf8'));
    const [{ PolicyDocument: document }] = resources.IamRoleLambdaExecution.Properties.Policies;
    expect(document.Statement).toContainEqual({
      Effect: 'Allow',
      Action: ['ssm:GetParameter'],
      Resource: [
        {
          'Fn::Sub': `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/vault/policy`,
        },
      ],
    });
  });
});

describe('secrets of an endpoint', () => {
  const endpoint = {
    policy: 'policies/secret.yaml',
    server: { module: 'src/secret.ts' },
    secrets: { API_KEY: 'ssm:/mcp/api-key', PASSWORD: 'secretsmanager:mcp/database#password' },
  };
  let task: string;
  beforeAll(async () => {
    project.write('policies/secret.yaml', 'version: 1\n');
    project.write(
      'src/secret.ts',
      `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
export function createServer() {
  const server = new McpServer({ name: 'own', version: '1.0.0' });
  // The variables are there when the module is imported.
  server.registerTool('has-' + [process.env.API_KEY, process.env.PASSWORD].filter(Boolean).length, {}, () => ({ content: [] }));
  return server;
}`,
    );
    task = await project.package(endpoint);
  });

  it('are the only parameters that the role may read', () => {
    const file = join(project.folder, '.serverless/cloudformation-template-update-stack.json');
    const { Resources: resources } = JSON.parse(readFileSync(file, 'utf8'));
    const [{ PolicyDocument: document }] = resources.IamRoleLambdaExecution.Properties.Policies;
    const statements = document.Statement.filter(({ Action: [action] }: { Action: string[] }) =>
      /^(ssm|secretsmanager):/.test(action ?? ''),
    );
    const arn = (rest: string) => ({
      'Fn::Sub': `arn:\${AWS::Partition}:${rest.split('|')[0]}:\${AWS::Region}:\${AWS::AccountId}:${rest.split('|')[1]}`,
    });
    expect(statements).toEqual([
      { Effect: 'Allow', Action: ['ssm:GetParameter'], Resource: [arn('ssm|parameter/mcp/api-key')] },
      {
        Effect: 'Allow',
        Action: ['secretsmanager:GetSecretValue'],
        Resource: [arn('secretsmanager|secret:mcp/database-??????')],
      },
    ]);
  });

  it('come from AWS before the function starts, with its own clients', async () => {
    const asked: string[] = [];
    const aws = createServer(async (request, response) => {
      const { Name: name, SecretId: id, WithDecryption: decrypt } = JSON.parse(await text(request));
      const target = request.headers['x-amz-target'];
      asked.push(`${target} ${name ?? id} ${decrypt ?? ''}`.trim());
      response.setHeader('content-type', 'application/x-amz-json-1.1');
      const parameter = { Parameter: { Name: name, Value: 'k-1' } };
      response.end(JSON.stringify(name === undefined ? { SecretString: '{"password":"p-1"}' } : parameter));
    });
    aws.listen(0, '127.0.0.1');
    await once(aws, 'listening');
    try {
      const { port } = aws.address() as AddressInfo;
      const origin = `http://127.0.0.1:${port}`;
      const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
      const environment = start(task, { ...env, AWS_ENDPOINT_URL: origin });
      const listed = await environment.invoke(httpEvent('POST', rpc('tools/list')));
      expect([toolsOf(listed), environment.output()]).toEqual([
        ['has-2'],
        expect.not.stringMatching(/k-1|p-1/),
      ]);
      expect(asked.sort()).toEqual([
        'AmazonSSM.GetParameter /mcp/api-key true',
        'secretsmanager.GetSecretValue mcp/database',
      ]);
    } finally {
      aws.close();
      aws.closeAllConnections();
    }
  });

  it('are not part of a bundle without them', async () => {
    await project.package({ ...endpoint, secrets: {} });
    const { inputs } = JSON.parse(readFileSync(join(project.folder, 'build/lambda.meta.json'), 'utf8'));
    const files = Object.keys(inputs);
    expect(files.some((file) => file.includes('@aws-lambda-powertools/logger'))).toBe(true);
    expect(files.filter((file) => /@aws-sdk\/client-(secrets-manager|dynamodb)\//.test(file))).toEqual([]);
  });
});

describe('the examples of docs/reference/endpoint.md', () => {
  const text = readFileSync('docs/reference/endpoint.md', 'utf8');
  const examples = [...text.matchAll(/^```yaml endpoint\n(.*?)^```$/gms)].map(([, example = '']) => example);
  const validate = new Ajv().compile(endpointSchema);

  it('cover each kind of server', () => {
    expect(examples).toHaveLength(7);
    const kinds = examples.map((example) => {
      const { server, servers } = parse(example);
      return servers === undefined ? Object.keys(server)[0] : 'several';
    });
    expect(kinds).toEqual(['module', 'module', 'package', 'url', 'url', 'several', 'module']);
  });

  it.each(examples)('are valid: %s', (example) => {
    expect([validate(parse(example)), validate.errors]).toEqual([true, null]);
  });
});

const VAULT = resolve('build/vault/server.js');

describe('a section custom.endpoint that is not valid', () => {
  it.each([
    ['has no policy', { server: { url: 'https://mcp.example/mcp' } }, "must have required property 'policy'"],
    [
      'has no such server',
      { policy: 'policies/vault.yaml', server: { docker: 'x' } },
      'custom.endpoint.server',
    ],
    [
      'has no such catalog',
      { policy: 'policies/vault.yaml', server: { module: VAULT }, catalog: 'x' },
      'static, snapshot',
    ],
    [
      'has no such policy',
      { policy: 'policies/none.yaml', server: { module: VAULT, tasks: 'plain' } },
      'policies/none.yaml',
    ],
  ])('%s', async (_, endpoint, message) => {
    await expect(project.package(endpoint)).rejects.toThrow(message);
  });
});

/** @returns the ids of the servers that a process started: its children but for the shells that watch over them */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .trim()
    .split(' ')
    .filter((id) => id !== '' && !readFileSync(`/proc/${id}/cmdline`, 'utf8').startsWith('/bin/sh'))
    .map(Number);
}

/** @returns the command lines of all processes, as every user of the machine can read them */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        // The process has ended.
        return '';
      }
    });
}
