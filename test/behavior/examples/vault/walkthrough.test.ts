import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Returns the text without indentation and empty lines. */
const lines = (text: string): string => text.replace(/^\s+/gm, '');

it('shows the full list, the filtered list of the README, the list after updateConcerns, and a task', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['build/vault/walkthrough.js', '--exit']);
  const counts = [...stdout.matchAll(/^ +(\d+ of \d+) tools$/gm)].map(([, count]) => count);
  expect(counts).toEqual(['24 of 24', '9 of 24', '7 of 24']);
  const readme = readFileSync('examples/vault/README.md', 'utf8');
  const [shown = ''] = /(?:^(?: {4}.*)?\n)+/m.exec(readme.slice(readme.indexOf('second list:'))) ?? [];
  expect(lines(shown)).toMatch(/^encryptData[\s\S]*9 of 24 tools/);
  expect(lines(stdout)).toContain(lines(shown));
  const task = stdout.slice(stdout.indexOf('5. A host calls reencryptAll'));
  expect(task).toMatch(
    /status {5}working\n[\s\S]*question {3}Re-encrypt 2 records under the key "default"\?\n[\s\S]*result {5}\{"keyId":"default","records":2,"reencrypted":2\}/,
  );
  expect(stdout).toMatch(/_meta of the list: +\{"concerns":\{.*\},"shown":9,"total":24\}\n/);
  expect(stdout).toContain(
    '_meta.concerns of redactData: {"security":["medium","high"],"cost":"minimal","access":"read"}',
  );
  const tasks = stdout.slice(stdout.indexOf('6. The host starts a second task'));
  expect(tasks).toMatch(/ all +completed, cancelled\n/);
  expect(tasks).toMatch(/ \{status: \[completed\]\} +completed\n/);
  expect(tasks).toMatch(/ all, after \{cost: minimal\} +none +_meta: \{"concerns":\{"cost":"minimal"\},/);
});
