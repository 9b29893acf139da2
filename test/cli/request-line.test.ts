import { spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { inTurns, reportLine } from '../../src/cli/serving/request-line.js';

it.each([
  ['a call that was answered', {}, 'tools/call  legacy host'],
  ['a call that was translated', { serverEra: 'modern' as const }, 'tools/call  legacy host, modern server'],
  ['a call that was not translated', { serverEra: 'legacy' as const }, 'tools/call  legacy host'],
  ['a call that got an error', { error: -32603 }, 'tools/call  legacy host  error -32603'],
  ['a call whose tool failed', { isError: true }, 'tools/call  legacy host  the tool failed'],
  [
    'a call whose server was ended',
    { unanswered: 'closed' as const },
    'tools/call  legacy host  no answer: closed',
  ],
  [
    'a call that was cancelled',
    { unanswered: 'cancelled' as const },
    'tools/call  legacy host  no answer: cancelled',
  ],
])('the log of serve tells %s from the others', (_what, outcome, line) => {
  expect(reportLine({ method: 'tools/call', era: 'legacy', ...outcome })).toBe(line);
});

it('writes the lines of one turn at once, in their order', async () => {
  const note = vi.fn();
  const log = inTurns(note);
  log('one');
  log('two');
  await turn();
  log('three');
  await turn();
  expect(note.mock.calls).toEqual([[['one', 'two']], [['three']]]);
});

it.each([
  ['exits', 7],
  ['throws', 1],
])('loses no line if its process %s in the same turn', (ending, code) => {
  const ended = spawnSync(process.execPath, ['scripts/run.mjs', 'test/cli/fixtures/log-and-end.ts', ending], {
    encoding: 'utf8',
  });
  expect(ended.stderr).toContain('one\ntwo\n');
  expect(ended.status).toBe(code);
});
