import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/core/lambda/settings.js';
import { packagesOfSettings } from '../../src/deploy/needed-by-settings.js';
import { readingStatements } from '../../src/deploy/secrets.js';

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
  const allow = (action: string, arn: string) => ({
    Effect: 'Allow',
    Action: [action],
    Resource: [{ 'Fn::Sub': arn }],
  });
  const DIGEST = '#0123456789abcdef0123456789abcdef';

  it.each([
    [
      'the parameter',
      `ssm:/vault/policy${DIGEST}`,
      allow(
        'ssm:GetParameter',
        `arn:\${AWS::Partition}:ssm:\${AWS::Region}:\${AWS::AccountId}:parameter/vault/policy`,
      ),
    ],
    [
      'the object',
      `s3://policies/vault.json${DIGEST}`,
      allow('s3:GetObject', `arn:\${AWS::Partition}:s3:::policies/vault.json`),
    ],
  ])('may read %s of the policy', (_, url, statement) => {
    expect(readingStatements(undefined, url)).toEqual([statement]);
  });

  it.each([
    ['the ids of AppConfig are not known', 'appconfig:a/b/c'],
    ['CloudFormation alone knows the URL', { Ref: 'PolicyUrl' }],
    ['there is no URL', undefined],
  ])('gets no statement if %s', (_, url) => {
    expect(readingStatements(undefined, url)).toEqual([]);
  });
});
