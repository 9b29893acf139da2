import { mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { EXTENSION_ID } from '../../../src/core/wire/messages.js';
import { type Running, start } from '../run.js';

const CHILD = fileURLToPath(new URL('../../upstream/fixtures/faulty-child.mjs', import.meta.url));
export const KEY = 'k'.repeat(24);
export const BEARER = { authorization: `Bearer ${KEY}` };

const POLICY = `version: 1
concerns:
  access: { values: [none, all], match: at-most, default: all }
  team: { values: [ops, dev], set-by: operator, claim: team, default: dev }
primitives: { tools: { echo: { access: all, team: dev } } }
rules: [{ id: strict, hide: [tools], when: { "===": [{ var: client.name }, strict-host] } }]
`;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
/** Calls this after the test, the latest first. */
export const afterTest = (close: () => Promise<unknown>): void => void closing.push(close);

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Sends one request. `fetch` does not let anyone choose the header `Host`. */
export function send(
  url: string | URL,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}

const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** Sends one message of 2025-11-25. */
export const post = (
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: object = {},
): Promise<Answer> =>
  send(
    url,
    'POST',
    { ...JSON_HEADERS, ...headers },
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  );

/** Begins a session, and returns the headers of its requests. */
export async function begin(
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  concerns?: object,
  name = 'host',
): Promise<Record<string, string>> {
  const answer = await post(url, headers, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: concerns === undefined ? {} : { extensions: { [EXTENSION_ID]: { concerns } } },
    clientInfo: { name, version: '1' },
  });
  if (answer.status !== 200) throw new Error(`initialize: ${answer.status} ${answer.text}`);
  return { ...headers, 'mcp-session-id': String(answer.headers['mcp-session-id']) };
}

/** Sends one call of 2026-07-28, which belongs to no session. */
export const callModern = (
  url: string | URL,
  headers: Readonly<Record<string, string>>,
  name: string,
): Promise<Answer> =>
  post(
    url,
    { ...headers, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    'tools/call',
    {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  );

interface Started extends Running {
  /** The file in which the server behind counts its starts. */
  readonly starts: string;
}

export interface Service extends Started {
  /** At 127.0.0.1, whatever it listens on. */
  readonly url: URL;
}

/** Starts `serve` in front of a child process, or of what the arguments name after `--`. */
export const serve = (environment: Record<string, string>, ...args: string[]): Promise<Service> =>
  listening(startService(environment, ...args));

/** Waits until `serve` listens. */
export async function listening(started: Started): Promise<Service> {
  const url = new URL(/ on (http:\S+)/.exec(await started.until('stdout', /to stop\.\n/))?.[1] ?? '');
  url.hostname = '127.0.0.1';
  return { ...started, url };
}

/** Starts `serve`, which may refuse to. */
export function startService(environment: Record<string, string>, ...args: string[]): Started {
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  writeFileSync(join(folder, 'policy.yaml'), POLICY);
  return startServiceWith(join(folder, 'policy.yaml'), environment, args);
}

/** Starts `serve` with a policy of the test. */
export function startServiceWith(
  path: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Started {
  const folder = dirname(path);
  const before = { ...process.env };
  // What tests do not set must not come from the machine.
  Object.assign(process.env, { XDG_STATE_HOME: folder, XDG_RUNTIME_DIR: folder }, environment);
  const policy = ['--no-project', '--port', '0', '--policy', path];
  const server = args.some((each) => each === '--url' || each === '--')
    ? []
    : ['--', process.execPath, CHILD, 'none'];
  const starts = join(folder, 'starts');
  const counter = server.length === 0 ? [] : [starts];
  const started = start('serve', ...policy, ...args, ...server, ...counter);
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  afterTest(async () => {
    started.child.kill('SIGKILL');
    await started.ended;
  });
  return { ...started, starts };
}
