import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { proxyAdvice } from '../../src/cli/inputs/proxy-advice.js';
import { terminalOf } from '../../src/cli/terminal/output.js';
import { withProgress } from '../../src/cli/terminal/progress.js';
import { type Running, run, start, testIo } from './run.js';
import { EVERYTHING } from './shown.js';

const POLICY = ['--policy', 'policies/everything.yaml'] as const;
const names = (...args: string[]) => run('list', ...POLICY, '--format', 'names', ...args);

const folder = mkdtempSync(join(tmpdir(), 'source-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every error is one line on stderr, with exit code 2. */
async function complaint(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await names(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
  return stderr.slice('mcp-concerns: '.length).trimEnd();
}

describe('a real server over HTTP', () => {
  let served: Running;
  let url = '';
  beforeAll(async () => {
    served = start(
      'serve',
      '--port',
      '0',
      '--server',
      'build/vault/server.js',
      '--policy',
      'policies/vault.yaml',
    );
    url = /http:\S+/.exec(await served.until('stdout', /to stop\.\n/))?.[0] ?? '';
  });
  afterAll(async () => {
    served.child.kill('SIGKILL');
    await served.ended;
  });

  it('lists the same as its snapshot', async () => {
    const vault = ['--policy', 'policies/vault.yaml', '--format', 'names', '--concern', 'preset=safe'];
    const [remote, snapshot] = await Promise.all([
      run('list', ...vault, '--url', url),
      run('list', '--url', url, '--save', join(folder, 'vault.json')),
    ]);
    expect(remote.stderr).toMatch(/^note: The server filters its lists with mcp-concerns, [^\n]*\n$/);
    expect(snapshot.code).toBe(0);
    const { stdout } = await run('list', ...vault, '--catalog', join(folder, 'vault.json'));
    expect(stdout).toBe(remote.stdout);
    expect(stdout).toContain('decryptData\n');
  });

  it('receives the headers', async () => {
    const args = ['list', '--save', '-', '--url', url, '--header'];
    const { stdout } = await run(...args, 'Mcp-Concerns: security=high, access=read');
    const { stdout: all } = await run('list', '--save', '-', '--url', url);
    expect(JSON.parse(stdout).tools.length).toBeLessThan(JSON.parse(all).tools.length);
  });
});

it('lists the same from a command and from a catalog file', async () => {
  const file = join(folder, 'everything.json');
  await run('list', '--save', file, '--', ...EVERYTHING);
  const [child, catalog] = await Promise.all([names('--', ...EVERYTHING), names('--catalog', file)]);
  expect(child).toMatchObject({ code: 0, stderr: '' });
  expect(catalog).toEqual(child);
});

describe('an error of a server over HTTP', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });
  const serve = async (answer: RequestListener): Promise<string> => {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };
  const body = (status: number, text: string, type = 'application/json'): RequestListener => {
    return (_request, response) => response.writeHead(status, { 'content-type': type }).end(text);
  };
  const error = { jsonrpc: '2.0', id: null, error: { code: -32_000, message: 'Not today\u001b[2J' } };

  it.each([
    [
      'missing credentials',
      body(401, '{"error":"invalid_token","error_description":"No token"}'),
      /refused initialize with HTTP 401 \(No token\)\. Pass --login to sign in, or --header 'Authorization: Bearer TOKEN'\.$/,
    ],
    ['an unknown path', body(404, '<html>', 'text/html'), /with HTTP 404\. Check that the URL is its MCP/],
    [
      'a JSON-RPC error in the body',
      body(500, JSON.stringify(error)),
      /initialize with HTTP 500 \(Not today\\u001b\[2J\)\.$/,
    ],
    [
      'a list of JSON-RPC errors in the body',
      body(400, JSON.stringify([error])),
      /with HTTP 400 \(Not today\\u001b\[2J\)\.$/,
    ],
    [
      'plain text in the body',
      body(503, 'Come back.\nLater', 'text/plain'),
      /with HTTP 503 \(Come back\)\.$/,
    ],
    [
      'a web page',
      body(200, '<html>', 'text/html'),
      /answered initialize with text\/html, which is not an MCP answer\. Check/,
    ],
    ['an answer that is not JSON', body(200, '{'), /answered initialize with text that is not JSON\.$/],
    [
      'an answer that is not JSON-RPC',
      body(200, '{"a":1}'),
      /answered initialize with an invalid MCP message\.$/,
    ],
    [
      'a JSON-RPC error',
      ((request, response) => {
        let text = '';
        request.on('data', (chunk) => {
          text += chunk;
        });
        request.on('end', () => {
          const answer = { ...error, id: JSON.parse(text).id };
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
        });
      }) satisfies RequestListener,
      /refused initialize: MCP error -32000: Not today\\u001b\[2J$/,
    ],
    [
      'a redirect',
      ((_request, response) => {
        response.writeHead(302, { location: 'http://elsewhere.invalid/mcp' }).end();
      }) satisfies RequestListener,
      / redirects to http:\/\/elsewhere\.invalid, which is not followed\.$/,
    ],
    [
      'an event stream that ends before the answer',
      body(200, ': nothing\n\n', 'text/event-stream'),
      /ended its response to initialize before the answer\.$/,
    ],
    [
      'a closed connection',
      ((request) => {
        request.socket.destroy();
      }) satisfies RequestListener,
      /cannot be reached: it closed the connection\.$/,
    ],
  ])('reports %s', async (_, answer, expected) => {
    const url = await serve(answer);
    const text = await complaint('--url', `${url}?key=secret`);
    expect(text).toMatch(/^The server http:\/\/127\.0\.0\.1:\d+\/mcp /);
    expect(text).toMatch(expected);
    expect(text).not.toContain('secret');
  });

  it('reports a server that does not answer', async () => {
    const url = await serve(() => {});
    expect(await complaint('--url', url, '--timeout', '0.7')).toBe(
      `The server ${url} did not answer initialize within 0.7 s. Allow more time with --timeout.`,
    );
  });

  it('reports a server that does not exist', async () => {
    const url = await serve(() => {});
    server?.close();
    await once(server ?? createServer(), 'close');
    expect(await complaint('--url', url)).toBe(
      `The server ${url} cannot be reached: nothing listens at this address.`,
    );
    // A host name with two addresses gives an error for each address.
    expect(await complaint('--url', url.replace('127.0.0.1', 'localhost'))).toMatch(
      /nothing listens at this address\.$/,
    );
    process.env.HTTP_PROXY = 'http://proxy.invalid:8080';
    const said = await complaint('--url', url).finally(() => delete process.env.HTTP_PROXY);
    expect(said).toMatch(/nothing listens at this address\. HTTP_PROXY is set: .+ NODE_USE_ENV_PROXY=1\.$/);
  });

  it.each([
    ['20.20.0', { HTTPS_PROXY: 'p' }, 'HTTPS_PROXY is set: use Node.js 22 with NODE_USE_ENV_PROXY=1.'],
    ['22.23.0', { https_proxy: 'p' }, 'https_proxy is set: also set NODE_USE_ENV_PROXY=1.'],
    ['22.23.0', { HTTPS_PROXY: 'p', NODE_USE_ENV_PROXY: '1' }, undefined],
    ['22.23.0', { HTTP_PROXY: 'p', HTTPS_PROXY: '' }, undefined],
  ])('names a proxy that Node.js %s does not use: %j', (version, env, advice) => {
    expect(proxyAdvice(new URL('https://mcp.example/mcp'), env, version)).toBe(advice);
  });
});

describe.concurrent('invalid arguments for an input', () => {
  it.each([
    [['--catalog', 'x', '--url', 'http://x'], 'There are 2 inputs: --catalog and --url. Pass one. See'],
    [['--catalog', 'x', '--', 'node'], 'There are 2 inputs: --catalog and a command after --. Pass one'],
    [
      [],
      'There is no server. Pass its command after --, for example -- node server.js, or pass --url, --server, --servers or --catalog',
    ],
    [['--header', 'A: b', '--', 'node'], '--header needs --url'],
    [
      ['--url', 'localhost:3000'],
      '--url takes a URL that begins with http:// or https://, not "localhost:3000"',
    ],
    [['--url', 'http://a:b@c'], '--url cannot contain a user name or a password. Send them with --header'],
    [
      ['--url', 'http://a', '--header', 'secret'],
      "--header takes 'Name: value', with a valid HTTP header name and value",
    ],
    [
      ['--url', 'http://a', '--header', 'a b: secret'],
      "--header takes 'Name: value', with a valid HTTP header name and value",
    ],
    [
      ['--url', 'http://a', '--header', 'a: secret\nb'],
      "--header takes 'Name: value', with a valid HTTP header name and value",
    ],
  ])('are rejected without repeating a secret: %j', async (args, expected) => {
    const text = await complaint(...args);
    expect(text).toContain(expected);
    expect(text).not.toContain('secret');
  });
});

describe.concurrent('a catalog file', () => {
  it.each([
    ['not JSON', '{', / is not JSON\. Create a catalog with "mcp-concerns list --save"\.$/],
    [
      'something else',
      '{"a": 1}',
      / is not a catalog: it has none of tools, prompts, resources, resourceTemplates\. Create/,
    ],
    ['a bare list', '[{"name":"a"}]', /it has none of .+\. Put the list into \{"tools": \[\.\.\.\]\}\.$/],
    ['null', 'null', / is not a catalog: /],
    ['tools that are not a list', '{"tools": {}}', / is not a catalog: tools is not a list\.$/],
    ['a tool without a name', '{"tools": [{"name":"a"},{"title":"b"}]}', /: entry 2 of tools has no name\.$/],
    ['a tool that is not an object', '{"tools": [3]}', /: an entry of tools has no name\.$/],
    ['a resource without a URI', '{"resources": [{"name":"a"}]}', /: entry 1 of resources has no uri\.$/],
    [
      'facts without token counts',
      '{"encoding":"o200k_base","tools":[{"name":"a"}]}',
      /no token count for "a"\. Take/,
    ],
  ])('is rejected for: %s', async (name, text, expected) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    expect(await complaint('--catalog', path)).toMatch(expected);
  });

  it('is rejected if its tokens have another encoding', async () => {
    const path = join(folder, 'other.json');
    writeFileSync(path, '{"encoding":"cl100k_base","tools":[{"name":"a","tokens":1}]}');
    const { code, stderr } = await run('tokens', ...POLICY, '--catalog', path);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'mcp-concerns: The catalog counts tokens in "cl100k_base", not o200k_base. Take the snapshot again.\n',
    );
  });

  it('may begin with a byte order mark', async () => {
    const path = join(folder, 'bom.json');
    writeFileSync(path, '\uFEFF{"tools":[{"name":"echo"}]}');
    expect((await names('--catalog', path)).stdout).toBe('echo\n');
  });
});

describe('progress', () => {
  const CLEAR = '\r\u001b[2K';
  const written: string[] = [];
  const stderr = { isTTY: true, columns: 20, write: (text: string) => written.push(text) };
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.useRealTimers();
    written.length = 0;
  });
  const terminal = (overrides: object = {}, quiet = false) =>
    terminalOf({ ...testIo(), stderr: { ...stderr, ...overrides } as never }, { color: 'never', quiet });
  const late = async () => {
    await vi.advanceTimersByTimeAsync(800);
    return 'done';
  };

  it('is shown on a terminal after half a second, on one line, and cleared', async () => {
    expect(await withProgress('Listing a server with a long name', terminal(), late)).toBe('done');
    expect(written.length).toBeGreaterThan(1);
    const [first = ''] = written;
    expect(first.startsWith(CLEAR)).toBe(true);
    expect(first.slice(CLEAR.length + 1)).toBe(' Listing a server ');
    expect(written.at(-1)).toBe(CLEAR);
  });

  it.each([
    ['quick work', {}, false, async () => 'done'],
    ['a pipe', { isTTY: false }, false, late],
    ['--quiet', {}, true, late],
  ])('is not shown for %s', async (_, overrides, quiet, work) => {
    expect(await withProgress('Listing', terminal(overrides, quiet), work)).toBe('done');
    expect(written).toEqual([]);
  });

  it('is cleared if the work fails', async () => {
    const failing = () => late().then(() => Promise.reject(new Error('no')));
    await expect(withProgress('Listing', terminal(), failing)).rejects.toThrow('no');
    expect(written.at(-1)).toBe(CLEAR);
  });
});
