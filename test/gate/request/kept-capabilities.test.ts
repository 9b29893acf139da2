import { describe, expect, it } from 'vitest';
import type { SessionPreferences } from '../../../src/core/gate/request/kept-preferences.js';
import { read } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const hidden = (name: string, path: string) => `
  - { id: ${name}, hide: [tools], when: { and: [{ "===": [{ var: primitive.name }, ${name}] }, { "!": { var: ${path} } }] } }`;
const TASKS = `\nrules:${hidden('tasks', 'client.capabilities.extensions.io.modelcontextprotocol/tasks')}`;
const BOTH = `${TASKS}${hidden('roots', 'client.capabilities.roots')}`;
const TOOLS = [{ name: 'tasks' }, { name: 'roots' }];

function connect(yaml: string, capabilities: unknown) {
  const preferences: SessionPreferences = { place: 'connection', record: {} };
  const harness = new Harness(policyOf(yaml), preferences).serve({ 'tools/list': TOOLS });
  harness.request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities });
  let id = 1;
  const shown = (): unknown[] => {
    harness.request(++id, 'tools/list');
    const [answer] = harness.answers(id);
    const tools = read(answer, 'result', 'tools');
    return Array.isArray(tools) ? tools.map((tool) => read(tool, 'name')) : [];
  };
  return { harness, preferences, shown };
}

const extensions = { 'io.modelcontextprotocol/tasks': { list: {} } };

describe('the capabilities that a session keeps', () => {
  it('are only those that rules read', () => {
    const large = { extensions: { ...extensions, other: 'x'.repeat(3_500_000) }, sampling: {} };
    const { preferences, shown } = connect(TASKS, large);
    expect(shown()).toEqual(['tasks', 'roots']);
    expect(JSON.stringify(preferences).length).toBeLessThan(300);
  });

  it.each([
    ['an object', { list: 'x'.repeat(3_500_000) }],
    ['a text', 'x'.repeat(3_500_000)],
    ['a list', ['x'.repeat(3_500_000)]],
  ])('do not contain what is in %s, even if a rule reads it', (_what, tasks) => {
    const { preferences, shown } = connect(TASKS, { extensions: { 'io.modelcontextprotocol/tasks': tasks } });
    expect(shown()).toEqual(['tasks', 'roots']);
    expect(JSON.stringify(preferences).length).toBeLessThan(300);
  });

  it('are none if no rule reads them', () => {
    const { preferences } = connect('\nrules: []\n', { sampling: {} });
    expect(preferences).toEqual({ place: 'connection', record: { listChanged: [] } });
  });

  it('differ from capabilities that the client lacks', () => {
    expect(connect(BOTH, {}).shown()).toEqual([]);
    expect(connect(BOTH, { extensions }).shown()).toEqual(['tasks']);
    expect(connect(BOTH, { extensions, roots: {} }).shown()).toEqual(['tasks', 'roots']);
    expect(connect(BOTH, undefined).shown()).toEqual([]);
  });

  it('are not known to a later policy that reads more of them', () => {
    const { harness, shown } = connect(TASKS, {});
    expect(shown()).toEqual(['roots']);
    harness.live.replace(policyOf(BOTH));
    // A rule that reads what the client can do does not fire while that is not known.
    expect(shown()).toEqual(['tasks', 'roots']);
    harness.live.replace(policyOf(TASKS));
    expect(shown()).toEqual(['roots']);
  });

  it('are all known if an earlier version of this package stored them', () => {
    const record = { clientCapabilities: { roots: {} } };
    const harness = new Harness(policyOf(BOTH), { place: 'connection', record }).serve({
      'tools/list': TOOLS,
    });
    harness.request(1, 'tools/list');
    expect(harness.answers(1)[0]).toMatchObject({ result: { tools: [{ name: 'roots' }] } });
  });
});
