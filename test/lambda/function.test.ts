import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createVaultServer } from '../../examples/vault/server.js';
import type { BufferedHandler } from '../../src/core/lambda/buffered.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { loadPolicy } from '../../src/core/policy/compile/load.js';
import { ACCOUNT, type LocalDynamo, liftLimits, startDynamo } from '../session/dynamo.js';
import { httpEvent, initialize, rpc, toolsOf, withClaims } from './events.js';

const lines: { level: string; message: string }[] = [];
let dynamo: LocalDynamo;
beforeAll(async () => {
  dynamo = await startDynamo();
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('AWS_REGION', ACCOUNT.region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCOUNT.credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', ACCOUNT.credentials.secretAccessKey);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', dynamo.endpoint);
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
});
beforeEach(() => {
  lines.length = 0;
});
let setLimits = (): void => undefined;
afterEach(() => setLimits());
afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await dynamo.close();
});

const policy = loadPolicy('policies/vault.yaml');
const make = (env: Record<string, string>) =>
  createFunction({ server: () => createVaultServer(), policy, env }) as BufferedHandler;

describe('createFunction', () => {
  it('keeps sessions in the table that the environment variables name, where another instance finds them', async () => {
    const env = { MCP_CONCERNS_TABLE: await dynamo.table() };
    setLimits = liftLimits();
    const [one, other] = [make(env), make(env)];
    const opened = await one(
      httpEvent('POST', initialize({ concerns: { security: 'high', cost: 'minimal' } })),
    );
    const headers = { 'mcp-session-id': opened.headers['mcp-session-id'] ?? '' };
    expect(toolsOf(await other(httpEvent('POST', rpc('tools/list'), { headers })))).toHaveLength(9);
    expect(lines.map(({ level }) => level)).toEqual(['INFO', 'INFO']);
  });

  it('opens the session ids of other instances only with their secret', async () => {
    const status = async (secret: string, other: string): Promise<number> => {
      // Each function has a memory of its own, as each environment has.
      const [one, two] = [secret, other].map((text) => make({ MCP_CONCERNS_SESSION_SECRET: text }));
      const opened = await one?.(httpEvent('POST', initialize({ concerns: { security: 'high' } })));
      const headers = { 'mcp-session-id': opened?.headers['mcp-session-id'] ?? '' };
      return (await two?.(httpEvent('POST', rpc('tools/list'), { headers })))?.statusCode ?? 0;
    };
    expect(await status('same', 'same')).toBe(200);
    expect(await status('one', 'two')).toBe(404);
  });

  it('warns at the start that sessions in memory are not shared', async () => {
    make({});
    expect(lines).toMatchObject([
      {
        level: 'WARN',
        message: expect.stringContaining(
          'other environments that Lambda starts do not have their preferences',
        ),
      },
    ]);
  });

  it('has no sessions if the environment variables turn them off', async () => {
    const opened = await make({ MCP_CONCERNS_SESSIONS: 'none' })(httpEvent('POST', initialize()));
    expect(opened.headers).not.toHaveProperty('mcp-session-id');
    expect(lines.filter(({ level }) => level === 'WARN')).toEqual([]);
  });

  it('keeps preferences per caller, in the table, if the option says so', async () => {
    const env = { MCP_CONCERNS_TABLE: await dynamo.table() };
    setLimits = liftLimits();
    const make = (more: Record<string, string> = env) =>
      createFunction({
        server: () => createVaultServer(),
        policy,
        env: more,
        preferences: 'principal',
      }) as BufferedHandler;
    const [one, other] = [make(), make()];
    const as = (sub: string, method: string, params?: object) =>
      withClaims(httpEvent('POST', rpc(method, params)), { iss: 'https://login.example', sub });
    const updated = await one(
      as('ada', 'updateConcerns', { concerns: { security: 'high', cost: 'minimal' } }),
    );
    expect(updated.statusCode).toBe(200);
    expect(toolsOf(await other(as('ada', 'tools/list')))).toHaveLength(9);
    expect(lines.at(-1)).toMatchObject({ sources: { security: 'principal', cost: 'principal' } });
    expect(toolsOf(await other(as('bob', 'tools/list')))).toHaveLength(24);
    expect(() => make({ MCP_CONCERNS_SESSIONS: 'none' })).toThrow(/MCP_CONCERNS_SESSIONS is none/);
  });

  it('requires tokens of the issuers that the environment variables name', async () => {
    const env = {
      MCP_CONCERNS_ISSUERS: 'https://login.example/',
      MCP_CONCERNS_RESOURCE: 'https://mcp.example/mcp',
    };
    const refused = await make(env)(httpEvent('POST', rpc('tools/list')));
    expect(refused).toMatchObject({
      statusCode: 401,
      headers: {
        'www-authenticate':
          'Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"',
      },
    });
  });

  it('does not start if nothing verifies the required tokens, or if a setting is not valid', () => {
    const stream = { MCP_CONCERNS_RESPONSE: 'stream', MCP_CONCERNS_ISSUERS: 'https://login.example/' };
    expect(() => make(stream)).toThrow(expect.objectContaining({ code: 'STREAMING_INVALID' }));
    expect(() => make({ MCP_CONCERNS_SESSIONS: 'redis' })).toThrow(
      '"redis" is not a valid value for MCP_CONCERNS_SESSIONS (dynamodb, memory, none).',
    );
  });
});
