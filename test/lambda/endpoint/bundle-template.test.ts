import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import jszip from 'jszip';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { read } from '../../../src/core/wire/messages.js';
import { createCopy, createVariant } from '../../deploy/project.js';

/** Secrets that the shell of an operator may contain while packaging. */
const SECRETS = {
  AWS_ACCESS_KEY_ID: 'AKIAS3CR3TS3CR3TS3CR',
  AWS_SECRET_ACCESS_KEY: 'S3CR3T-of-the-operator',
  AWS_SESSION_TOKEN: 'S3CR3T-of-the-session',
  NPM_TOKEN: 'S3CR3T-of-npm',
};

interface Packaged {
  readonly resources: Readonly<Record<string, object>>;
  readonly text: string;
  readonly zip: jszip;
  readonly zipBytes: number;
  /** The properties of the resources of one type. */
  of(type: string): unknown[];
}

const folder = mkdtempSync(join(tmpdir(), 'package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Has an `npm` that only leaves a file behind. */
const COMMANDS = join(folder, 'commands');
const CALLED = join(folder, 'npm-was-called');
mkdirSync(COMMANDS);
writeFileSync(join(COMMANDS, 'npm'), `#!/bin/sh\ntouch '${CALLED}'\n`, { mode: 0o755 });

/** The folder with the `serverless.yml` of each variant. This repository itself deploys the first. */
const FOLDERS = new Map([['http', createCopy().folder]]);
function folderOf(variant: string): string {
  const known = FOLDERS.get(variant) ?? createVariant(variant).folder;
  FOLDERS.set(variant, known);
  return known;
}

/** Runs `osls package` offline, as an operator does. */
async function pack(variant: string, ...params: string[]): Promise<Packaged> {
  const target = mkdtempSync(join(folder, 'target-'));
  const args = ['package', `--package=${target}`, ...params.map((param) => `--param=${param}`)];
  await promisify(execFile)(
    process.execPath,
    [resolve('node_modules/serverless/bin/serverless.js'), ...args],
    { cwd: folderOf(variant), env: { ...process.env, ...SECRETS, PATH: `${COMMANDS}:${process.env.PATH}` } },
  );
  const text = readFileSync(join(target, 'cloudformation-template-update-stack.json'), 'utf8');
  const zipFile = join(target, 'mcp-concerns.zip');
  const resources: Record<string, object> = JSON.parse(text).Resources;
  return {
    resources,
    text: text + readFileSync(join(target, 'serverless-state.json'), 'utf8'),
    zip: await jszip.loadAsync(readFileSync(zipFile)),
    zipBytes: statSync(zipFile).size,
    of: (type) =>
      Object.values(resources)
        .filter((resource) => read(resource, 'Type') === type)
        .map((resource) => read(resource, 'Properties')),
  };
}

/** Resources that are billed by use, or free. The resources of an HTTP API are, too. */
const BY_USE = new Set([
  'AWS::DynamoDB::Table',
  'AWS::IAM::Role',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
]);

/** @returns every resource that a template refers to */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(references);
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === 'Ref' || (name === 'DependsOn' && typeof inner === 'string')) return [String(inner)];
    if (name === 'DependsOn') return inner as string[];
    if (name === 'Fn::GetAtt') return [String((inner as string[])[0])];
    if (name === 'Fn::Sub') return [...String(inner).matchAll(/\$\{([^}!]+)\}/g)].map(([, ref = '']) => ref);
    return references(inner);
  });
}

const routesOf = ({ of }: Packaged): Record<string, string> =>
  Object.fromEntries(
    of('AWS::ApiGatewayV2::Route').map((route) => [
      read(route, 'RouteKey'),
      read(route, 'AuthorizationType') ?? 'NONE',
    ]),
  );
const variablesOf = ({ of }: Packaged): unknown =>
  read(of('AWS::Lambda::Function')[0], 'Environment', 'Variables');
/** @returns what the role of the function allows, and on which resource */
const grantsOf = ({ of }: Packaged): [action: string, on: string][] =>
  of('AWS::IAM::Role')
    .flatMap((role) => read(role, 'Policies') as unknown[])
    .flatMap((policy) => read(policy, 'PolicyDocument', 'Statement') as unknown[])
    .flatMap((statement) =>
      [read(statement, 'Action')]
        .flat()
        .map((action): [string, string] => [String(action), JSON.stringify(read(statement, 'Resource'))]),
    );

describe.each([
  ['http', []],
  ['jwt', ['issuer=https://login.example/', 'audience=https://mcp.example/mcp']],
  ['rest', []],
  ['function-url', []],
])('the variant %s', (variant, params) => {
  let packaged: Packaged;
  beforeAll(async () => {
    packaged = await pack(variant, ...params);
  });

  it('refers only to resources that exist', () => {
    const used = references(packaged.resources).filter((name) => !name.startsWith('AWS::'));
    expect(used.length).toBeGreaterThan(10);
    expect(used.filter((name) => !Object.hasOwn(packaged.resources, name))).toEqual([]);
  });

  it('runs the bundle on Node.js 24 and arm64', async () => {
    const [lambda] = packaged.of('AWS::Lambda::Function');
    expect(lambda).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'build/lambda/index.handler',
      MemorySize: 512,
      // Behind an API that streams, a response may take longer. A function URL has no other limit than its own.
      Timeout: /url/.test(variant) ? 60 : /rest/.test(variant) ? 300 : 29,
      ReservedConcurrentExecutions: /url/.test(variant) ? 20 : { Ref: 'AWS::NoValue' },
    });
    const names = Object.keys(packaged.zip.files);
    expect(names).toContain('build/lambda/index.mjs');
    expect(names).toContain('build/lambda/policy.json');
    expect(names.filter((name) => !name.startsWith('build/lambda/'))).toEqual([]);
    expect(await packaged.zip.file('build/lambda/index.mjs')?.async('string')).toMatch(
      /export\{\w+ as handler\}/,
    );
  });

  it('is packaged without a list of the installed packages, which would take longer than everything else', () => {
    expect(existsSync(CALLED)).toBe(false);
  });

  // The validator of tasks is in it twice: the SDK has one, and a project of the other SDK needs that of this package.
  it('has a zip of less than 700 KB', () => {
    expect(packaged.zipBytes).toBeLessThan(700_000);
  });

  it('keeps sessions in a table that is billed by use, with expiry', () => {
    const [table] = packaged.of('AWS::DynamoDB::Table');
    expect(table).toEqual({
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
    expect(variablesOf(packaged)).toMatchObject({ MCP_CONCERNS_TABLE: { Ref: 'SessionsTable' } });
  });

  it('has no resource that is billed by the hour', () => {
    const types = Object.values(packaged.resources).map((resource) => String(read(resource, 'Type')));
    expect(types.filter((type) => !BY_USE.has(type) && !/^AWS::ApiGateway(V2)?::/.test(type))).toEqual([]);
    expect(packaged.of('AWS::Lambda::Function')).toHaveLength(1);
  });

  it('allows access only to that table and to the log', () => {
    const granted = grantsOf(packaged);
    const table = granted.filter(([action]) => action.startsWith('dynamodb:'));
    expect(table.map(([action]) => action).sort()).toEqual([
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ]);
    expect(new Set(table.map(([, on]) => on))).toEqual(new Set(['{"Fn::GetAtt":["SessionsTable","Arn"]}']));
    const rest = granted.filter(([action]) => !action.startsWith('dynamodb:'));
    expect(rest.map(([action]) => action).sort()).toEqual([
      'logs:CreateLogGroup',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'logs:TagResource',
    ]);
    for (const [, on] of rest) expect(on).toContain('log-group:/aws/lambda/mcp-concerns-dev*');
  });

  it('keeps logs for 30 days', () => {
    const [group] = packaged.of('AWS::Logs::LogGroup');
    expect(group).toMatchObject({ RetentionInDays: 30 });
  });

  it('contains no secret in the template or the zip', async () => {
    const files = Object.values(packaged.zip.files).filter(({ dir }) => !dir);
    const texts = [packaged.text, ...(await Promise.all(files.map((file) => file.async('string'))))];
    for (const text of texts) {
      for (const secret of Object.values(SECRETS)) expect(text.includes(secret)).toBe(false);
      expect(text).not.toMatch(/\b(AKIA|ASIA)[A-Z0-9]{16}\b|-----BEGIN [A-Z ]*PRIVATE KEY-----\n/);
    }
  });
});

describe('the HTTP API', () => {
  it('is public, and lets the function handle CORS', async () => {
    const packaged = await pack('http', 'origins=https://a.example,https://b.example');
    expect(routesOf(packaged)).toEqual({
      'DELETE /mcp': 'NONE',
      'GET /mcp': 'NONE',
      'OPTIONS /mcp': 'NONE',
      'POST /mcp': 'NONE',
    });
    expect(variablesOf(packaged)).toMatchObject({
      MCP_CONCERNS_ORIGINS: 'https://a.example,https://b.example',
    });
  });

  it('applies all settings', async () => {
    const packaged = await pack(
      'http',
      ...['reservedConcurrency=5', 'memory=1024', 'timeout=10', 'logRetention=7'],
      ...['logLevel=DEBUG', 'logSampleRate=0.1', 'sessionSeconds=3600', 'resource=https://mcp.example/mcp'],
    );
    expect(packaged.of('AWS::Lambda::Function')[0]).toMatchObject({
      ReservedConcurrentExecutions: 5,
      MemorySize: 1024,
      Timeout: 10,
    });
    // That of the function, and the access log of the API.
    expect(packaged.of('AWS::Logs::LogGroup')).toMatchObject([
      { RetentionInDays: 7 },
      { RetentionInDays: 7 },
    ]);
    expect(variablesOf(packaged)).toMatchObject({
      POWERTOOLS_LOG_LEVEL: 'DEBUG',
      POWERTOOLS_LOGGER_SAMPLE_RATE: '0.1',
      MCP_CONCERNS_SESSION_SECONDS: '3600',
      MCP_CONCERNS_RESOURCE: 'https://mcp.example/mcp',
    });
  });

  it('throttles its stage', async () => {
    const packaged = await pack('http', 'throttleRate=5', 'throttleBurst=10');
    expect(packaged.of('AWS::ApiGatewayV2::Stage')).toMatchObject([
      { DefaultRouteSettings: { ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 } },
    ]);
  });

  it.each([
    ['sessionSeconds=abc', 'MCP_CONCERNS_SESSION_SECONDS must be a number of seconds, for example 86400.'],
    ['origins=host.example', 'MCP_CONCERNS_ORIGINS must contain origins'],
    ['logLevel=LOUD', '"LOUD" is not a valid value for POWERTOOLS_LOG_LEVEL'],
    ['logSampleRate=2', 'POWERTOOLS_LOGGER_SAMPLE_RATE must be a number from 0 to 1, not "2"'],
    ['timeout=60', 'The timeout of 60 s is too long: an HTTP API waits for 30 s.'],
    ['throttleRate=0', 'throttle.rate'],
  ])('is not packaged with the setting %s', async (setting, message) => {
    await expect(pack('http', setting)).rejects.toMatchObject({
      stdout: expect.stringContaining(message),
    });
  });

  it('is not packaged with a setting of the wrong type', async () => {
    await expect(pack('http', 'memory=lots')).rejects.toMatchObject({
      stdout: expect.stringContaining('memorySize'),
    });
  });
});

describe('the HTTP API that checks tokens', () => {
  const tokens = ['issuer=https://login.example/', 'audience=https://mcp.example/mcp'];

  it('requires a token, except for the document that tells where to log in', async () => {
    const packaged = await pack('jwt', ...tokens, 'scopes=read write');
    expect(routesOf(packaged)).toEqual({
      'DELETE /mcp': 'JWT',
      'GET /mcp': 'JWT',
      'POST /mcp': 'JWT',
      'GET /.well-known/oauth-protected-resource': 'NONE',
      'GET /.well-known/oauth-protected-resource/mcp': 'NONE',
    });
    expect(packaged.of('AWS::ApiGatewayV2::Authorizer')[0]).toMatchObject({
      AuthorizerType: 'JWT',
      IdentitySource: ['$request.header.Authorization'],
      JwtConfiguration: { Issuer: 'https://login.example/', Audience: ['https://mcp.example/mcp'] },
    });
    expect(variablesOf(packaged)).toMatchObject({
      MCP_CONCERNS_ISSUERS: 'https://login.example/',
      MCP_CONCERNS_SCOPES: 'read write',
      // It is verified because it is the identity source above.
      MCP_CONCERNS_TOKEN: 'authorization',
    });
    expect(packaged.of('AWS::ApiGatewayV2::Api')[0]).not.toHaveProperty('CorsConfiguration');
    expect(packaged.of('AWS::ApiGatewayV2::Stage')).toMatchObject([
      { DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 } },
    ]);
  });

  it('handles CORS itself, because it answers 401 itself', async () => {
    const packaged = await pack('jwt', ...tokens, 'origins=https://a.example, https://b.example');
    expect(read(packaged.of('AWS::ApiGatewayV2::Api')[0], 'CorsConfiguration')).toMatchObject({
      AllowOrigins: ['https://a.example', 'https://b.example'],
      AllowMethods: ['GET', 'POST', 'DELETE'],
      AllowHeaders: expect.arrayContaining([
        'Authorization',
        'Mcp-Concerns',
        'Mcp-Protocol-Version',
        'Mcp-Session-Id',
      ]),
      ExposeHeaders: ['Mcp-Session-Id', 'WWW-Authenticate'],
    });
  });

  it('is not packaged without an issuer', async () => {
    await expect(pack('jwt', 'audience=a')).rejects.toMatchObject({
      stdout: expect.stringContaining('Value not found at "param" source'),
    });
  });
});

describe('the function URL', () => {
  it('streams, and is public', async () => {
    const packaged = await pack('function-url');
    expect(packaged.of('AWS::Lambda::Url')[0]).toMatchObject({
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
    });
    // Since October 2025, AWS requires both.
    expect(packaged.of('AWS::Lambda::Permission').map((permission) => read(permission, 'Action'))).toEqual([
      'lambda:InvokeFunctionUrl',
      'lambda:InvokeFunction',
    ]);
    expect(variablesOf(packaged)).toMatchObject({ MCP_CONCERNS_RESPONSE: 'stream' });
    expect(routesOf(packaged)).toEqual({});
  });
});

describe('the REST API', () => {
  let packaged: Packaged;
  beforeAll(async () => {
    packaged = await pack('rest', 'timeout=900', 'throttleRate=5', 'throttleBurst=10');
  });
  const methods = () =>
    packaged.of('AWS::ApiGateway::Method').map((method) => ({
      method: read(method, 'HttpMethod'),
      authorization: read(method, 'AuthorizationType'),
      integration: read(method, 'Integration'),
    }));

  it('streams each method, as long as the function may run', () => {
    expect(methods().map(({ method }) => method)).toEqual(['POST', 'GET', 'DELETE', 'OPTIONS']);
    for (const { integration, authorization } of methods()) {
      expect(authorization).toBe('NONE');
      expect(integration).toMatchObject({
        Type: 'AWS_PROXY',
        ResponseTransferMode: 'STREAM',
        TimeoutInMillis: 900_000,
      });
      // https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode-lambda.html
      const uri = JSON.stringify(read(integration, 'Uri'));
      expect(uri).toContain(':lambda:path/2021-11-15/functions/');
      expect(uri).toContain('/response-streaming-invocations');
    }
    expect(packaged.of('AWS::Lambda::Function')[0]).toMatchObject({ Timeout: 900 });
    expect(variablesOf(packaged)).toMatchObject({ MCP_CONCERNS_RESPONSE: 'stream' });
  });

  it('is regional, and serves /mcp', () => {
    expect(packaged.of('AWS::ApiGateway::RestApi')).toMatchObject([
      { EndpointConfiguration: { Types: ['REGIONAL'] } },
    ]);
    expect(packaged.of('AWS::ApiGateway::Resource')).toMatchObject([{ PathPart: 'mcp' }]);
  });

  it('has a stage of its own that throttles, and a deployment without a stage', () => {
    const [deployment = ''] = Object.keys(packaged.resources).filter((id) =>
      id.startsWith('ApiGatewayDeployment'),
    );
    expect(packaged.resources.ApiGatewayStage).toEqual({
      Type: 'AWS::ApiGateway::Stage',
      Properties: {
        StageName: 'dev',
        RestApiId: { Ref: 'ApiGatewayRestApi' },
        DeploymentId: { Ref: deployment },
        MethodSettings: [
          { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 5, ThrottlingBurstLimit: 10 },
        ],
      },
    });
    expect(packaged.of('AWS::ApiGateway::Deployment')).toEqual([{ RestApiId: { Ref: 'ApiGatewayRestApi' } }]);
  });

  it('lets IAM verify callers if the events say so', async () => {
    const file = join(folderOf('rest'), 'serverless.yml');
    const text = readFileSync(file, 'utf8')
      .replaceAll(/(method: (?:POST|GET|DELETE)),/g, '$1, authorizer: aws_iam,')
      .replace('# MCP_CONCERNS_AUTHORIZER', 'MCP_CONCERNS_AUTHORIZER');
    writeFileSync(file, text);
    packaged = await pack('rest');
    expect(methods().map(({ method, authorization }) => `${method} ${authorization}`)).toEqual([
      'POST AWS_IAM',
      'GET AWS_IAM',
      'DELETE AWS_IAM',
      'OPTIONS NONE',
    ]);
    expect(variablesOf(packaged)).toMatchObject({ MCP_CONCERNS_AUTHORIZER: 'gateway' });
  });
});
