import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../src/playground/document.js';
import { buildProgram, stateOf } from '../../src/playground/program.js';
import { read } from '../../src/wire/messages.js';
import { type Running, start } from './run.js';

describe('the playground that open serves for a policy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-saves-'));
  const policy = join(folder, 'policy.yaml');
  const part = join(folder, 'parts', 'more.yaml');
  const { PATH } = process.env;
  let opened: Running;
  let origin = '';
  let key = '';
  beforeAll(async () => {
    writeFileSync(policy, 'version: 1\r\nconcerns:\r\n  a: { values: [b] }\r\n');
    mkdirSync(join(folder, 'parts'));
    writeFileSync(part, 'version: 1\n');
    // No browser can be started, so the address is printed.
    process.env.PATH = folder;
    opened = start('open', '--policy', policy, '--policy', part);
    const text = await opened.until('stdout', /http\S+\n/);
    [, origin = '', key = ''] = /(http:\/\/[^/]+)\/playground#token=(\S+)/.exec(text) ?? [];
  });
  afterAll(async () => {
    process.env.PATH = PATH;
    opened.child.kill('SIGKILL');
    await opened.ended;
    rmSync(folder, { recursive: true });
  });

  const call = async (path: string, init: RequestInit = {}, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}/playground${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
    return { status: response.status, body: await response.text() };
  };
  const documentNow = async () => JSON.parse((await call('/document')).body);
  const save = async (name: unknown, text: unknown, digest: unknown) => {
    const { status, body } = await call('/file', {
      method: 'PUT',
      body: JSON.stringify({ name, text, digest }),
    });
    return { status, ...JSON.parse(body) };
  };

  it('has nothing of the policy in the page, and gives it to who has the key', async () => {
    const { status, body } = await call('', {}, { authorization: '' });
    expect([status, body.includes(folder), body.includes('a: { values: [b] }')]).toEqual([200, false, false]);
    expect((await call('/document', {}, { authorization: 'Bearer x' })).status).toBe(401);
    expect((await call('/document', {}, { origin: 'http://evil.example' })).status).toBe(403);
    const { document, digests } = await documentNow();
    expect(document.files.map((file: object) => read(file, 'name'))).toEqual([
      'policy.yaml',
      'parts/more.yaml',
    ]);
    expect(digests).toHaveLength(2);
  });

  it('saves a file with its line breaks and its mode, again and again', async () => {
    const { mode } = statSync(policy);
    const { digests } = await documentNow();
    const first = await save('policy.yaml', 'version: 1\nrules: []\n', digests[0]);
    expect(first).toEqual({ status: 200, digest: expect.any(String) });
    expect(readFileSync(policy, 'utf8')).toBe('version: 1\r\nrules: []\r\n');
    expect(await save('policy.yaml', 'version: 1\n', first.digest)).toMatchObject({ status: 200 });
    expect(statSync(policy).mode).toBe(mode);
  });

  it('does not overwrite what changed on the disk meanwhile', async () => {
    const { digests } = await documentNow();
    writeFileSync(part, 'version: 1\n# by somebody else\n');
    expect(await save('parts/more.yaml', 'version: 1\n', digests[1])).toEqual({
      status: 409,
      error: `${part} has changed since this page read it, so it was not saved. Copy your text, reload the page, and edit again.`,
    });
    expect(readFileSync(part, 'utf8')).toContain('by somebody else');
    rmSync(part);
    expect(await save('parts/more.yaml', 'version: 1\n', digests[1])).toEqual({
      status: 422,
      error: `${part} cannot be read any more. It was not saved.`,
    });
    writeFileSync(part, 'version: 1\n');
  });

  it.each(['../policy.yaml', '/etc/passwd', 'other.yaml', 7])('writes no other file: %j', async (name) => {
    expect(await save(name, 'x', 'x')).toEqual({
      status: 400,
      error: `${JSON.stringify(name)} is not a file of this policy.`,
    });
  });

  it('stops with Ctrl-C', async () => {
    opened.child.kill('SIGINT');
    const { code, stderr } = await opened.ended;
    expect(code).toBe(0);
    expect(stderr).toContain('until you press Ctrl-C');
  });
});

it('opens the policies of several servers as files of one policy, with their catalogs as one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'open-several-'));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const part = (effect: string): string =>
    `version: 1\nconcerns: { effect: { values: [looks, changes], match: at-most } }\nprimitives: { tools: { run: { effect: ${effect} } } }\n`;
  write('all.yaml', 'version: 1\nservers: { Files: { policy: files.yaml }, docs: { policy: docs.yaml } }\n');
  for (const [name, effect] of [['files', 'changes'] as const, ['docs', 'looks'] as const]) {
    write(`${name}.yaml`, part(effect));
    write(`${name}.catalog.json`, JSON.stringify({ tools: [{ name: 'run', inputSchema: {} }] }));
  }
  const { PATH } = process.env;
  process.env.PATH = folder;
  const opened = start('open', '--no-project', '--policy', join(folder, 'all.yaml'));
  process.env.PATH = PATH;
  const text = await opened.until('stdout', /http\S+\n/);
  const [, origin, key] = /(http:\/\/[^/]+)\/playground#token=(\S+)/.exec(text) ?? [];
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${origin}/playground/document`, { headers });
  const { document } = JSON.parse(await answer.text());
  opened.child.kill('SIGINT');
  await opened.ended;
  const { files, catalog } = readDocument(document);
  expect(files.map(({ name }) => name).sort()).toEqual(['all.yaml', 'docs.yaml', 'files.yaml']);
  const { program, findings } = buildProgram(files, catalog);
  expect(findings).toEqual([]);
  const items = program && stateOf(program, 'all', { effect: 'looks' }, {}).items;
  expect(items?.map(({ name, shown }) => [name, shown])).toEqual([
    ['files__run', false],
    ['docs__run', true],
  ]);
});
