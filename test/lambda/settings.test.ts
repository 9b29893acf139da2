import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/core/lambda/settings.js';

const defaults = {
  sessions: 'memory',
  table: '',
  origins: [],
  issuers: [],
  scopes: [],
  response: 'buffered',
  authorizer: 'none',
  verifiedToken: 'none',
  logSalt: '',
};

describe('the settings of a function', () => {
  it('have safe defaults if the variables are unset or blank', () => {
    expect(readSettings({})).toEqual(defaults);
    const names = [
      'SESSIONS',
      'TABLE',
      'SESSION_SECONDS',
      'ORIGINS',
      'ISSUERS',
      'RESOURCE',
      'SCOPES',
      'RESPONSE',
      'AUTHORIZER',
      'TOKEN',
      'METRICS',
      'POLICY',
      'POLICY_SECONDS',
      'POLICY_REQUIRED',
    ];
    expect(readSettings(Object.fromEntries(names.map((name) => [`MCP_CONCERNS_${name}`, ' '])))).toEqual(
      defaults,
    );
  });

  it('are all read from the environment', () => {
    expect(
      readSettings({
        MCP_CONCERNS_TABLE: 'sessions',
        MCP_CONCERNS_SESSION_SECONDS: '3600',
        MCP_CONCERNS_ORIGINS: 'https://a.example, https://b.example/ ,',
        MCP_CONCERNS_ISSUERS: 'https://login.example/',
        MCP_CONCERNS_RESOURCE: 'https://mcp.example/mcp',
        MCP_CONCERNS_SCOPES: 'read  write',
        MCP_CONCERNS_RESPONSE: 'stream',
        MCP_CONCERNS_AUTHORIZER: 'gateway',
        MCP_CONCERNS_TOKEN: 'authorization',
        MCP_CONCERNS_LOG_SALT: 'prod',
        MCP_CONCERNS_SESSION_SECRET: 'random',
        MCP_CONCERNS_METRICS: 'vault/prod',
        MCP_CONCERNS_POLICY: `s3://policies/vault/policy.json#${'0'.repeat(32)}`,
        MCP_CONCERNS_POLICY_SECONDS: '30',
        MCP_CONCERNS_POLICY_REQUIRED: 'true',
      }),
    ).toEqual({
      sessions: 'dynamodb',
      table: 'sessions',
      expiresAfterSeconds: 3600,
      origins: ['https://a.example', 'https://b.example'],
      issuers: ['https://login.example/'],
      resource: 'https://mcp.example/mcp',
      scopes: ['read', 'write'],
      response: 'stream',
      authorizer: 'gateway',
      verifiedToken: 'authorization',
      logSalt: 'prod',
      sessionSecret: 'random',
      metrics: 'vault/prod',
      policy: {
        url: {
          in: 's3',
          bucket: 'policies',
          key: 'vault/policy.json',
          text: 's3://policies/vault/policy.json',
          digest: '0'.repeat(32),
        },
        maxAgeSeconds: 30,
        required: true,
      },
    });
  });

  it.each(['none', 'memory', 'dynamodb'])('tell where sessions are kept: %s', (sessions) => {
    const env = { MCP_CONCERNS_SESSIONS: sessions, MCP_CONCERNS_TABLE: 'sessions' };
    expect(readSettings(env)).toMatchObject({ sessions, table: 'sessions' });
  });

  it.each([
    ['ssm:/vault/policy', { in: 'ssm', name: '/vault/policy' }],
    ['ssm:policy', { in: 'ssm', name: 'policy' }],
    [
      'appconfig:app/production/policy',
      { in: 'appconfig', application: 'app', environment: 'production', profile: 'policy' },
    ],
  ])('tell where the policy is: %s', (url, parts) => {
    const { policy } = readSettings({ MCP_CONCERNS_POLICY: url });
    expect(policy).toEqual({ url: { ...parts, text: url }, maxAgeSeconds: 60, required: false });
  });

  it.each([
    'https://x.example/policy.json',
    's3://bucket',
    'appconfig:a/b',
    'appconfig:a/b/c/d',
    'ssm:',
    'ssm:a b',
    'ssm:a#12',
    'policy.json',
  ])('do not accept a policy at %s', (url) => {
    expect(() => readSettings({ MCP_CONCERNS_POLICY: url })).toThrow(
      `"${url}" is not a valid value for MCP_CONCERNS_POLICY (ssm:/NAME, s3://BUCKET/KEY or appconfig:APPLICATION/ENVIRONMENT/PROFILE, and #DIGEST after it).`,
    );
  });

  it('accept `*` for all origins', () => {
    expect(readSettings({ MCP_CONCERNS_ORIGINS: '*' }).origins).toEqual(['*']);
  });

  it('are rejected with one message that names every problem', () => {
    const env = {
      MCP_CONCERNS_SESSIONS: 'dynamodb',
      MCP_CONCERNS_SESSION_SECONDS: '1 day',
      MCP_CONCERNS_ORIGINS: 'https://a.example,host.example',
      MCP_CONCERNS_ISSUERS: 'login.example',
      MCP_CONCERNS_RESOURCE: 'mcp.example',
      MCP_CONCERNS_RESPONSE: 'streaming',
      MCP_CONCERNS_POLICY_SECONDS: '0',
      MCP_CONCERNS_METRICS: 'AWS/Lambda',
    };
    expect(() => readSettings(env)).toThrow(
      expect.objectContaining({
        name: 'SettingsError',
        code: 'SETTINGS_INVALID',
        message: [
          'MCP_CONCERNS_TABLE must name the table for sessions.',
          'MCP_CONCERNS_SESSION_SECONDS must be a number of seconds, for example 86400.',
          'MCP_CONCERNS_ORIGINS must contain origins like https://host.example, not host.example.',
          'MCP_CONCERNS_ISSUERS must contain URLs of issuers, not login.example.',
          'MCP_CONCERNS_RESOURCE must contain the URL of the endpoint, not mcp.example.',
          '"streaming" is not a valid value for MCP_CONCERNS_RESPONSE (buffered, stream). Did you mean "stream"?',
          'MCP_CONCERNS_POLICY_SECONDS must be a number of seconds, for example 60.',
          'MCP_CONCERNS_METRICS must be a namespace of CloudWatch: letters, digits and _.-#:/, and not AWS/ at its start.',
        ].join(' '),
      }),
    );
  });
});
