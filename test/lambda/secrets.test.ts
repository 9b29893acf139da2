import { describe, expect, it } from 'vitest';
import { loadSecrets, upstreamHeaders } from '../../src/core/lambda/secrets.js';

const VALUES = new Map([
  ['/mcp/key', 'k-1'],
  ['mcp/database', '{"password":"p-1","port":5432}'],
  ['mcp/plain', 'plain'],
]);
const reader = async (name: string) => VALUES.get(name);
const readers = { ssm: reader, secretsmanager: reader };

describe('secrets', () => {
  it('are read into variables', async () => {
    const env: Record<string, string | undefined> = { EMPTY: '' };
    const sources = {
      KEY: 'ssm:/mcp/key',
      EMPTY: 'secretsmanager:mcp/plain',
      PASSWORD: 'secretsmanager:mcp/database#password',
    };
    await loadSecrets(sources, readers, env);
    expect(env).toEqual({ KEY: 'k-1', EMPTY: 'plain', PASSWORD: 'p-1' });
  });

  it('do not replace a variable that is set, and then are not read', async () => {
    const env = { KEY: 'local' };
    await loadSecrets({ KEY: 'ssm:/mcp/key' }, {}, env);
    expect(env).toEqual({ KEY: 'local' });
  });

  it.each([
    ['ssm:/mcp/missing', 'is empty or not text'],
    ['secretsmanager:mcp/database#port', 'is empty or not text'],
    ['secretsmanager:mcp/database#__proto__', 'is empty or not text'],
    // A parser would quote the secret in its error.
    ['secretsmanager:mcp/plain#key', 'is empty or not text'],
  ])('that cannot be used are refused: %s', async (source, message) => {
    const failed = loadSecrets({ KEY: source }, readers, {});
    await expect(failed).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
      message: expect.stringContaining(`${source}, the value of KEY, ${message}`),
    });
    await failed.catch(({ cause }) => expect(cause).toBeUndefined());
  });

  it('that AWS refuses keep the reason as the cause, but not the value of another secret', async () => {
    const cause = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
    const ssm = () => Promise.reject(cause);
    const failed = loadSecrets({ KEY: 'ssm:/mcp/key' }, { ssm }, { OTHER: 's3cret' });
    await expect(failed).rejects.toMatchObject({
      cause,
      message: expect.stringContaining('(AccessDeniedException)'),
    });
    await expect(failed).rejects.not.toThrow('s3cret');
  });
});

describe('headers for a remote server', () => {
  it('have the values of their variables', () => {
    expect(
      upstreamHeaders({ Authorization: 'TOKEN', 'X-Team': 'TEAM' }, { TOKEN: 'Bearer x', TEAM: 'a' }),
    ).toEqual({
      Authorization: 'Bearer x',
      'X-Team': 'a',
    });
  });

  it('are refused if a variable is not set or blank', () => {
    const variables = { Authorization: 'TOKEN', 'X-Team': 'TEAM', 'X-Set': 'SET' };
    expect(() => upstreamHeaders(variables, { TEAM: ' ', SET: 'x' })).toThrow(
      expect.objectContaining({
        code: 'SETTINGS_INVALID',
        message:
          'Variables for headers of the remote server are not set: TOKEN (header Authorization), TEAM (header X-Team).',
      }),
    );
  });
});
