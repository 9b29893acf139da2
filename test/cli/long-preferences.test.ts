import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'long-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const topics = Array.from({ length: 30 }, (_, at) => `reports-about-customers-${at}`);
const policy = join(folder, 'policy.yaml');
writeFileSync(
  policy,
  `version: 1\nconcerns:\n  topic: { values: [${topics}], multiple: true }\nprimitives: { tools: { a: { topic: [${topics}] } } }\n`,
);

it('reports preferences that do not fit into a session id only where they are kept there', async () => {
  const checked = await run('check', policy, '--deny-warnings');
  expect([checked.code, checked.stdout]).toEqual([0, expect.not.stringContaining('long-preferences')]);
  const compiled = await run('compile', policy, '-o', join(folder, 'policy.json'));
  expect([compiled.code, compiled.stderr]).toEqual([0, expect.stringContaining('long-preferences')]);
});
