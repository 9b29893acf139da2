import { expect, it } from 'vitest';
import { adviceFor } from '../../src/web/page/host-advice.js';

const OLD = 'Claude Code 2.1.197 sends removed tools until your next message.';
const NEW = 'Claude Code 2.1.330 sends removed tools until /clear, unless its tool search is on.';

it.each([
  ['claude-code', '2.1.197', OLD],
  ['Claude Code', '2.1.330', NEW],
  ['claude-code', undefined, NEW],
  ['claude-code', '2.1.250', `Version 2.1.250 was not measured. ${OLD} ${NEW}`],
  ['claude-code', '2.2', `Version 2.2 was not measured. ${NEW}`],
  ['claude-code', '1.9.999', `Version 1.9.999 was not measured. ${OLD}`],
  ['gemini-cli', '0.61.0', undefined],
])('says of %s %s what was measured for this version', (client, version, advice) => {
  expect(adviceFor(client, version)).toBe(advice);
});
