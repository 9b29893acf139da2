import { describe, expect, it } from 'vitest';
import { checkSettings } from '../../src/deploy/check-settings.js';
import { packagesOfSettings } from '../../src/deploy/needed-by-settings.js';
import { readSettings } from '../../src/lambda/settings.js';

const check = (environment: Record<string, unknown>, statements?: readonly unknown[]) =>
  checkSettings({ environment, timeout: 29, httpApi: true, statements });
const POLICY = 'MCP_CONCERNS_POLICY';

describe('the packages that settings need', () => {
  it.each([
    [{}, []],
    [{ MCP_CONCERNS_METRICS: 'Vault' }, ['@aws-lambda-powertools/metrics']],
    [{ MCP_CONCERNS_TABLE: 'sessions' }, ['@aws-sdk/client-dynamodb']],
    [{ [POLICY]: 'ssm:/a' }, ['@aws-lambda-powertools/parameters', '@aws-sdk/client-ssm']],
    [{ [POLICY]: 's3://b/k' }, ['@aws-sdk/client-s3']],
    [{ [POLICY]: 'appconfig:a/b/c' }, ['@aws-lambda-powertools/parameters', '@aws-sdk/client-appconfigdata']],
  ])('of %j are %j', (env, packages) => {
    expect(packagesOfSettings(readSettings(env))).toEqual(packages);
  });
});

describe('the role of a function', () => {
  const allow = (Action: unknown, Resource: unknown) => ({ Effect: 'Allow', Action, Resource });
  const SSM = 'arn:aws:ssm:eu-central-1:123456789012:parameter/';

  it.each([
    [
      'ssm:/vault/policy',
      'ssm:GetParameter',
      `arn:aws:ssm:\${aws:region}:\${aws:accountId}:parameter/vault/policy`,
    ],
    ['s3://policies/vault.json', 's3:GetObject', 'arn:aws:s3:::policies/vault.json'],
    [
      'appconfig:a/b/c',
      'appconfig:StartConfigurationSession, appconfig:GetLatestConfiguration',
      `arn:aws:appconfig:\${aws:region}:\${aws:accountId}:application/*`,
    ],
  ])('must allow to read the policy at %s', (url, actions, arn) => {
    expect(() => check({ [POLICY]: url }, [])).toThrow(
      `MCP_CONCERNS_POLICY is ${url}, but the role of the function does not allow ${actions}. Add it to provider.iam.role.statements, for ${arn}.`,
    );
  });

  it.each([
    ['the parameter', allow('ssm:GetParameter', `${SSM}vault/policy`)],
    ['a prefix', allow(['ssm:Get*', 'logs:*'], [`${SSM}vault/*`])],
    ['everything', allow('*', '*')],
    ['a resource that only CloudFormation knows', allow('ssm:GetParameter', { 'Fn::Sub': 'arn' })],
    ['a resource with a variable', allow('ssm:getparameter', `\${Parameter}`)],
  ])('may read the policy if it allows %s', (_, statement) => {
    expect(check({ [POLICY]: 'ssm:/vault/policy' }, [statement]).policy?.url.in).toBe('ssm');
  });

  it.each([
    ['another parameter', allow('ssm:GetParameter', `${SSM}vault/policy2`)],
    ['another action', allow('ssm:PutParameter', `${SSM}vault/policy`)],
    ['nothing', { ...allow('ssm:GetParameter', '*'), Effect: 'Deny' }],
  ])('may not read the policy if it allows %s', (_, statement) => {
    expect(() => check({ [POLICY]: 'ssm:/vault/policy' }, [statement])).toThrow('ssm:GetParameter');
  });

  it('must allow what sessions do with their table', () => {
    const env = { MCP_CONCERNS_TABLE: { Ref: 'SessionsTable' } };
    const table = { 'Fn::GetAtt': ['SessionsTable', 'Arn'] };
    expect(() => check(env, [allow('dynamodb:GetItem', table)])).toThrow(
      'does not allow dynamodb:UpdateItem, dynamodb:PutItem',
    );
    expect(check(env, [allow('dynamodb:*', table)]).sessions.in).toBe('dynamodb');
  });

  it('is not checked if the template does not show it', () => {
    expect(check({ [POLICY]: 'ssm:/vault/policy' }).policy).toBeDefined();
  });
});
