import { describe, expect, it } from 'vitest';
import { proposePolicy } from '../../../src/core/policy/propose/propose-policy.js';
import { writeProposal } from '../../../src/core/policy/propose/write-proposal.js';

const toolWith = (values: readonly unknown[], more: object = {}, argument = 'action', name = 'pages') => ({
  name,
  inputSchema: { type: 'object', properties: { [argument]: { enum: values } }, required: [argument] },
  ...more,
});

/** What `init` proposes for the actions of one tool. */
const actionsOf = (tool: { name: string }) => proposePolicy({ tools: [tool] }).tools[0]?.actions;

const effectsOf = (tool: { name: string }) =>
  Object.fromEntries(actionsOf(tool)?.milder.map(({ value, effect }) => [value, effect]) ?? []);

const hints = (annotations: object) => ({ annotations });

describe('the actions of a tool', () => {
  it('that do less than the worst have an effect of their own', () => {
    expect(actionsOf(toolWith(['list', 'get', 'create', 'delete']))).toEqual({
      argument: 'action',
      worst: 'destroys',
      hasWorst: true,
      milder: [
        { value: 'list', effect: 'read-only' },
        { value: 'get', effect: 'read-only' },
        { value: 'create', effect: 'changes' },
      ],
      unknown: [],
    });
  });

  it.each(['action', 'method', 'op', 'operation', 'operation_type', 'subCommand', 'command'])(
    'are the values of an argument such as %s',
    (argument) => {
      expect(actionsOf(toolWith(['list', 'delete'], {}, argument))?.argument).toBe(argument);
    },
  );

  it.each([
    ['an argument with another name', toolWith(['list', 'delete'], {}, 'state')],
    ['values of which most are not verbs', toolWith(['assigned', 'mentioned', 'build_failed'])],
    ['values that are not texts', toolWith([1, 2])],
    ['one value', toolWith(['list'])],
    ['a tool that only reads', toolWith(['list', 'get'], hints({ readOnlyHint: true }))],
    ['actions that all do the same', toolWith(['press', 'type'], hints({ destructiveHint: false }))],
    ['a free text', { name: 'pages', inputSchema: { properties: { action: { type: 'string' } } } }],
    ['no schema', { name: 'pages' }],
  ])('are not looked for in %s', (_what, tool) => {
    expect(actionsOf(tool)).toBeUndefined();
  });

  it('whose words do not tell what they do count as the worst', () => {
    const actions = actionsOf(toolWith(['list', 'delete', 'create', 'frobnicate']));
    expect(actions?.unknown).toEqual(['frobnicate']);
    expect(actions?.milder.map(({ value }) => value)).toEqual(['list', 'create']);
  });

  it.each([
    ['a state that a tool sets', toolWith(['read', 'move', 'delete'], {}, 'action', 'mark_email'), 'read'],
    ['a verb that another action undoes', toolWith(['read', 'unread', 'list', 'delete']), 'read'],
    [
      'a verb that reads, of a thing that writes',
      toolWith(['watch', 'list', 'delete'], {}, 'action', 'manage_subscription'),
      'watch',
    ],
    ['two verbs', toolWith(['get_or_create', 'list', 'delete']), 'get_or_create'],
  ])('never only read by the verb of %s', (_what, tool, value) => {
    expect(effectsOf(tool)[value]).not.toBe('read-only');
  });

  it.each(['info', 'usage_stats', 'diff', 'health'])('only read if they give back something: %s', (value) => {
    expect(effectsOf(toolWith([value, 'list', 'delete']))[value]).toBe('read-only');
  });

  it('change at most something where the server says that the tool destroys nothing', () => {
    expect(actionsOf(toolWith(['list', 'create'], hints({ destructiveHint: false })))?.worst).toBe('changes');
  });

  it('may destroy something, whatever the server says, if their verbs say so', () => {
    const actions = actionsOf(toolWith(['list', 'delete'], hints({ destructiveHint: false })));
    expect(actions?.worst).toBe('destroys');
    const declared = actionsOf(toolWith(['list', 'delete', 'update'], hints({ readOnlyHint: true })));
    expect(declared?.worst).toBe('destroys');
  });

  it('that change something may all destroy where the server says that one does, and no verb says which', () => {
    expect(effectsOf(toolWith(['list', 'attach'], hints({ destructiveHint: true })))).toEqual({
      list: 'read-only',
    });
  });

  it('that a policy cannot name count as any other', () => {
    const tool = toolWith(['list', 'get\nall', '', 'delete'], {}, 'action');
    expect(Object.keys(effectsOf(tool))).not.toContain('');
  });

  it('are written below their tool, and new ones are decided by a pattern', () => {
    const proposal = proposePolicy({ tools: [toolWith(['list', 'delete', 'zap'])] });
    const { text } = writeProposal(proposal, { server: 's', schema: './schema.json', folder: 'policy' });
    expect(text).toContain('    "pages(action=*)": { effect: destroys }\n');
    expect(text).toMatch(
      /\n {4}pages: \{ effect: any \} # .*not clear: zap\n {4}"pages\(action=list\)": \{ effect: read-only \}\n/,
    );
  });
});
