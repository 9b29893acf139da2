import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { start } from '../cli/run.js';
import { FIXTURES, SERVER } from './servers.js';

/** An interpreter with the package `mcp`, from version 2 on: `PYTHON=.venv/bin/python npx vitest run test/eras`. */
const PYTHON = process.env.PYTHON ?? 'python3';
const hasSdk = spawnSync(PYTHON, ['-c', 'from mcp import Client']).status === 0;

const POLICY = `version: 1
concerns: { level: { values: [low, high] } }
primitives: { tools: { hello: { level: low }, fail: { level: high } } }
settings: { panel: on, unmapped: show }
`;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

// Without the SDK of Python, there is no such host: install it with `pip install mcp`.
it.skipIf(!hasSdk).each([
  ['2026-07-28', 'modern'],
  ['2026-07-28', 'legacy'],
  ['2025-11-25', 'modern'],
  ['2025-11-25', 'legacy'],
])('a host of Python that speaks %s lists, calls and switches at a %s server', async (version, server) => {
  const folder = mkdtempSync(join(tmpdir(), 'python-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, POLICY);
  const served = ['serve', '--no-project', '--policy', policy, '--port', '0'];
  const { child, ended, until } = start(...served, '--', process.execPath, SERVER, server, 'stdio');
  closing.push(() => {
    child.kill('SIGTERM');
    return ended;
  });
  const url = / on (http\S+)/.exec(await until('stdout', /Press Ctrl-C/))?.[1] ?? '';
  const mode = version === '2026-07-28' ? 'auto' : 'legacy';
  const host = join(FIXTURES, 'python-host.py');
  const seen = JSON.parse((await promisify(execFile)(PYTHON, [host, mode, url])).stdout);
  expect(seen).toMatchObject({ version, called: 'hello' });
  expect(seen.before).toEqual(expect.arrayContaining(['hello', 'fail']));
  expect(seen.after).toContain('hello');
  expect(seen.after).not.toContain('fail');
});
