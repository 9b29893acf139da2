import { describe, expect, it } from 'vitest';
import { SHOWS_PAGES, victimOf } from './hostile-server.js';

const PAGE = 'ui://chart.html';
const ui = (visibility?: string) => ({
  _meta: { ui: { resourceUri: PAGE, ...(visibility === undefined ? {} : { visibility: [visibility] }) } },
});
const answers = {
  'tools/list': () => ({
    tools: [
      { name: 'chart', inputSchema: { type: 'object' }, ...ui() },
      { name: 'DROP_EVERYTHING', inputSchema: { type: 'object' }, ...ui('app') },
    ],
  }),
  'resources/list': () => ({ resources: [{ uri: PAGE, name: 'page' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'prompts/list': () => ({ prompts: [] }),
};
const call = { name: 'DROP_EVERYTHING', arguments: {} };

const EFFECT = `
concerns: { effect: { values: [read-only, destroys], match: at-most } }
primitives: { tools: { chart: { effect: read-only } } }
assign:
  - { when: { "!": [{ var: primitive.annotations.readOnlyHint }] }, to: { effect: destroys } }
settings: { enforcement: enforce }
`;

describe('what a server says about its pages', () => {
  it('does not add a tool to an allow-list', async () => {
    const policy =
      'primitives: { tools: { chart: {} } }\nsettings: { enforcement: enforce, unmapped: hide }\n';
    const { ask, reached } = await victimOf(policy, answers, SHOWS_PAGES);
    expect(await ask('tools/list')).not.toContain('DROP_EVERYTHING');
    await ask('tools/call', call);
    expect(reached).not.toContain('tools/call DROP_EVERYTHING');
    await ask('resources/read', { uri: PAGE });
    expect(reached).not.toContain(`resources/read ${PAGE}`);
  });

  it('does not replace what a person prefers', async () => {
    const { ask, reached } = await victimOf(EFFECT, answers, SHOWS_PAGES);
    await ask('updateConcerns', { concerns: { effect: 'read-only' } });
    const list = await ask('tools/list');
    expect(list).toContain('chart');
    expect(list).not.toContain('DROP_EVERYTHING');
    await ask('tools/call', call);
    expect(reached).not.toContain('tools/call DROP_EVERYTHING');
  });

  it('counts for nothing beside an entry of the policy for the page and its tool', async () => {
    const policy = `primitives: { tools: { chart: {}, DROP_EVERYTHING: {} }, resources: { "${PAGE}": {} } }
settings: { enforcement: enforce, unmapped: hide }\n`;
    const { ask, reached } = await victimOf(policy, answers, SHOWS_PAGES);
    expect(await ask('tools/list')).toContain('DROP_EVERYTHING');
    await ask('tools/call', call);
    await ask('resources/read', { uri: PAGE });
    expect(reached).toContain('tools/call DROP_EVERYTHING');
    expect(reached).toContain(`resources/read ${PAGE}`);
  });
});
