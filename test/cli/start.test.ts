import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { MAIN } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'start-'));
afterAll(() => rmSync(folder, { recursive: true }));

let runs = 0;
/** The packages that a command loads: the coverage of Node lists every file that ran. */
async function packagesOf(args: readonly string[]): Promise<string[]> {
  const coverage = join(folder, String(++runs));
  const env = { ...process.env, NODE_V8_COVERAGE: coverage };
  await promisify(execFile)(process.execPath, [MAIN, ...args], { env });
  const urls = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as {
      result: { url: string }[];
    };
    return result.map(({ url }) => url);
  });
  expect(urls.some((url) => url.endsWith(MAIN))).toBe(true);
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return [...new Set(packages)].sort();
}

const POLICY = 'policies/vault.yaml';
const CATALOG = ['--catalog', 'policies/gitlab.catalog.json'];

describe.concurrent('a command', () => {
  it.each([
    [['--version']],
    [['--help']],
    [['serve', '--help']],
    [['check', POLICY, ...CATALOG]],
    [['test', POLICY, '--coverage']],
    [['explain', 'deleteKey', '--policy', POLICY]],
    [['list', '--policy', POLICY, ...CATALOG]],
    [['diff', POLICY, POLICY, ...CATALOG]],
    [['tokens', '--policy', POLICY, ...CATALOG]],
    [['list', '--save', '-', ...CATALOG]],
    [['init', '-o', join(folder, 'first.yaml'), ...CATALOG]],
  ])('contains every package that it needs: %j', async (args) => {
    expect(await packagesOf(args)).toEqual([]);
  });
});
