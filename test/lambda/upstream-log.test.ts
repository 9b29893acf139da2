import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUpstreamLog } from '../../src/core/lambda/log.js';
import { redactLine } from '../../src/core/telemetry/redact-line.js';

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

const SECRET = 's3cr3t-value-of-a-variable';
const env = { API_KEY: SECRET, POWERTOOLS_SERVICE_NAME: 'vault', SHORT: 'a' };
const upstream = 'server-everything';

describe('the log of a server behind the endpoint', () => {
  it('tells why it does not start: its states, and what it writes to stderr until it serves', () => {
    const log = createUpstreamLog({ env });
    log({ upstream, state: 'connecting' });
    log({ upstream, stderr: `FATAL: ${SECRET} is refused by https://user:pass@api.example/x?key=1` });
    log({ upstream, state: 'restarting', reason: 'exited with code 1', restarts: 1 });
    log({ upstream, state: 'failed', reason: 'exited with code 1', restarts: 1 });
    expect(lines).toMatchObject([
      { level: 'INFO', message: 'upstream', upstream, state: 'connecting', service: 'vault' },
      {
        level: 'WARN',
        message: 'upstream stderr',
        stderr: 'FATAL: [redacted] is refused by https://[redacted]@api.example/x?[redacted]',
      },
      { level: 'WARN', message: 'upstream', state: 'restarting', reason: 'exited with code 1', restarts: 1 },
      { level: 'WARN', message: 'upstream', state: 'failed' },
    ]);
  });

  it('has no text of a server that serves, because it can contain arguments: only their number and the errors', () => {
    const log = createUpstreamLog({ env });
    log({ upstream, state: 'ready' });
    log({ upstream, stderr: 'called with MARKER' });
    log({ upstream, stderr: 'TypeError: MARKER is not a number' });
    log({ upstream, stderr: 'connect ECONNREFUSED MARKER' });
    log({ upstream, state: 'failed', reason: 'exited with signal SIGSEGV', restarts: 2 });
    expect(lines.at(-1)).toMatchObject({
      level: 'WARN',
      state: 'failed',
      stderrLines: 3,
      stderrErrors: ['TypeError', 'ECONNREFUSED'],
    });
    expect(JSON.stringify(lines)).not.toContain('MARKER');
    // The next start is logged again.
    log({ upstream, state: 'connecting' });
    log({ upstream, stderr: 'starting' });
    expect(lines.at(-1)).toMatchObject({ stderr: 'starting' });
  });

  it('has at most 50 lines per start, each of at most 500 characters, however much a child writes', () => {
    const log = createUpstreamLog({ env });
    log({ upstream, state: 'connecting' });
    for (let line = 0; line < 10_000; line++) log({ upstream, stderr: 'x '.repeat(5000) });
    log({ upstream, state: 'failed', reason: 'timeout' });
    const written = lines.filter(({ message }) => message === 'upstream stderr');
    expect(written).toHaveLength(50);
    for (const { stderr } of written) expect(String(stderr).length).toBeLessThanOrEqual(501);
    expect(lines.at(-1)).toMatchObject({ stderrLines: 9950 });
  });

  it('keeps several servers apart', () => {
    const log = createUpstreamLog({ env });
    log({ upstream: 'a', state: 'ready' });
    log({ upstream: 'b', state: 'connecting' });
    log({ upstream: 'a', stderr: 'of a' });
    log({ upstream: 'b', stderr: 'of b' });
    expect(lines.slice(2)).toMatchObject([{ upstream: 'b', stderr: 'of b' }]);
  });
});

describe('a line of a child process', () => {
  it.each([
    ['API_KEY is not set', 'API_KEY is not set'],
    [
      'Error: listen EADDRINUSE: address already in use 127.0.0.1:8080',
      'Error: listen EADDRINUSE: address already in use 127.0.0.1:8080',
    ],
    ['API_KEY=abc is not valid', 'API_KEY=[redacted] is not valid'],
    ['{"apiKey":"abc def","port":1}', '{"apiKey":[redacted],"port":1}'],
    ['Authorization: Bearer abc.def', 'Authorization: [redacted] [redacted]'],
    ['using ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'using [redacted]'],
    ['postgres://admin:hunter2@db/x', 'postgres://[redacted]@db/x'],
    ['\u001b[31mred\u001b[0m\u0007', '[31mred [0m'],
  ])('keeps what helps and removes what is secret: %s', (line, expected) => {
    const redacted = redactLine(line, []);
    expect(redacted.replace(/^ /, '')).toBe(expected);
  });

  it('is handled in linear time', () => {
    const long = `${'a1'.repeat(500_000)} token=${'='.repeat(500_000)}`;
    expect(redactLine(long, ['x'.repeat(100)]).length).toBeLessThanOrEqual(501);
    expect(redactLine('key'.repeat(600), []).length).toBeLessThanOrEqual(501);
  });
});
