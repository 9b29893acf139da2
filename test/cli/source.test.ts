import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { withProgress } from '../../src/cli/terminal/progress.js';
import { type Running, run, start } from './run.js';
import { EVERYTHING } from './shown.js';

const POLICY = ['--policy', 'policies/everything.yaml'] as const;
const names = (...args: string[]) => run('list', ...POLICY, '--format', 'names', ...args);

const folder = mkdtempSync(join(tmpdir(), 'source-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Bad input is one sentence on stderr and exit code 2, whatever it is. */
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
    url = /http:\S+/.exec(await served.until('stdout', /ends it\.\n/))?.[0] ?? '';
  });
  afterAll(async () => {
    served.child.kill('SIGKILL');
    await served.ended;
  });

  it('lists what it lists over stdio or in its snapshot', async () => {
    const vault = ['--policy', 'policies/vault.yaml', '--format', 'names', '--concern', 'preset=safe'];
    const [remote, snapshot] = await Promise.all([
      run('list', ...vault, '--url', url),
      run('snapshot', '--url', url, '-o', join(folder, 'vault.json')),
    ]);
    expect([remote.stderr, snapshot.code]).toEqual(['', 0]);
    const { stdout } = await run('list', ...vault, '--catalog', join(folder, 'vault.json'));
    expect(stdout).toBe(remote.stdout);
    expect(stdout).toContain('decryptData\n');
  });

  it('gets the headers', async () => {
    const args = ['snapshot', '--url', url, '--header'];
    const { stdout } = await run(...args, 'Mcp-Concerns: security=high, access=read');
    const { stdout: all } = await run('snapshot', '--url', url);
    expect(JSON.parse(stdout).tools.length).toBeLessThan(JSON.parse(all).tools.length);
  });
});

it('all three sources give the same', async () => {
  const file = join(folder, 'everything.json');
  await run('snapshot', '-o', file, '--', ...EVERYTHING);
  const [child, catalog] = await Promise.all([names('--', ...EVERYTHING), names('--catalog', file)]);
  expect(child).toMatchObject({ code: 0, stderr: '' });
  expect(catalog).toEqual(child);
});

describe('a server over HTTP that does not answer as MCP does', () => {
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
      'wants credentials',
      body(401, '{"error":"invalid_token","error_description":"No token"}'),
      /refused initialize with 401 \(No token\); give credentials, as in --header 'Authorization: Bearer TOKEN'\.$/,
    ],
    [
      'knows no such path',
      body(404, '<html>', 'text/html'),
      /with HTTP 404; check that the address is its MCP/,
    ],
    [
      'fails with an error',
      body(500, JSON.stringify(error)),
      /initialize with HTTP 500 \(Not today\\u001b\[2J\)\.$/,
    ],
    [
      'fails with a list of errors',
      body(400, JSON.stringify([error])),
      /with HTTP 400 \(Not today\\u001b\[2J\)\.$/,
    ],
    ['fails in plain text', body(503, 'Come back.\nLater', 'text/plain'), /with HTTP 503 \(Come back\)\.$/],
    [
      'is a web page',
      body(200, '<html>', 'text/html'),
      /answered initialize with text\/html, not as MCP does; check/,
    ],
    ['answers no JSON', body(200, '{'), /answered initialize with what is no JSON\.$/],
    ['answers no JSON-RPC', body(200, '{"a":1}'), /gave initialize an answer that MCP does not allow\.$/],
    [
      'refuses',
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
      'is somewhere else',
      ((_request, response) => {
        response.writeHead(302, { location: 'http://elsewhere.invalid/mcp' }).end();
      }) satisfies RequestListener,
      /elsewhere\.invalid|there is no such host/,
    ],
    [
      'hangs up',
      ((request) => {
        request.socket.destroy();
      }) satisfies RequestListener,
      /cannot be reached: it closed the connection\.$/,
    ],
  ])('%s', async (_, answer, expected) => {
    const url = await serve(answer);
    const text = await complaint('--url', `${url}?key=secret`);
    expect(text).toMatch(/^The server http:\/\/127\.0\.0\.1:\d+\/mcp /);
    expect(text).toMatch(expected);
    expect(text).not.toContain('secret');
  });

  it('says nothing', async () => {
    const url = await serve(() => {});
    expect(await complaint('--url', url, '--timeout', '0.7')).toBe(
      `The server ${url} did not answer initialize within 0.7 s; give it longer with --timeout.`,
    );
  });

  it('is not there', async () => {
    const url = await serve(() => {});
    server?.close();
    await once(server ?? createServer(), 'close');
    expect(await complaint('--url', url)).toBe(`The server ${url} cannot be reached: nothing listens there.`);
    // A name with two addresses: an error for each of them.
    expect(await complaint('--url', url.replace('127.0.0.1', 'localhost'))).toMatch(
      /nothing listens there\.$/,
    );
  });
});

describe.concurrent('arguments', () => {
  it.each([
    [['--catalog', 'x', '--url', 'http://x'], 'There are 2 sources, --catalog and --url; give one; see'],
    [['--catalog', 'x', '--', 'node'], "There are 2 sources, --catalog and a server's command; give one"],
    [
      [],
      'There is no server: its command goes after --, as in -- node server.js; or give --catalog or --url',
    ],
    [['--header', 'A: b', '--', 'node'], '--header needs --url'],
    [['--url', 'localhost:3000'], '--url takes an address with http or https, not "localhost:3000"'],
    [['--url', 'http://a:b@c'], '--url takes no name and password; send them with --header'],
    [['--url', 'http://a', '--header', 'secret'], "--header takes 'Name: value', as HTTP allows it"],
    [['--url', 'http://a', '--header', 'a b: secret'], "--header takes 'Name: value', as HTTP allows it"],
    [['--url', 'http://a', '--header', 'a: secret\nb'], "--header takes 'Name: value', as HTTP allows it"],
  ])('%j', async (args, expected) => {
    const text = await complaint(...args);
    expect(text).toContain(expected);
    expect(text).not.toContain('secret');
  });
});

describe.concurrent('a catalog file', () => {
  it.each([
    ['no JSON', '{', / is no JSON; make a catalog with "mcp-concerns snapshot"\.$/],
    [
      'something else',
      '{"a": 1}',
      / is no catalog: it has none of tools, prompts, resources, resourceTemplates; make/,
    ],
    ['a bare list', '[{"name":"a"}]', /it has none of .+; put the list into \{"tools": \[\.\.\.\]\}\.$/],
    ['null', 'null', / is no catalog: /],
    ['no list', '{"tools": {}}', / is no catalog: tools is no list\.$/],
    ['a nameless tool', '{"tools": [{"name":"a"},{"title":"b"}]}', /: entry 2 of tools has no name\.$/],
    ['a tool that is none', '{"tools": [3]}', /: an entry of tools has no name\.$/],
    ['a resource by name', '{"resources": [{"name":"a"}]}', /: entry 1 of resources has no uri\.$/],
    ['facts without counts', '{"encoding":"o200k_base","tools":[{"name":"a"}]}', /no tokens of "a"; take/],
  ])('that is %s', async (name, text, expected) => {
    const path = join(folder, `${name}.json`);
    writeFileSync(path, text);
    expect(await complaint('--catalog', path)).toMatch(expected);
  });

  it('of another encoding is not mixed with counts of this one', async () => {
    const path = join(folder, 'other.json');
    writeFileSync(path, '{"encoding":"cl100k_base","tools":[{"name":"a","tokens":1}]}');
    const { code, stderr } = await run('tokens', ...POLICY, '--catalog', path);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'mcp-concerns: The catalog counts tokens in "cl100k_base", not in o200k_base. Take its snapshot again.\n',
    );
  });

  it('with the mark of an editor of Windows is read', async () => {
    const path = join(folder, 'bom.json');
    writeFileSync(path, '\uFEFF{"tools":[{"name":"echo"}]}');
    expect((await names('--catalog', path)).stdout).toBe('echo\n');
  });
});

describe('progress', () => {
  const CLEAR = '\r\u001b[2K';
  const written: string[] = [];
  const stderr = { isTTY: true, columns: 20, write: (text: string) => written.push(text) };
  afterEach(() => {
    written.length = 0;
    vi.unstubAllGlobals();
  });
  const stub = (overrides: object = {}) =>
    vi.stubGlobal('process', Object.create(process, { stderr: { value: { ...stderr, ...overrides } } }));
  const late = () => new Promise<string>((resolve) => setTimeout(resolve, 800, 'done'));

  it('shows on a terminal after half a second, in one line, and goes', async () => {
    stub();
    expect(await withProgress('Asking a server with a long name', false, late)).toBe('done');
    expect(written.length).toBeGreaterThan(1);
    const [first = ''] = written;
    expect(first.startsWith(CLEAR)).toBe(true);
    expect(first.slice(CLEAR.length + 1)).toBe(' Asking a server w');
    expect(written.at(-1)).toBe(CLEAR);
  });

  it.each([
    ['what is quick', {}, false, async () => 'done'],
    ['a pipe', { isTTY: false }, false, late],
    ['--quiet', {}, true, late],
  ])('never shows for %s', async (_, overrides, quiet, work) => {
    stub(overrides);
    expect(await withProgress('Asking', quiet, work)).toBe('done');
    expect(written).toEqual([]);
  });

  it('goes when the work fails', async () => {
    stub();
    const failing = () => late().then(() => Promise.reject(new Error('no')));
    await expect(withProgress('Asking', false, failing)).rejects.toThrow('no');
    expect(written.at(-1)).toBe(CLEAR);
  });
});
