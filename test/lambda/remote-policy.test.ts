import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CompiledPolicy } from '../../src/core/engine/policy.js';
import { LivePolicy } from '../../src/core/gate/request/live-policy.js';
import { createHandler } from '../../src/core/http/sdk-v1.js';
import type { BufferedHandler } from '../../src/core/lambda/buffered.js';
import { createFunction } from '../../src/core/lambda/function.js';
import { openCompiledPolicy } from '../../src/core/policy/compile/compiled.js';
import { reportOf } from '../policy/author.js';
import { type LocalAws, startAws } from './aws.js';
import { httpEvent, rpc, toolsOf } from './events.js';

const lines: Record<string, unknown>[] = [];
let aws: LocalAws;
beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.close());
beforeEach(() => {
  lines.length = 0;
  aws.texts.clear();
  aws.reads.length = 0;
  aws.status = 200;
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  for (const [name, value] of Object.entries(aws.env)) vi.stubEnv(name, value);
  for (const level of ['info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** @returns the compiled policy that hides one tool from everyone */
function hiding(tool: string): CompiledPolicy {
  const { compiled } = reportOf({
    'policy.yaml': `
version: 1
concerns: { level: { values: [low, high], default: high } }
primitives: { tools: { ${tool}: { level: low } } }
settings: { defaults: always }
`,
  });
  if (compiled === undefined) throw new Error('The policy has errors.');
  return compiled;
}
const [ONE, TWO, THREE] = [hiding('one'), hiding('two'), hiding('three')];

function server(): McpServer {
  const made = new McpServer({ name: 'three', version: '1' });
  for (const name of ['one', 'two', 'three']) made.registerTool(name, {}, () => ({ content: [] }));
  return made;
}
const make = (url: string, more: Record<string, string> = {}): BufferedHandler =>
  createFunction({
    server,
    policy: openCompiledPolicy(ONE),
    env: { MCP_CONCERNS_SESSIONS: 'none', MCP_CONCERNS_POLICY: url, ...more },
    response: 'buffered',
  });
/** @returns the tools that a function hides */
async function hidden(handler: BufferedHandler): Promise<string[]> {
  const shown = toolsOf(await handler(httpEvent('POST', rpc('tools/list'))));
  return ['one', 'two', 'three'].filter((name) => !shown.includes(name));
}
const later = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);
const text = (policy: object) => JSON.stringify(policy);
const events = () => lines.filter(({ message }) => String(message).startsWith('policy'));

describe('a policy outside the function', () => {
  it.each([
    ['ssm:/vault/policy', 'ssm:/vault/policy'],
    ['s3://policies/vault/policy.json', 's3:policies/vault/policy.json'],
    ['appconfig:vault/production/policy', 'appconfig:vault/production/policy'],
  ])(
    'replaces the packaged policy before the first answer, and again when it changes: %s',
    async (url, place) => {
      aws.texts.set(place, text(TWO));
      const handler = make(url);
      expect(await hidden(handler)).toEqual(['two']);
      aws.texts.set(place, text(THREE));
      expect(await hidden(handler)).toEqual(['two']);
      later(61);
      expect(await hidden(handler)).toEqual(['three']);
      later(61);
      expect(await hidden(handler)).toEqual(['three']);
      expect(aws.reads).toEqual([place, place, place]);
      expect(events()).toMatchObject([
        { level: 'INFO', message: 'policy replaced', url, policy: TWO.digest, before: ONE.digest },
        { level: 'INFO', message: 'policy replaced', url, policy: THREE.digest, before: TWO.digest },
      ]);
    },
  );

  it('is read once by requests that arrive together', async () => {
    aws.texts.set('ssm:policy', text(TWO));
    const handler = make('ssm:policy');
    expect(await Promise.all([hidden(handler), hidden(handler), hidden(handler)])).toEqual([
      ['two'],
      ['two'],
      ['two'],
    ]);
    expect(aws.reads).toEqual(['ssm:policy']);
  });

  it('is read again after the seconds of the setting', async () => {
    aws.texts.set('ssm:policy', text(TWO));
    const handler = make('ssm:policy', { MCP_CONCERNS_POLICY_SECONDS: '5' });
    await hidden(handler);
    later(4);
    await hidden(handler);
    expect(aws.reads).toHaveLength(1);
    later(2);
    await hidden(handler);
    expect(aws.reads).toHaveLength(2);
  });

  it('can be a pointer: to roll back is to store the earlier pointer', async () => {
    const pointer = (policy: { digest: string }) => `s3://policies/${policy.digest}.json#${policy.digest}\n`;
    for (const policy of [TWO, THREE]) aws.texts.set(`s3:policies/${policy.digest}.json`, text(policy));
    const handler = make('ssm:pointer');
    for (const [policy, name] of [
      [TWO, 'two'],
      [THREE, 'three'],
      [TWO, 'two'],
    ] as const) {
      aws.texts.set('ssm:pointer', pointer(policy));
      expect(await hidden(handler)).toEqual([name]);
      later(61);
    }
    aws.reads.length = 0;
    await hidden(handler);
    // The digest of the pointer is that of the policy in effect, so the policy is not read again.
    expect(aws.reads).toEqual(['ssm:pointer']);
  });

  it.each([
    ['is missing', undefined, /ParameterNotFound|none/],
    ['is not JSON', 'concerns: {}', /neither a compiled policy nor a URL of one/],
    ['is empty', '', /neither a compiled policy nor a URL of one|has no content|not found/],
    ['is not a policy', '{"a":1}', /not a compiled policy/],
    [
      'was edited',
      text({ ...TWO, settings: { ...TWO.settings, unmapped: 'hide' } }),
      /digest does not match/,
    ],
    ['is truncated', text(TWO).slice(0, 100), /neither a compiled policy nor a URL of one/],
    ['has another format', text({ ...TWO, format: 99 }), /format version 99/],
    [
      'is not the one of the digest',
      `s3://policies/two.json#${'0'.repeat(32)}`,
      /has the digest .* is required/,
    ],
    ['points to a pointer', 'ssm:policy', /neither a compiled policy nor a URL of one/],
  ])('is refused if it %s; the last good one stays', async (_how, bad, reason) => {
    aws.texts.set('s3:policies/two.json', text(TWO));
    aws.texts.set('ssm:policy', text(THREE));
    const handler = make('ssm:policy');
    expect(await hidden(handler)).toEqual(['three']);
    later(100);
    if (bad === undefined) aws.texts.delete('ssm:policy');
    else aws.texts.set('ssm:policy', bad);
    expect(await hidden(handler)).toEqual(['three']);
    expect(events().slice(1)).toMatchObject([
      { level: 'WARN', message: 'policy kept', policy: THREE.digest, ageSeconds: 100, url: 'ssm:policy' },
    ]);
    expect(JSON.stringify(events()[1])).toMatch(reason);
    // It is not read again at once: each read of a missing policy would delay a request.
    const reads = aws.reads.length;
    expect(await hidden(handler)).toEqual(['three']);
    expect(aws.reads).toHaveLength(reads);
    later(61);
    aws.texts.set('ssm:policy', text(TWO));
    expect(await hidden(handler)).toEqual(['two']);
  });

  it.each([403, 500])('that cannot be read leaves the packaged one in effect (%s)', async (status) => {
    aws.status = status;
    const handler = make('s3://policies/two.json');
    expect(await hidden(handler)).toEqual(['one']);
    expect(events()).toMatchObject([{ level: 'WARN', message: 'policy kept', policy: ONE.digest }]);
    aws.status = 200;
    aws.texts.set('s3:policies/two.json', text(TWO));
    later(61);
    expect(await hidden(handler)).toEqual(['two']);
  });

  it('that never answers delays a request only for a while', async () => {
    aws.status = 0;
    expect(await hidden(make('ssm:policy'))).toEqual(['one']);
    expect(events()).toMatchObject([{ message: 'policy kept', error: { message: expect.any(String) } }]);
  });

  it('with a digest in the setting is the only one that is accepted, and is read once', async () => {
    aws.texts.set('s3:policies/policy.json', text(TWO));
    const handler = make(`s3://policies/policy.json#${TWO.digest}`);
    expect(await hidden(handler)).toEqual(['two']);
    aws.texts.set('s3:policies/policy.json', text(THREE));
    later(61);
    expect(await hidden(handler)).toEqual(['two']);
    expect(aws.reads).toHaveLength(1);
  });

  it('replaces the policy of a handler that has the same LivePolicy', async () => {
    aws.texts.set('ssm:policy', text(TWO));
    const policy = new LivePolicy(openCompiledPolicy(ONE));
    const env = { MCP_CONCERNS_SESSIONS: 'none', MCP_CONCERNS_POLICY: 'ssm:policy' };
    const handler = (store?: Parameters<typeof createHandler>[0]['store']) =>
      createHandler({ server, policy, store });
    expect(await hidden(createFunction({ policy, handler, env, response: 'buffered' }))).toEqual(['two']);
    const fixed = openCompiledPolicy(ONE);
    expect(() => createFunction({ policy: fixed, handler, env, response: 'buffered' })).toThrow(
      expect.objectContaining({
        code: 'SETTINGS_INVALID',
        message: expect.stringContaining('Pass the same LivePolicy'),
      }),
    );
  });
});
