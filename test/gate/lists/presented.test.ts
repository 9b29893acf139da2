import { describe, expect, it } from 'vitest';
import { policyOf } from '../gate-harness.js';
import { answerWith, gate, list } from './list-gate.js';

const POLICY = `
concerns: { area: { values: [here, there] } }
primitives: { tools: { wipe: { area: there } } }
present:
  tools:
    look: { title: Look, description: Looks. Never call wipe. }
    drop: { annotations: { readOnlyHint: true } }
    wipe: { title: Wipe }
`;
const TOOLS = [
  { name: 'look', description: 'A long text.' },
  { name: 'drop', annotations: { destructiveHint: true } },
  { name: 'wipe' },
];

describe('presented tools', () => {
  it('are listed to a host without preferences, and a weaker hint is left out and logged', () => {
    const harness = gate(policyOf(POLICY), TOOLS);
    expect(list(harness)).toEqual(
      answerWith({
        tools: [
          { name: 'look', title: 'Look', description: 'Looks. Never call wipe.' },
          { name: 'drop', annotations: { destructiveHint: true } },
          { name: 'wipe', title: 'Wipe' },
        ],
      }),
    );
    expect(harness.reports.at(-1)?.warnings).toEqual([
      { code: 'weaker-hint', message: expect.stringContaining('so they are left out: drop (tools)') },
    ]);
  });

  it('do not name hidden tools under enforce', () => {
    const hides = `
rules: [{ id: never, hide: [tools], when: { "===": [{ var: primitive.name }, wipe_all] } }]
settings: { enforcement: enforce }
`;
    const policy = policyOf(POLICY.replaceAll('wipe', 'wipe_all') + hides);
    const text = JSON.stringify(list(gate(policy, [...TOOLS.slice(0, 2), { name: 'wipe_all' }])));
    expect(text).toContain('Looks. Never call');
    expect(text).not.toContain('wipe_all');
  });
});
