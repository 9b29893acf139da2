import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/lambda/settings.js';

const defaults = {
  sessions: { in: 'memory' },
  origins: [],
  issuers: [],
  scopes: [],
  response: 'buffered',
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
        MCP_CONCERNS_LOG_SALT: 'prod',
      }),
    ).toEqual({
      sessions: { in: 'dynamodb', table: 'sessions' },
      expiresAfterSeconds: 3600,
      origins: ['https://a.example', 'https://b.example'],
      issuers: ['https://login.example/'],
      resource: 'https://mcp.example/mcp',
      scopes: ['read', 'write'],
      response: 'stream',
      logSalt: 'prod',
    });
  });

  it.each([
    ['none', { in: 'nowhere' }],
    ['memory', { in: 'memory' }],
    ['dynamodb', { in: 'dynamodb', table: 'sessions' }],
  ])('tell where sessions are kept: %s', (sessions, kept) => {
    const env = { MCP_CONCERNS_SESSIONS: sessions, MCP_CONCERNS_TABLE: 'sessions' };
    expect(readSettings(env).sessions).toEqual(kept);
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
        ].join(' '),
      }),
    );
  });
});
