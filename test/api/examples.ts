import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { blocksOf } from '../behavior/examples/pages.js';

export const API = 'docs/reference/api.md';
const ERRORS = 'docs/reference/errors.md';

/** The examples of the reference of the API. */
export const examples: readonly string[] = [API, ERRORS].flatMap((page) => blocksOf(page, 'ts'));

/** Returns whether an example waits for a minute until sessions expire. */
export const isWaiting = (example: string): boolean => example.includes('await testSessionStore(');

/**
 * Runs examples one after the other in one process.
 *
 * @param folder a project for the page of the API
 * @returns what they print, and what their comments say that they print
 */
export async function runExamples(folder: string, chosen: readonly string[]) {
  const [policy = ''] = blocksOf(API, 'yaml');
  writeFileSync(join(folder, 'policy.yaml'), policy);
  for (const [index, example] of chosen.entries()) writeFileSync(join(folder, `${index}.mjs`), example);
  const lines = chosen.map((_, index) => `console.log('example ${index}'); await import('./${index}.mjs');`);
  writeFileSync(join(folder, 'all.mjs'), lines.join('\n'));

  // Without sessions, the Lambda function has nothing to warn about.
  const env = { ...process.env, MCP_CONCERNS_SESSIONS: 'none' };
  const running = promisify(execFile)(process.execPath, ['all.mjs'], { cwd: folder, env });
  // The example of a stdio server ends with its input.
  running.child.stdin?.end();
  const { stdout } = await running;
  const shown = chosen.map((example, index) =>
    [`example ${index}`, ...[...example.matchAll(/\/\/ (.*)$/gm)].map(([, line]) => line)].join('\n'),
  );
  return { printed: stdout.trim(), shown: shown.join('\n') };
}
