import { describe, expect, it } from 'vitest';
import { listHiddenTools } from '../../../src/core/gate/panel/hidden-tools.js';
import { panelState } from '../../../src/core/gate/panel/panel-state.js';
import { stateOf as stateOfOf } from '../../../src/core/gate/panel/switches.js';
import { bindAll, configureFor } from '../../slow/browser/states.js';
import { gathered } from '../exchange-of.js';
import { policyOf } from '../gate-harness.js';
import { talkTo } from './panel-policy.js';

const tool = (name: string, argument: string, values: readonly string[]) => ({
  name,
  description: `About ${name}`,
  inputSchema: {
    type: 'object',
    properties: { [argument]: { type: 'string', enum: values }, note: { type: 'string' } },
    required: [argument],
  },
});
const PROJECTS = tool('projects', 'action', ['list', 'get', 'create', 'delete', 'purge']);
const TOOLS = [PROJECTS, tool('wipe', 'target', ['all']), { name: 'ping' }];

/** `purge` is for operators only. */
const POLICY = `
concerns:
  effect: { values: [read-only, destroys], match: at-most }
  role: { values: [user, admin], match: at-most, set-by: operator, claim: role, default: user }
primitives:
  tools:
    projects(action=delete): { effect: destroys }
    projects(action=create): { effect: destroys }
    projects(action=purge): { role: admin }
    projects(note): { effect: destroys }
    wipe(target=all): { effect: destroys }
patterns: { tools: { "projects(action=*)": { effect: read-only } } }
settings: { unmapped: show, enforcement: enforce }
`;

const tokensOf = (definition: object): number => JSON.stringify(definition).length;
const documentOf = (preferences: Record<string, string | null>, text = POLICY, count = tokensOf) => {
  const policy = policyOf(text);
  return panelState({
    preferences,
    configure: configureFor(policy),
    catalogs: bindAll(policy, { tools: TOOLS }),
    tokensOf: count,
    ...{ revision: 1, server: { name: 'test' }, session: 's', sessions: [], warnings: [] },
  });
};

/** The tool as a host gets it. */
const narrowed = (values: readonly string[], hasNote: boolean) => ({
  ...PROJECTS,
  inputSchema: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: values },
      ...(hasNote ? { note: { type: 'string' } } : {}),
    },
    required: ['action'],
    additionalProperties: false,
  },
});

describe('the page of a server with uses', () => {
  it('counts tools, and the tokens of what is left of them', () => {
    const { shown, items, concerns, total, rulesDecide } = documentOf({ effect: 'read-only' });
    const left = tokensOf(narrowed(['list', 'get'], false));
    const ping = tokensOf({ name: 'ping' });
    expect(shown).toEqual({ tools: 2, tokens: left + ping });
    expect(items.map(({ name, shown, tokens }) => [name, shown, tokens])).toEqual([
      ['projects', true, left],
      ['wipe', false, tokensOf(TOOLS[1] ?? {})],
      ['ping', true, ping],
    ]);
    const all =
      tokensOf(narrowed(['list', 'get', 'create', 'delete'], true)) + tokensOf(TOOLS[1] ?? {}) + ping;
    expect(concerns[0]?.options?.map(({ value, tools, tokens }) => [value, tools, tokens])).toEqual([
      ['read-only', 2, left + ping],
      ['destroys', 3, all],
      [null, 3, all],
    ]);
    // What only the operator hides is not counted either.
    expect(total).toEqual({ tools: 3, tokens: all });
    // Only the engine can tell what is left after a change.
    expect(rulesDecide).toBe(true);
  });

  it('counts once what many preferences leave of a tool', () => {
    const topics = Array.from({ length: 20 }, (_, at) => `t${at}`);
    const text = POLICY.replace('concerns:', `concerns:\n  topic: { values: [${topics}] }`);
    const counted: string[] = [];
    documentOf({ effect: 'read-only' }, text, (definition) => counted.push(JSON.stringify(definition)));
    expect(counted).toHaveLength(new Set(counted).size);
    // Three tools, and one of them without what two preferences hide.
    expect(counted).toHaveLength(4);
  });

  it('says what preferences have taken away, and not what only the operator hides', () => {
    const state = documentOf({ effect: 'read-only' });
    expect(state.items[0]?.left).toEqual(['2 of 4 values of action', 'without note']);
    expect(state.items[1]).toMatchObject({
      reason: { code: 'argument' },
      change: { effect: 'destroys' },
      after: 3,
    });
    expect(JSON.stringify(documentOf({}))).not.toMatch(/"left"|purge|admin/);
  });

  it('tells at once what a change shows if no use depends on preferences', () => {
    const text = POLICY.replace(/\{ effect: (destroys|read-only) \}/g, '{ role: admin }');
    expect(documentOf({}, text).rulesDecide).toBeUndefined();
    const bound = `${text}bind: { note: { var: concerns.effect } }\n`;
    expect(documentOf({}, bound).rulesDecide).toBe(true);
  });
});

describe('a tool of which only concerns that are open to models hide all calls', () => {
  const policy = policyOf(`
concerns:
  topic: { values: [news, stocks], multiple: true, model: free }
  role: { values: [user, admin], match: at-most, set-by: operator, claim: role, default: user }
primitives:
  tools:
    wipe(target=all): { topic: news }
    projects(action=list): { role: admin }
    projects(action=get): { topic: news, role: user }
patterns: { tools: { "projects(action=*)": { role: admin } } }
settings: { unmapped: show, panel: on }
`);
  const calling = (record: object) =>
    talkTo(policy, {}, record, TOOLS).configured('tools/call', { name: 'concerns' });

  it('is named to the model, with the value that shows a use', async () => {
    const text = await gathered(listHiddenTools)(await calling({ concerns: { topic: ['stocks'] } }));
    expect(text).toBe('topic news:\nprojects: About projects\nwipe: About wipe');
  });

  it('is on the page of a person as added, if the model adds it', async () => {
    const record = { concerns: { topic: ['stocks'] }, model: { '+tools': ['wipe', 'projects'] } };
    const { concerns, items } = await gathered(stateOfOf)(await calling(record));
    expect(concerns.map(({ added }) => added)).toEqual([['projects', 'wipe'], undefined]);
    expect(items.map(({ name, shown }) => [name, shown])).toEqual([
      ['projects', true],
      ['wipe', true],
      ['ping', true],
    ]);
  });
});
