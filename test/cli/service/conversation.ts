import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, vi } from 'vitest';
import { createFunction } from '../../../src/core/lambda/function.js';
import { loadPolicy } from '../../../src/core/policy/compile/load.js';
import { EXTENSION_ID, read } from '../../../src/core/wire/messages.js';
import { isolateUpstream } from '../../../src/proxy/isolation.js';
import { ChildTransport } from '../../../src/proxy/wires/child-process.js';
import { httpEvent, rpc, withClaims } from '../../lambda/events.js';
import { AUDIENCE, startIssuer } from './issuer.js';
import { listening, send, startServiceWith } from './service.js';

const SERVER = fileURLToPath(new URL('../fixtures/operations-server.mjs', import.meta.url));
export const SALT = 'a-salt-that-both-hosts-know';
export const path = join(mkdtempSync(join(tmpdir(), 'same-lines-')), 'policy.yaml');
writeFileSync(
  path,
  `version: 1
concerns:
  effect: { values: [read, write], match: at-most, default: write }
  plan: { values: [free, pro], match: at-most, set-by: operator, claim: plan, default: free }
primitives:
  tools:
    look: { effect: read }
    wipe: { effect: write, plan: pro }
    fail: { effect: read }
    broken: { effect: read }
settings: { enforcement: enforce, defaults: always, unmapped: show }
`,
);

export const login = await startIssuer();
afterAll(() => login.close());

const CLAIMS = { iss: login.issuer, sub: 'anna', plan: 'free' };
const HOST = { clientInfo: { name: 'host', version: '1' }, protocolVersion: '2025-11-25' };
export const CONVERSATION = [
  rpc('initialize', {
    ...HOST,
    capabilities: { extensions: { [EXTENSION_ID]: { concerns: { effect: 'read' } } } },
  }),
  rpc('tools/list', {}, 2),
  rpc('updateConcerns', { concerns: { effect: 'write' } }, 3),
  rpc('tools/list', {}, 4),
  rpc('tools/call', { name: 'wipe', arguments: {} }, 5),
  rpc('tools/call', { name: 'fail', arguments: {} }, 6),
  rpc('tools/call', { name: 'broken', arguments: {} }, 7),
  rpc('tools/call', { name: 'look', arguments: {} }, 8),
];

export type Line = Readonly<Record<string, unknown>>;

const written: Line[] = [];
beforeEach(() => {
  written.length = 0;
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line: string) => void written.push(JSON.parse(line)));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Has the conversation through a function. Returns the lines of its log. */
export async function throughFunction(): Promise<readonly Line[]> {
  const open = () => new ChildTransport(process.execPath, [SERVER]);
  const upstream = isolateUpstream(open, 'shared', { name: 'operations' });
  const handler = createFunction({
    policy: loadPolicy(path),
    server: (request, given) =>
      upstream.make({ era: 'legacy', requestInfo: request, authInfo: given?.authInfo }),
    env: { MCP_CONCERNS_LOG_SALT: SALT, MCP_CONCERNS_SESSIONS: 'memory' },
    response: 'buffered',
  });
  const headers: Record<string, string> = {};
  for (const message of CONVERSATION) {
    const event = withClaims(httpEvent('POST', message, { headers }), CLAIMS);
    const result = await handler(event, { awsRequestId: 'one' });
    headers['mcp-session-id'] ??= String(read(result, 'headers', 'mcp-session-id'));
  }
  await upstream.close();
  return written;
}

/** Has the same conversation through `serve`. */
export async function throughServe(): Promise<readonly Line[]> {
  const service = await listening(
    startServiceWith(path, { MCP_CONCERNS_LOG_SALT: SALT }, [
      ...['--host', '0.0.0.0', '--issuer', login.issuer, '--audience', AUDIENCE],
      ...['--isolation', 'shared', '--', process.execPath, SERVER],
    ]),
  );
  const headers: Record<string, string> = {
    ...(await login.caller(CLAIMS)),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  for (const message of CONVERSATION) {
    const answer = await send(service.url, 'POST', headers, JSON.stringify(message));
    headers['mcp-session-id'] ??= String(answer.headers['mcp-session-id']);
  }
  service.child.kill('SIGTERM');
  const { stderr } = await service.ended;
  return stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
}
