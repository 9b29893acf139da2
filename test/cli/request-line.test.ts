import { expect, it } from 'vitest';
import { reportLine } from '../../src/cli/serving/request-line.js';

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
