import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countPolicy, countRequest, countUpstream } from '../../../src/core/telemetry/counts.js';
import { read } from '../../../src/core/wire/messages.js';
import { createCopy, createVariant } from '../../deploy/project.js';

const folder = mkdtempSync(join(tmpdir(), 'observe-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `osls package` offline in a folder with `serverless.yml`, and returns the template. */
async function template(cwd: string, ...params: string[]): Promise<Record<string, unknown>> {
  const target = mkdtempSync(join(folder, 'target-'));
  const args = ['package', `--package=${target}`, ...params.map((each) => `--param=${each}`)];
  const program = resolve('node_modules/serverless/bin/serverless.js');
  const osls = promisify(execFile)(process.execPath, [program, ...args], { cwd });
  await osls.catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
  return JSON.parse(readFileSync(join(target, 'cloudformation-template-update-stack.json'), 'utf8'));
}

type Resource = { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> };
const resourcesOf = (packaged: Record<string, unknown>) =>
  Object.entries(packaged.Resources as Record<string, Resource>);
const watching = (packaged: Record<string, unknown>) =>
  resourcesOf(packaged).filter(([, { Type }]) => Type.startsWith('AWS::CloudWatch::'));

const TOPIC = {
  'Fn::If': ['HasAlarmTopic', ['arn:aws:sns:eu-central-1:1:alerts'], { Ref: 'AWS::NoValue' }],
};

/** All names of metrics that the function writes. */
const WRITTEN = [
  ...countRequest({
    requestId: '',
    httpMethod: 'POST',
    status: 200,
    durationMs: 1,
    reports: [{ method: 'tools/list', era: 'legacy', shown: 1, total: 2 }],
  }),
  ...countPolicy({ outcome: 'kept' }),
  ...countUpstream({ upstream: 'a', state: 'failed' }),
  ...countUpstream({ upstream: 'a', state: 'restarting' }),
].map(({ name }) => name);

describe.each([
  ['http', () => createCopy().folder],
  ['function-url', () => createVariant('function-url').folder],
])('the variant %s with metrics', (variant, makeFolder) => {
  let packaged: Record<string, unknown>;
  beforeAll(async () => {
    packaged = await template(
      makeFolder(),
      'metrics=vault/prod',
      'alarmTopic=arn:aws:sns:eu-central-1:1:alerts',
    );
  });

  it('has a dashboard and alarms, which watch this function', () => {
    const ofApi = variant === 'http' ? ['ApiThrottledAlarm'] : [];
    expect(
      watching(packaged)
        .map(([name]) => name)
        .sort(),
    ).toEqual([
      ...ofApi,
      'CrashesAlarm',
      'Dashboard',
      'DurationAlarm',
      'ErrorsAlarm',
      'PolicyAlarm',
      'StoreAlarm',
      'ThrottlesAlarm',
      'UpstreamDownAlarm',
    ]);
    const alarms = watching(packaged).filter(([, { Type }]) => Type === 'AWS::CloudWatch::Alarm');
    for (const [, { Properties }] of alarms) {
      expect(Properties).toMatchObject({
        TreatMissingData: 'notBreaching',
        AlarmActions: TOPIC,
        OKActions: TOPIC,
      });
    }
    const own = { Dimensions: [{ Name: 'FunctionName', Value: { Ref: 'McpLambdaFunction' } }] };
    const service = { Namespace: 'vault/prod', Dimensions: [{ Name: 'service', Value: 'mcp-concerns-dev' }] };
    const properties = Object.fromEntries(alarms.map(([name, { Properties }]) => [name, Properties]));
    expect(properties.ThrottlesAlarm).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Throttles',
      ...own,
    });
    expect(properties.DurationAlarm).toMatchObject({
      MetricName: 'Duration',
      ExtendedStatistic: 'p95',
      ...service,
    });
    expect(properties.UpstreamDownAlarm).toMatchObject({ MetricName: 'UpstreamDown', ...service });
    for (const [alarm, name] of [
      [properties.ErrorsAlarm, 'Errors'],
      [properties.StoreAlarm, 'Degraded'],
    ] as const) {
      const metrics = read(alarm, 'Metrics') as unknown[];
      expect(metrics.map((each) => read(each, 'MetricStat', 'Metric'))).toEqual([
        undefined,
        { MetricName: 'Calls', ...service },
        { MetricName: name, ...service },
      ]);
    }
    expect(properties.CrashesAlarm).toMatchObject({ Namespace: 'AWS/Lambda', MetricName: 'Errors', ...own });
    expect(properties.PolicyAlarm).toMatchObject({ MetricName: 'PolicyFailures', ...service });
  });

  it('counts what the API refuses itself, under a name with the stage, since the metric of a filter has no dimension', () => {
    const resources = Object.fromEntries(resourcesOf(packaged));
    const filter = resources.ApiThrottledFilter?.Properties;
    if (variant !== 'http') return expect(filter).toBeUndefined();
    expect(filter).toMatchObject({
      LogGroupName: { Ref: 'HttpApiLogGroup' },
      FilterPattern: '{ $.status = "429" }',
      MetricTransformations: [{ MetricNamespace: 'vault/prod', MetricName: 'ApiThrottled-mcp-concerns-dev' }],
    });
    expect(resources.ApiThrottledAlarm?.Properties).toMatchObject({
      Namespace: 'vault/prod',
      MetricName: 'ApiThrottled-mcp-concerns-dev',
    });
  });

  it('refers only to functions and conditions that the template has', () => {
    const text = JSON.stringify(watching(packaged));
    for (const [, name = ''] of text.matchAll(/"Ref":"(?!AWS::)(\w+)"/g)) {
      expect(Object.keys(packaged.Resources as object)).toContain(name);
    }
    expect(Object.keys(packaged.Conditions as object)).toContain('HasAlarmTopic');
    expect(text).not.toMatch(/\$\{(param|self|file):/);
  });

  it('draws only metrics that the function writes, in JSON that CloudWatch can read', () => {
    const dashboard = watching(packaged).find(([name]) => name === 'Dashboard')?.[1].Properties;
    expect(dashboard).toMatchObject({ DashboardName: 'mcp-concerns-dev' });
    const [body, values] = read(dashboard, 'DashboardBody', 'Fn::Sub') as [string, Record<string, unknown>];
    expect(values).toEqual({
      namespace: 'vault/prod',
      service: 'mcp-concerns-dev',
      region: { Ref: 'AWS::Region' },
      function: { Ref: 'McpLambdaFunction' },
    });
    const names = [...body.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !Object.hasOwn(values, name))).toEqual([]);
    const { widgets } = JSON.parse(body.replaceAll(/\$\{(\w+)\}/g, '$1')) as {
      widgets: { properties: { metrics?: unknown[][] } }[];
    };
    expect(widgets).toHaveLength(6);
    const drawn = widgets
      .flatMap(({ properties }) => properties.metrics ?? [])
      .flatMap(([, name]) => (typeof name === 'string' ? name : []));
    expect(drawn.filter((name) => name !== 'Throttles' && !WRITTEN.includes(name))).toEqual([]);
    expect(WRITTEN.filter((name) => !drawn.includes(name))).toEqual([]);
  });

  it('tells the function the namespace', () => {
    const [, lambda] = resourcesOf(packaged).find(([, { Type }]) => Type === 'AWS::Lambda::Function') ?? [];
    expect(read(lambda, 'Properties', 'Environment', 'Variables')).toMatchObject({
      MCP_CONCERNS_METRICS: 'vault/prod',
    });
  });
});

it('has neither a dashboard nor alarms without metrics', async () => {
  const packaged = await template(createCopy().folder, 'policySeconds=30');
  expect(watching(packaged)).toEqual([]);
  expect(packaged).not.toHaveProperty('Conditions');
  const [, lambda] = resourcesOf(packaged).find(([, { Type }]) => Type === 'AWS::Lambda::Function') ?? [];
  expect(read(lambda, 'Properties', 'Environment', 'Variables')).toMatchObject({
    MCP_CONCERNS_METRICS: '',
    MCP_CONCERNS_POLICY: '',
    MCP_CONCERNS_POLICY_SECONDS: '30',
    MCP_CONCERNS_POLICY_REQUIRED: 'false',
  });
});
