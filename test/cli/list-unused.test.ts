import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { UsedToolsLog, usedTools } from '../../src/cli/serving/used-tools.js';
import { fixture, run } from './run.js';

const SERVER = ['node', fixture('many-tools.mjs'), '4'];
const DAY = 86_400_000;
let state = '';
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'state-'));
  vi.stubEnv('XDG_STATE_HOME', state);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(state, { recursive: true, force: true });
});

function calls(name: unknown, times: number, daysAgo: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - daysAgo * DAY });
  const used = new UsedToolsLog(process.env, SERVER.join(' '));
  for (let call = 0; call < times; call++)
    used.receive({
      jsonrpc: '2.0',
      id: call,
      method: 'tools/call',
      params: { name, arguments: { secret: 's3cret' } },
    });
  used.close();
  vi.useRealTimers();
}

it('lists the tools that were not called in a period, the most expensive first', async () => {
  calls('crm_get_invoice', 9, 60);
  calls('crm_list_invoice', 3, 8);
  const { code, stdout } = await run('list', '--unused', '30d', '--', ...SERVER);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^3 of 4 tools were not called since \d{4}-\d\d-\d\d; \d+ tokens/);
  expect(stdout).toContain('crm_get_invoice');
  expect(stdout).not.toContain('crm_list_invoice');
});

it.each([
  ['few calls', 9, 20],
  ['a few days', 30, 6],
])('proposes nothing after %s', async (_what, times, daysAgo) => {
  calls('crm_get_invoice', times, daysAgo);
  const { code, stdout } = await run('list', '--unused', '30', '--', ...SERVER);
  expect(code).toBe(0);
  expect(stdout).toContain(`Not enough calls yet: ${times}`);
});

it('keeps a day and a plain name of each call, and nothing else', () => {
  calls('crm_get_invoice', 1, 0);
  for (const name of ['a b', 'x'.repeat(65), '', 7, null, 'new\nline', 'concerns']) calls(name, 1, 0);
  const folder = join(state, 'mcp-concerns/used');
  const text = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));
  expect(text).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d crm_get_invoice\n$/)]);
  expect(usedTools(process.env, SERVER.join(' '), 1)).toMatchObject({ names: ['crm_get_invoice'], calls: 1 });
});

it.each([
  ['month', ['--', ...SERVER], '--unused takes a number of days'],
  ['0d', ['--', ...SERVER], '--unused takes a number of days'],
  ['30d', ['--catalog', 'x.json'], '--unused takes a command after --, or --url'],
])('refuses --unused %s with %j', async (days, input, expected) => {
  const { code, stderr } = await run('list', '--unused', days, ...input);
  expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
});
