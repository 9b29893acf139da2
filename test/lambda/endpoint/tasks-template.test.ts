// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of CloudFormation
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read } from '../../../src/core/wire/messages.js';
import { createVariant, type Environment, type Project, startEnvironment } from '../../deploy/project.js';
import { unzip } from '../../deploy/unzip.js';
import { ACCOUNT, type LocalDynamo, PATIENT, startDynamo } from '../../session/dynamo.js';
import { inProcesses } from '../../tasks/lambda/invoke.js';
import { type FakeLambda, startFakeLambda } from '../../tasks/lambda/server.js';
import { createTaskTable } from '../../tasks/table.js';
import { FUNCTION_ARN } from '../../tasks/worlds.js';
import { httpEvent } from '../events.js';

const SERVER = `
import { McpServer } from '@modelcontextprotocol/server';
import { defineTask } from 'mcp-concerns/tasks';
export const tasks = [
  defineTask({
    name: 'report',
    inputSchema: { type: 'object', properties: { topic: { type: 'string' } } },
    run: async ({ topic }, ctx) => {
      const rows = await ctx.step('collect', () => [topic, process.env.MCP_CONCERNS_TASKS_FUNCTION ?? 'worker']);
      await ctx.sleep('cool down', 1);
      const { content } = await ctx.ask('signer', {
        method: 'elicitation/create',
        params: { message: 'Who signs?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
      });
      return rows.join(' by ') + ', signed by ' + content.name;
    },
  }),
];
export function createServer() {
  const server = new McpServer({ name: 'reports', version: '1.0.0' });
  server.registerTool('plain', {}, async () => ({ content: [] }));
  return server;
}
`;

/** Writes the URL of each module that a process loads to a file. */
const RECORDER = `
import { register } from 'node:module';
const hooks = \`import { appendFileSync } from 'node:fs';
export const load = (url, context, next) => {
  appendFileSync(\${JSON.stringify(process.env.LOADED)}, url + '\\\\n');
  return next(url, context);
};\`;
register('data:text/javascript,' + encodeURIComponent(hooks));
`;

/** Answers one invocation of the packaged worker. */
const WORKER = `
import { text } from 'node:stream/consumers';
import { handler } from './build/worker/index.mjs';
const context = { awsRequestId: 'one', functionName: 'tasks', getRemainingTimeInMillis: () => 60_000 };
const answer = await handler(JSON.parse(await text(process.stdin)), context);
process.stdout.write('\\n' + JSON.stringify(answer) + '\\n', () => process.exit(0));
`;

let project: Project;
let template: Record<string, Record<string, object>>;
const resource = (name: string): unknown => template.Resources?.[name];
const [mcp, tasks] = [() => join(project.folder, 'mcp'), () => join(project.folder, 'tasks')];

beforeAll(async () => {
  project = createVariant('tasks');
  project.write('server.mjs', SERVER);
  project.write('policy.yaml', 'version: 1\n');
  project.write('endpoint.yml', 'policy: policy.yaml\nserver: { module: server.mjs, sdk: 2 }\n');
  const osls = resolve('node_modules/serverless/bin/serverless.js');
  const args = ['package', '--param=alarmTopic=arn:aws:sns:eu-central-1:1:a'];
  await promisify(execFile)(process.execPath, [osls, ...args], { cwd: project.folder });
  const file = join(project.folder, '.serverless/cloudformation-template-update-stack.json');
  template = JSON.parse(readFileSync(file, 'utf8'));
  await unzip(join(project.folder, '.serverless/mcp.zip'), mcp());
  await unzip(join(project.folder, '.serverless/tasks.zip'), tasks());
});

describe('the variant tasks', () => {
  it('runs tasks in a durable function, on a version of its code that is kept', () => {
    expect(resource('TasksLambdaFunction')).toMatchObject({
      Properties: {
        Handler: 'build/worker/index.handler',
        Runtime: 'nodejs24.x',
        Timeout: 900,
        DurableConfig: { ExecutionTimeout: 86_400, RetentionPeriodInDays: 7 },
        Environment: { Variables: { MCP_CONCERNS_TASKS_TABLE: { Ref: 'TasksTable' } } },
      },
    });
    const [version = ''] = Object.keys(template.Resources ?? {}).filter((name) => /LambdaVersion/.test(name));
    const zip = readFileSync(join(project.folder, '.serverless/tasks.zip'));
    expect(resource(version)).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { CodeSha256: createHash('sha256').update(zip).digest('base64') },
    });
    expect(resource('TasksDurableLambdaAlias')).toMatchObject({
      Properties: { Name: 'durable', FunctionVersion: { 'Fn::GetAtt': [version, 'Version'] } },
    });
    expect(read(resource('McpLambdaFunction'), 'Properties', 'Environment', 'Variables')).toMatchObject({
      MCP_CONCERNS_TASKS_FUNCTION: { Ref: 'TasksDurableLambdaAlias' },
      MCP_CONCERNS_TASKS_TABLE: { Ref: 'TasksTable' },
    });
    expect(resource('McpLambdaFunction')).not.toHaveProperty('Properties.DurableConfig');
  });

  it('keeps records in a table with a local index and expiry', () => {
    expect(resource('TasksTable')).toMatchObject({
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'owner', KeyType: 'HASH' },
          { AttributeName: 'id', KeyType: 'RANGE' },
        ],
        LocalSecondaryIndexes: [
          {
            IndexName: 'byUpdate',
            KeySchema: [
              { AttributeName: 'owner', KeyType: 'HASH' },
              { AttributeName: 'updatedAt', KeyType: 'RANGE' },
            ],
            Projection: {
              ProjectionType: 'INCLUDE',
              NonKeyAttributes: ['tool', 'status', 'message', 'waits', 'createdAt', 'ttlMs', 'expiresAt'],
            },
          },
        ],
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      },
    });
  });

  it('allows each function only what it does', () => {
    const grants = (role: string): string[] => {
      const [policy] = read(resource(role), 'Properties', 'Policies') as unknown[];
      const statements = read(policy, 'PolicyDocument', 'Statement') as unknown[];
      return statements
        .flatMap((statement) =>
          [read(statement, 'Action')]
            .flat()
            .map((action) => `${action} ${JSON.stringify(read(statement, 'Resource'))}`),
        )
        .filter((grant) => !grant.startsWith('logs:'))
        .sort();
    };
    const table = '{"Fn::GetAtt":["TasksTable","Arn"]}';
    const executions = '{"Fn::Sub":"${TasksLambdaFunction.Arn}:*/durable-execution/*/*"}';
    const index = '{"Fn::Sub":"${TasksTable.Arn}/index/byUpdate"}';
    expect(grants('IamRoleLambdaExecution')).toEqual(
      [
        ...['GetItem', 'PutItem', 'UpdateItem'].map(
          (action) => `dynamodb:${action} {"Fn::GetAtt":["SessionsTable","Arn"]}`,
        ),
        ...['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'].map(
          (action) => `dynamodb:${action} ${table}`,
        ),
        `dynamodb:Query [${table},${index}]`,
        ...['GetDurableExecution', 'SendDurableExecutionCallbackSuccess', 'StopDurableExecution'].map(
          (action) => `lambda:${action} ${executions}`,
        ),
        'lambda:InvokeFunction {"Ref":"TasksDurableLambdaAlias"}',
      ].sort(),
    );
    const own =
      '{"Fn::Sub":"arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:mcp-concerns-dev-tasks:*/durable-execution/*/*"}';
    expect(grants('TasksRole')).toEqual([
      `dynamodb:GetItem ${table}`,
      `dynamodb:UpdateItem ${table}`,
      `lambda:CheckpointDurableExecution ${own}`,
      `lambda:GetDurableExecutionState ${own}`,
    ]);
    expect(read(resource('TasksLambdaFunction'), 'Properties', 'Role')).toEqual({
      'Fn::GetAtt': ['TasksRole', 'Arn'],
    });
    expect(read(resource('TasksLambdaFunction'), 'Properties', 'FunctionName')).toBe(
      'mcp-concerns-dev-tasks',
    );
  });

  it('has alarms for failed executions and for throttles, if there is a topic', () => {
    for (const name of ['TasksFailedAlarm', 'TasksThrottlesAlarm']) {
      expect(resource(name)).toMatchObject({
        Type: 'AWS::CloudWatch::Alarm',
        Condition: 'HasAlarmTopic',
        Properties: { Threshold: 0, AlarmActions: ['arn:aws:sns:eu-central-1:1:a'] },
      });
    }
    expect(template.Conditions).toHaveProperty('HasAlarmTopic');
    const watched = read(resource('TasksFailedAlarm'), 'Properties', 'Metrics') as unknown[];
    expect(watched.map((each) => read(each, 'MetricStat', 'Metric', 'MetricName'))).toEqual([
      undefined,
      'DurableExecutionFailed',
      'DurableExecutionTimedOut',
      'Errors',
    ]);
    for (const each of watched.slice(1)) {
      expect(read(each, 'MetricStat', 'Metric', 'Dimensions')).toEqual([
        { Name: 'FunctionName', Value: { Ref: 'TasksLambdaFunction' } },
      ]);
    }
    expect(resource('TasksLogGroup')).toMatchObject({ Properties: { RetentionInDays: 30 } });
  });
});

describe('the packaged functions', () => {
  const open: { close(): Promise<unknown> }[] = [];
  afterAll(() => Promise.all(open.map((each) => each.close())));
  let dynamo: LocalDynamo;
  let lambda: FakeLambda;
  let environment: Record<string, string>;

  beforeAll(async () => {
    dynamo = await startDynamo();
    open.push(dynamo);
    project.write('tasks/run.mjs', WORKER);
    project.write('record.mjs', RECORDER);
    const aws = {
      MCP_CONCERNS_TASKS_TABLE: await createTaskTable(dynamo),
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
      AWS_REGION: ACCOUNT.region,
      AWS_ACCESS_KEY_ID: ACCOUNT.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ACCOUNT.credentials.secretAccessKey,
    };
    const program = { file: join(tasks(), 'run.mjs'), remove: async () => {} };
    lambda = await startFakeLambda({
      second: 20,
      invoke: inProcesses(program, () => ({ ...aws, AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint })),
    });
    open.push(lambda);
    environment = {
      ...aws,
      AWS_ENDPOINT_URL_LAMBDA: lambda.endpoint,
      MCP_CONCERNS_TASKS_FUNCTION: FUNCTION_ARN,
      // The gate keeps the owners of tasks beside the sessions, so that every environment knows them.
      MCP_CONCERNS_SESSIONS: 'dynamodb',
      MCP_CONCERNS_TABLE: await dynamo.table(),
      NODE_OPTIONS: `${PATIENT.NODE_OPTIONS} --import=${join(project.folder, 'record.mjs')}`,
    };
  });

  /** Sends a request of protocol 2026-07-28, and returns the result. */
  async function send(
    to: Environment,
    method: string,
    params: object = {},
  ): Promise<Record<string, unknown>> {
    const name = read(params, 'name') ?? read(params, 'taskId');
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {} },
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    };
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    const { json, body: text } = await to.invoke(httpEvent('POST', body, { headers }));
    expect(json, text).toHaveProperty('result');
    return json.result as Record<string, unknown>;
  }

  /** Reads a task until it has a status. */
  async function follow(from: Environment, taskId: unknown, status: string) {
    for (;;) {
      const state = await send(from, 'tasks/get', { taskId });
      if (state.status === status) return state;
      expect(['working', 'input_required']).toContain(state.status);
      await sleep(100);
    }
  }

  it('run a task with a question to its end, in a process for each invocation', async () => {
    const endpoint = startEnvironment(mcp(), { ...environment, LOADED: join(project.folder, 'loaded.txt') });
    open.push(endpoint);
    const { taskId } = await send(endpoint, 'tools/call', { name: 'report', arguments: { topic: 'snow' } });
    // Another environment of the function answers the question.
    const other = startEnvironment(mcp(), { ...environment, LOADED: join(project.folder, 'other.txt') });
    open.push(other);
    const asking = await follow(other, taskId, 'input_required');
    expect(Object.keys(Object(asking.inputRequests))).toEqual(['signer']);
    const inputResponses = { signer: { action: 'accept', content: { name: 'Ann' } } };
    await send(other, 'tasks/update', { taskId, inputResponses });
    const { result } = await follow(endpoint, taskId, 'completed');
    expect(result).toMatchObject({ content: [{ text: 'snow by worker, signed by Ann' }] });
    expect(lambda.executions.counts).toMatchObject({ invocations: 3, deaths: 0 });
  });

  it('load the code of tasks with the server, and the engine with the first call of a task', async () => {
    const loaded = join(project.folder, 'lists.txt');
    const endpoint = startEnvironment(mcp(), { ...environment, LOADED: loaded });
    open.push(endpoint);
    expect((await endpoint.invoke(httpEvent('GET'))).statusCode).toBe(405);
    expect(sourcesOf(loaded)).toEqual([]);
    const { tools } = await send(endpoint, 'tools/list');
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(['plain', 'report']);
    const lists = sourcesOf(loaded);
    expect(lists).toContain('index');
    expect(lists.filter((file) => ENGINE.test(file))).toEqual([]);
    expect((await send(endpoint, 'tools/call', { name: 'report', arguments: {} })).resultType).toBe('task');
    const engine = ['engine', 'records', '@aws-sdk/client-lambda'];
    expect(sourcesOf(loaded)).toEqual(expect.arrayContaining(engine));
  });

  /** What starts and keeps tasks, and the AWS clients. */
  const ENGINE = /^(engine|records|lambda-client)$|^@aws-sdk/;

  /** Returns what was loaded of the code of tasks and of the AWS clients, from the chunks of the bundle. */
  function sourcesOf(loaded: string): string[] {
    const { outputs } = JSON.parse(readFileSync(join(project.folder, 'build/lambda.meta.json'), 'utf8'));
    const names = new Set(
      readFileSync(loaded, 'utf8')
        .split('\n')
        .map((url) => basename(url)),
    );
    const files = Object.keys(outputs)
      .filter((output) => names.has(basename(output)))
      .flatMap((output) => Object.keys(outputs[output].inputs));
    return files.flatMap((file) => {
      const [, own] = /dist\/(?:tasks\/|chunks\/(?!chunk-))(.+?)(?:-[A-Z0-9]{8})?\.js$/.exec(file) ?? [];
      const [, aws] = /node_modules\/(@aws-sdk\/client-[^/]+)/.exec(file) ?? [];
      return own ?? aws ?? [];
    });
  }
});
