import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@aws-lambda-powertools/logger';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createHandler as createHandlerV2 } from '../../../src/core/http/sdk-v2.js';
import type { BufferedHandler } from '../../../src/core/lambda/buffered.js';
import { createFunction, type ServerFunctionOptions } from '../../../src/core/lambda/function.js';
import { createLog } from '../../../src/core/lambda/log.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { createMemoryStore } from '../../../src/core/session/memory.js';
import { PROTOCOL_VERSION_META } from '../../../src/core/wire/messages.js';
import { MAIN } from '../../cli/run.js';
import { httpEvent, rpc, withClaims } from '../events.js';

const folder = mkdtempSync(join(tmpdir(), 'outcomes-'));
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const POLICY = `
version: 1
concerns:
  risk: { values: [low, high] }
  tier: { values: [free, pro], match: at-most, set-by: operator, claim: tier, default: free }
primitives:
  tools: { add: { risk: low }, remove: { risk: high }, fail: { risk: low }, paid: { tier: pro } }
rules:
  - { id: no-audit, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, audit] }, { var: claims.external }] }, reason: Only our own people read the audit. }
settings: { enforcement: ENFORCEMENT }
`;
const advisory = write('advisory.yaml', POLICY.replace('ENFORCEMENT', 'advisory'));
const enforced = write('enforced.yaml', POLICY.replace('ENFORCEMENT', 'enforce'));

const lines: Record<string, unknown>[] = [];
beforeEach(() => {
  lines.length = 0;
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function server(): McpServer {
  const made = new McpServer({ name: 'outcomes', version: '1' });
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
  for (const name of ['add', 'remove', 'paid', 'audit']) made.registerTool(name, {}, () => text('done'));
  made.registerTool('fail', { inputSchema: { why: z.string().optional() } }, () => ({
    ...text('it failed'),
    isError: true,
  }));
  made.registerTool('wait', {}, () => new Promise(() => undefined));
  made.registerPrompt('greet', {}, () => ({ messages: [] }));
  made.registerResource('notes', 'notes://all', {}, () => ({ contents: [{ uri: 'notes://all', text: '' }] }));
  return made;
}
const make = (policy: string, options: Partial<ServerFunctionOptions> = {}): BufferedHandler =>
  createFunction({
    server,
    policy: loadPolicy(policy),
    store: createMemoryStore(),
    log: createLog(new Logger({ serviceName: 'test' })),
    ...options,
    env: {},
    response: 'buffered',
  });
const call = (name: unknown, args: object = {}, meta?: object) =>
  rpc('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
const about = (method: string) => lines.filter((line) => line['mcp.method.name'] === method);

describe('the log tells the outcome of', () => {
  it('a call: the tool, the policy, and no error', async () => {
    await make(advisory)(httpEvent('POST', call('add')));
    expect(lines).toMatchObject([
      {
        level: 'INFO',
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'add',
        policy: loadPolicy(advisory).digest,
      },
    ]);
    expect(lines[0]).not.toHaveProperty('error.type');
  });

  it.each([advisory, enforced])('a tool that reports a failure (%#)', async (policy) => {
    await make(policy)(httpEvent('POST', call('fail')));
    expect(lines).toMatchObject([
      { level: 'WARN', 'gen_ai.tool.name': 'fail', isError: true, 'error.type': 'tool_error' },
    ]);
  });

  it.each([
    [
      'an unknown method',
      rpc('no/such', {}),
      { 'mcp.method.name': 'other', 'error.type': '-32601', errorClass: 'method-not-found' },
    ],
    [
      'an unknown prompt',
      rpc('prompts/get', { name: 'nothing' }),
      { 'gen_ai.prompt.name': '(not in the catalog)', errorClass: 'invalid-params' },
    ],
    [
      'an unknown resource',
      rpc('resources/read', { uri: 'notes://none' }),
      {
        'mcp.resource.uri': '(not in the catalog)',
        errorClass: expect.stringMatching(/invalid-params|resource-not-found/),
      },
    ],
    [
      'a cursor that is not valid',
      rpc('tools/list', { cursor: 'x' }),
      { errorClass: 'invalid-params', 'rpc.response.status_code': '-32602' },
    ],
  ])('%s', async (_what, body, expected) => {
    const handler = make(enforced);
    await handler(httpEvent('POST', body, { headers: { 'mcp-concerns': 'risk=low' } }));
    expect(lines).toMatchObject([{ level: 'WARN', ...expected }]);
  });

  it('a call that the time ran out for', async () => {
    const late = { awsRequestId: 'late', getRemainingTimeInMillis: () => 700 };
    await make(advisory)(httpEvent('POST', call('wait')), late);
    expect(about('tools/call')).toMatchObject([{ level: 'WARN', 'error.type': 'closed' }]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'ERROR', message: 'request failed' }));
  });

  it('each request of a batch', async () => {
    await make(advisory)(
      httpEvent('POST', [
        rpc('tools/call', { name: 'add' }, 1),
        rpc('tools/call', { name: 'fail' }, 2),
        rpc('no/such', {}, 3),
      ]),
    );
    expect(lines.map((line) => [line['gen_ai.tool.name'], line['error.type']]).sort()).toEqual(
      [
        [undefined, '-32601'],
        ['add', undefined],
        ['fail', 'tool_error'],
      ].sort(),
    );
  });

  it('requests of both eras of SDK v2', async () => {
    const policy = loadPolicy(advisory);
    const v2 = () => {
      const made = new McpServerV2({ name: 'v2', version: '1' });
      made.registerTool('fail', {}, () => ({ content: [], isError: true }));
      return made;
    };
    const handler = createFunction({
      policy,
      handler: (store) => createHandlerV2({ server: v2, policy, store }),
      log: createLog(new Logger({ serviceName: 'test' })),
      env: { MCP_CONCERNS_SESSIONS: 'none' },
      response: 'buffered',
    });
    const meta = {
      [PROTOCOL_VERSION_META]: '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'fail' };
    await handler(httpEvent('POST', call('fail')));
    await handler(httpEvent('POST', call('fail', {}, meta), { headers }));
    expect(lines).toMatchObject([
      { era: 'legacy', 'gen_ai.tool.name': 'fail', isError: true },
      { era: 'modern', 'gen_ai.tool.name': 'fail', isError: true },
    ]);
  });
});

describe('a name in the log', () => {
  it('is one that the policy, a list or an answer of the server has; any other is marked', async () => {
    const handler = make(advisory);
    // The policy has it, although the call fails.
    await handler(httpEvent('POST', call('fail')));
    // Neither the policy nor a list has these, and the first fails.
    await handler(httpEvent('POST', call('wait-for-it')));
    await handler(httpEvent('POST', call('audit')));
    const names = () => about('tools/call').map((line) => line['gen_ai.tool.name']);
    expect(names()).toEqual(['fail', '(not in the catalog)', 'audit']);
    lines.length = 0;
    const other = make(advisory);
    await other(httpEvent('POST', rpc('tools/list'), { headers: { 'mcp-concerns': 'risk=low' } }));
    await other(httpEvent('POST', call('audit')));
    await other(httpEvent('POST', rpc('resources/read', { uri: 'notes://all' })));
    await other(httpEvent('POST', rpc('resources/list')));
    await other(httpEvent('POST', rpc('resources/read', { uri: 'notes://all' })));
    expect(names()).toEqual(['audit']);
    // A URI may contain arguments, so an answer alone does not make it known.
    expect(about('resources/read').map((line) => line['mcp.resource.uri'])).toEqual([
      '(not in the catalog)',
      'notes://all',
    ]);
  });
});

describe('a log line belongs to', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('the trace in _meta (SEP-414), and the trace of X-Ray', async () => {
    const headers = {
      'x-amzn-trace-id': 'Self=1-00000000-0;Root=1-67891233-abcdef012345678912345678;Sampled=1',
    };
    await make(advisory)(httpEvent('POST', call('add', {}, { traceparent }), { headers }));
    await make(advisory)(httpEvent('POST', call('add', {}, { traceparent: `${traceparent}-x` })));
    expect(lines[0]).toMatchObject({
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      span_id: 'b7ad6b7169203331',
      xray_trace_id: '1-67891233-abcdef012345678912345678',
    });
    for (const name of ['trace_id', 'span_id', 'xray_trace_id']) expect(lines[1]).not.toHaveProperty(name);
  });

  it('no caller without a secret salt, because anyone could hash a name and compare', async () => {
    const event = withClaims(httpEvent('POST', call('add')), { iss: 'https://login.example/', sub: 'alice' });
    await make(advisory)(event);
    expect(lines[0]).toHaveProperty('durationMs');
    expect(lines[0]).not.toHaveProperty('caller');
  });

  it('a caller, who is named by a hash', async () => {
    const handler = make(advisory, { logSalt: 'salt' });
    const by = (sub: string) =>
      withClaims(httpEvent('POST', call('add')), { iss: 'https://login.example/', sub });
    await handler(by('alice'));
    await handler(by('bob'));
    await handler(by('alice'));
    await handler(httpEvent('POST', call('add')));
    const callers = lines.map(({ caller }) => caller);
    expect(callers[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(callers[1]).not.toBe(callers[0]);
    expect(callers.slice(2)).toEqual([callers[0], undefined]);
    expect(JSON.stringify(lines)).not.toContain('alice');
  });
});

describe('replay makes the decision of a log line again', () => {
  const catalog = write(
    'catalog.json',
    JSON.stringify({ tools: ['add', 'remove', 'paid', 'audit', 'fail', 'wait'].map((name) => ({ name })) }),
  );
  const replay = async (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> => {
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [MAIN, 'why', ...args]);
      return { code: 0, stdout, stderr };
    } catch (cause) {
      return cause as { code: number; stdout: string; stderr: string };
    }
  };
  /** @returns the only line that was logged, as the function wrote it */
  const onlyLine = (): string => {
    expect(lines).toHaveLength(1);
    return JSON.stringify(lines[0]);
  };
  const headers = { 'mcp-concerns': 'risk=low' };

  it('of a hidden tool: who asked for what, why it was hidden, under which policy', async () => {
    const event = withClaims(httpEvent('POST', call('remove', { key: 'K' }), { headers }), {
      sub: 'alice',
      tier: 'free',
    });
    await make(enforced, { logSalt: 'salt' })(event, { awsRequestId: 'request-9' });
    const line = onlyLine();
    expect(lines[0]).toMatchObject({
      level: 'WARN',
      'gen_ai.tool.name': 'remove',
      caller: expect.any(String),
      concerns: { risk: 'low', tier: 'free' },
      sources: { risk: 'header', tier: 'claim' },
      effect: 'hide',
      reason: { code: 'concern-mismatch', concern: 'risk', preferred: ['low'], actual: ['high'] },
      policy: loadPolicy(enforced).digest,
      // SDK v1 answers so for a tool that it does not have.
      'error.type': 'tool_error',
    });
    const { code, stdout } = await replay(enforced, line, '--catalog', catalog);
    expect(stdout).toMatch(/^The same decision: tools\/call remove\n/);
    expect(stdout).toContain('in effect risk=low (header), tier=free (claim)');
    expect(stdout).toContain('hidden: its risk is high, but low is in effect (');
    expect(stdout).toContain(`caller    ${String(lines[0]?.caller)}`);
    expect(stdout).toContain(`policy    ${loadPolicy(enforced).digest}`);
    expect(code).toBe(0);
  });

  it('of a tool that an operator concern or a rule hides, without the claims', async () => {
    const handler = make(enforced);
    await handler(httpEvent('POST', call('paid'), { headers }));
    const paid = onlyLine();
    expect(lines[0]).toMatchObject({ reason: { concern: 'tier' }, sources: { tier: 'default' } });
    expect(await replay(paid, '--policy', enforced, '--catalog', catalog)).toMatchObject({ code: 0 });
    lines.length = 0;
    await handler(withClaims(httpEvent('POST', call('audit'), { headers }), { external: 'S3CR3T' }));
    const audit = onlyLine();
    expect(audit).not.toContain('S3CR3T');
    expect(lines[0]).toMatchObject({ effect: 'hide', reason: { code: 'rule', rule: 'no-audit' } });
    // A claim that is not known hides, too.
    expect(await replay(audit, '--policy', enforced, '--catalog', catalog)).toMatchObject({ code: 0 });
    const given = await replay(audit, '--policy', enforced, '--catalog', catalog, '--claim', 'external=yes');
    expect(given).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The same decision/) });
  });

  it('of a list, with the compiled policy, from a file with other lines and other text', async () => {
    const handler = make(enforced);
    for (const value of ['low', 'high']) {
      await handler(httpEvent('POST', rpc('tools/list'), { headers: { 'mcp-concerns': `risk=${value}` } }));
    }
    await handler(httpEvent('GET'));
    const compiled = join(folder, 'compiled.json');
    await promisify(execFile)(process.execPath, [MAIN, 'compile', enforced, '-o', compiled]);
    const [one, two, three] = lines.map((line) => JSON.stringify(line));
    const wrapped = JSON.stringify({ timestamp: 1, message: two });
    const log = write(
      'log.txt',
      `2026-11-20T13:02:39Z stream ${one}\n\n${wrapped}\nSTART RequestId: 1\n${three}\n`,
    );
    const { code, stdout, stderr } = await replay(
      log,
      '--policy',
      compiled,
      '--catalog',
      catalog,
      '--format',
      'json',
    );
    expect(stderr).toBe('note: 2 of 4 lines have no decision.\n');
    const shown = (policy: unknown) => ({ same: true, intact: true, differences: [], replayed: policy });
    expect(JSON.parse(stdout)).toMatchObject([
      shown({ shown: 3, total: 6, hidden: { concerns: { risk: 1, tier: 1 }, rules: { 'no-audit': 1 } } }),
      shown({ shown: 2, total: 6, hidden: { concerns: { risk: 2, tier: 1 }, rules: { 'no-audit': 1 } } }),
    ]);
    expect(code).toBe(0);
  });

  it('and says what differs: the policy, the catalog, or the line itself', async () => {
    await make(enforced)(httpEvent('POST', rpc('tools/list'), { headers }));
    const line = onlyLine();
    const other = write(
      'other.yaml',
      POLICY.replace('ENFORCEMENT', 'enforce').replace('remove: { risk: high }', 'remove: { risk: low }'),
    );
    const policy = await replay(line, '--policy', other, '--catalog', catalog);
    expect(policy).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Another decision[\s\S]*The policy is not the one of the line\./),
    });
    expect(policy.stdout).toContain('shown: 3 in the line, 4 now');
    const more = write('more.json', JSON.stringify({ tools: [{ name: 'add' }, { name: 'new' }] }));
    expect(await replay(line, '--policy', enforced, '--catalog', more)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        'The catalog is not the one of the line: it has another number of primitives.',
      ),
    });
    const edited = line.replace('"shown":3', '"shown":4');
    expect(await replay(edited, '--policy', enforced, '--catalog', catalog)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The line was changed after it was written'),
    });
  });

  it.each([
    ['{"level":"INFO"}', /has no decision\. Pass/],
    ['{', /has no decision\. Pass/],
    ['nowhere.log', /^mcp-concerns: nowhere\.log cannot be read \(it does not exist\)/],
  ])('and refuses what is not a log line: %s', async (given, message) => {
    const { code, stderr } = await replay(given, '--policy', enforced, '--catalog', catalog);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });
});
