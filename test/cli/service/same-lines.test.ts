import { expect, it } from 'vitest';
import { CONVERSATION, type Line, throughFunction, throughServe } from './conversation.js';

/** Fields that differ by nature: times, ids, and what only one host has. */
const OWN =
  /^(timestamp|durationMs|storeMs|serverMs|requestId|correlation_id|xray_trace_id|session|service|cold_start|sampling_rate|function_\w+)$/;
const comparable = (lines: readonly Line[]): Line[] =>
  lines
    .filter((line) => 'mcp.method.name' in line)
    .map((line) => Object.fromEntries(Object.entries(line).filter(([name]) => !OWN.test(name))));

it('writes the same lines about a conversation through a function and through serve', async () => {
  const ofFunction = comparable(await throughFunction());
  const ofServe = comparable(await throughServe());
  expect(ofServe).toEqual(ofFunction);
  // What the operator needs at night is there.
  expect(ofServe.map((line) => line['mcp.method.name'])).toEqual(CONVERSATION.map(({ method }) => method));
  for (const line of ofServe) expect(line.caller).toMatch(/^[0-9a-f]{16}$/);
  expect(ofServe[0]).toMatchObject({
    concerns: { effect: 'read', plan: 'free' },
    sources: { plan: 'claim' },
  });
  expect(ofServe[1]).toMatchObject({ shown: 4, total: 5, hidden: { concerns: { plan: 1 } } });
  expect(ofServe[4]).toMatchObject({
    level: 'WARN',
    'gen_ai.tool.name': 'wipe',
    effect: 'hide',
    reason: { code: 'concern-mismatch', concern: 'plan', source: expect.stringMatching(/policy\.yaml:8$/) },
  });
  expect(ofServe.slice(5, 7)).toMatchObject([
    { level: 'WARN', 'error.type': 'tool_error', isError: true },
    { level: 'WARN', 'error.type': '-32603', errorClass: 'internal-error' },
  ]);
});
