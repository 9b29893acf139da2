import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/core/exact-json.js';
import { read } from '../../../src/core/wire/messages.js';
import { Harness, policyOf } from '../gate-harness.js';

const EFFECTS = `
concerns:
  effect: { values: [read-only, changes, destroys], match: at-most, default: read-only }
`;
const POLICY = `${EFFECTS}
primitives:
  tools:
    projects: {}
    projects(action=create): { effect: changes }
    projects(name): { effect: changes }
patterns:
  tools:
    "projects(action=*)": { effect: destroys }
    "projects(action=list*)": { effect: read-only }
present:
  tools:
    projects(action=list): { annotations: { readOnlyHint: true } }
`;
const PROJECTS = {
  name: 'projects',
  annotations: { destructiveHint: true },
  inputSchema: {
    type: 'object',
    properties: {
      action: { type: 'string', enum: ['list', 'create', 'delete'], 'x-mcp-header': 'Action' },
      name: { type: 'string' },
      count: { type: 'integer' },
    },
    required: ['action'],
  },
};
const gate = (settings: string, policy = POLICY, tools: object[] = [PROJECTS]) =>
  new Harness(policyOf(`${policy}\nsettings: { ${settings} }`), {
    place: 'connection',
    record: { listChanged: ['tools'] },
  }).serve({ 'tools/list': tools });

async function call(harness: Harness, args: unknown, params: object = {}, name = 'projects') {
  const id = harness.toClient.length + harness.toServer.length + 1;
  harness.request(id, 'tools/call', { name, arguments: args, ...params });
  await expect.poll(() => harness.answers(id)).toHaveLength(1);
  return harness.answers(id)[0];
}
async function listed(harness: Harness) {
  harness.request('l', 'tools/list');
  await expect.poll(() => harness.answers('l')).toHaveLength(1);
  const [answer] = harness.answers('l') as readonly unknown[];
  return (answer as { result: { tools: (typeof PROJECTS)[] } }).result.tools;
}
const callsOf = ({ toServer }: Harness) =>
  toServer.flatMap((message) =>
    'method' in message && message.method === 'tools/call' ? [message.params] : [],
  );
const refusal = (text: string) => ({
  result: {
    content: [{ type: 'text', text: `Invalid arguments for tool projects: ${text}.` }],
    isError: true,
  },
});
const ENFORCE = 'enforcement: enforce, defaults: always';

describe('under enforce', () => {
  it('lists what is left of a tool, with hints that are true for it', async () => {
    expect(await listed(gate(ENFORCE))).toEqual([
      {
        name: 'projects',
        annotations: { destructiveHint: true, readOnlyHint: true },
        inputSchema: {
          type: 'object',
          properties: {
            action: { type: 'string', enum: ['list'], 'x-mcp-header': 'Action' },
            count: { type: 'integer' },
          },
          required: ['action'],
          additionalProperties: false,
        },
      },
    ]);
  });

  it.each([
    ['a hidden value', { action: 'delete' }, 'action must be one of "list"'],
    ['a value that does not exist', { action: 'nope' }, 'action must be one of "list"'],
    ['other letters', { action: 'LIST' }, 'action must be one of "list"'],
    ['a list', { action: ['list'] }, 'action must be one of "list"'],
    ['no value', {}, 'action is required, and must be one of "list"'],
    ['no arguments', undefined, 'action is required, and must be one of "list"'],
    ['null as arguments', null, 'action is required, and must be one of "list"'],
    ['a list as arguments', ['list'], 'they must be an object'],
    ['a text as arguments', 'list', 'they must be an object'],
    ['a hidden argument', { action: 'list', name: 'x' }, '"name" is not an argument'],
    ['an argument that is not declared', { action: 'list', ACTION: 'delete' }, '"ACTION" is not an argument'],
    ['a member of objects', JSON.parse('{"action":"list","__proto__":{}}'), '"__proto__" is not an argument'],
  ])('refuses %s in the words of the list, and does not ask the server', async (_what, args, text) => {
    const harness = gate(ENFORCE);
    expect(await call(harness, args)).toMatchObject(refusal(text));
    expect(callsOf(harness)).toEqual([]);
  });

  it('writes the arguments that were decided, where a text has a member twice', async () => {
    const harness = gate(ENFORCE);
    await call(harness, parseExact('{"action":"delete","action":"list","count":20000000000000003}'));
    const args = parseExact('{"action":"list","count":20000000000000003}');
    expect(JSON.stringify(callsOf(harness))).toBe(JSON.stringify([{ name: 'projects', arguments: args }]));
  });

  it('answers a call that wants a task with an error', async () => {
    const answer = await call(gate(ENFORCE), { action: 'delete' }, { task: {} });
    expect(answer).toMatchObject({
      error: { code: -32602, message: 'Invalid arguments for tool projects: action must be one of "list".' },
    });
  });

  it('lets the server answer in its own words where nothing is hidden', async () => {
    const harness = gate('enforcement: enforce');
    const args = { action: 'nope', other: 1 };
    await call(harness, args);
    expect(callsOf(harness)).toEqual([{ name: 'projects', arguments: args }]);
  });

  it('reports why a use is hidden, and nothing that the client sent', async () => {
    const harness = gate(ENFORCE);
    await call(harness, { action: 'delete' });
    await call(harness, { action: 'list', 'my-secret': 'my-value' });
    await expect
      .poll(() => harness.reports.filter(({ refused }) => refused === 'tools/call'))
      .toHaveLength(2);
    const [hidden, undeclared] = harness.reports.filter(({ refused }) => refused !== undefined);
    expect(hidden?.argument).toBe('action');
    expect(undeclared?.argument).toBe('');
    expect(hidden).toMatchObject({
      isError: true,
      decision: { effect: 'hide', reason: { code: 'concern-mismatch', concern: 'effect' } },
    });
    expect(undeclared?.decision).toEqual({ effect: 'hide', reason: { code: 'argument', argument: '' } });
    expect(JSON.stringify(harness.reports)).not.toMatch(/my-/);
  });

  it('reports no value that a rule compared with what the client sent', async () => {
    const rule = 'rules: [{ id: r, hide: [tools], when: { "===": [{ var: arguments.name }, my-value] } }]';
    const harness = gate(ENFORCE, `${EFFECTS}primitives: { tools: { projects: {} } }\n${rule}`);
    expect(await call(harness, { action: 'list', name: 'my-value' })).toMatchObject({
      result: { isError: true },
    });
    const report = harness.reports.find(({ refused }) => refused === 'tools/call');
    expect(report?.decision).toEqual({
      effect: 'hide',
      reason: { code: 'rule', rule: 'r', source: expect.any(String), values: {} },
    });
  });

  it('lets a call of two tools with one name pass only if it passes for each', async () => {
    const properties = { ...PROJECTS.inputSchema.properties, other: { type: 'string' } };
    const wide = { ...PROJECTS, inputSchema: { ...PROJECTS.inputSchema, properties } };
    for (const tools of [
      [wide, PROJECTS],
      [PROJECTS, wide],
    ]) {
      const harness = gate(ENFORCE, POLICY, tools);
      await call(harness, { action: 'list', other: 'x' });
      expect(callsOf(harness)).toEqual([]);
      await call(harness, { action: 'list', count: 1 });
      expect(callsOf(harness)).toHaveLength(1);
    }
  });

  it('refuses a bound argument in any letters, of a tool that does not declare it', async () => {
    const policy = `${EFFECTS}primitives: { tools: { projects: {} } }\nbind: { project_id: mine }`;
    const harness = gate(ENFORCE, policy);
    for (const name of ['project_id', 'Project_ID', 'PROJECT_ID'])
      expect(await call(harness, { action: 'list', [name]: 'other' })).toMatchObject(
        refusal(`"${name}" is not an argument`),
      );
    expect(callsOf(harness)).toEqual([]);
    await call(harness, { action: 'delete', other: 1 });
    expect(callsOf(harness)).toHaveLength(1);
  });

  it('refuses a tool that no list has, although an entry names it', async () => {
    const harness = gate(ENFORCE, POLICY, []);
    await call(harness, { action: 'list' });
    expect(JSON.stringify(callsOf(harness))).not.toContain('"projects"');
  });

  it('matches no entry of a use with a tool that has its name', async () => {
    const tool = { ...PROJECTS, name: 'projects(action=list)', annotations: {} };
    const harness = gate(`${ENFORCE}, unmapped: hide`, POLICY, [tool, PROJECTS]);
    expect((await listed(harness)).map(({ name }) => name)).toEqual(['projects']);
  });
});

it('has no hint of values that a call may leave out, unless the policy says it of that too', async () => {
  const inputSchema = { ...PROJECTS.inputSchema, required: [] };
  const policy = POLICY.replace(
    'projects(name):',
    'projects(action=): { effect: read-only }\n    projects(name):',
  );
  const annotationsFor = async (text: string) =>
    (await listed(gate(ENFORCE, text, [{ ...PROJECTS, inputSchema }])))[0]?.annotations;
  expect(await annotationsFor(policy)).toEqual({ destructiveHint: true });
  const also = policy.replace(
    'projects(action=list): { annotations',
    'projects(action=): { annotations: { readOnlyHint: true } }\n    projects(action=list): { annotations',
  );
  expect(await annotationsFor(also)).toEqual({ destructiveHint: true, readOnlyHint: true });
});

it('narrows lists under advisory, without better hints, and lets calls pass', async () => {
  const harness = gate('defaults: always');
  const [tool] = await listed(harness);
  expect(tool?.inputSchema.properties.action.enum).toEqual(['list']);
  expect(tool?.annotations).toEqual({ destructiveHint: true });
  await call(harness, { action: 'delete' });
  expect(callsOf(harness)).toHaveLength(1);
});

it('changes nothing under shadow, and reports what would be refused', async () => {
  const harness = gate('enforcement: shadow, defaults: always');
  expect(await listed(harness)).toEqual([PROJECTS]);
  const args = { action: 'delete' };
  await call(harness, args);
  expect(callsOf(harness)).toEqual([{ name: 'projects', arguments: args }]);
  expect(harness.reports.find(({ refused }) => refused === 'tools/call')?.decision).toMatchObject({
    effect: 'hide',
    reason: { code: 'concern-mismatch' },
  });
});

it('says under stable lists who can switch a use that the list shows', async () => {
  const harness = gate('enforcement: enforce, lists: stable');
  harness.request('u', 'updateConcerns', { concerns: { effect: 'read-only' } });
  await expect.poll(() => harness.answers('u')).toHaveLength(1);
  expect(await listed(harness)).toEqual([PROJECTS]);
  expect(await call(harness, { action: 'delete' })).toMatchObject({
    result: {
      isError: true,
      content: [
        {
          text: '"projects(action)" is switched off, because effect is read-only; do not retry: the person must change that first.',
        },
      ],
    },
  });
  expect(await call(harness, { action: 'nope' })).toMatchObject({ result: { isError: true } });
  expect(callsOf(harness)).toEqual([]);
});

describe('scopes that callers can get', () => {
  const policy = `
concerns: { scope: { values: ["x:read", "x:delete"], multiple: true, set-by: operator, claim: scope, obtainable: true } }
primitives: { tools: { projects: {}, "projects(action=delete)": { scope: "x:delete" } } }
`;
  it.each([
    [{ action: 'delete' }, -32003],
    [{ action: 'list' }, undefined],
  ])('asks for the scope of a use: %j', async (args, code) => {
    const harness = gate('enforcement: enforce', policy);
    const answer = await call(harness, args);
    expect(answer && 'error' in answer ? answer.error : undefined).toEqual(
      code === undefined ? undefined : expect.objectContaining({ code, data: { scope: 'x:delete' } }),
    );
    expect(callsOf(harness)).toHaveLength(code === undefined ? 1 : 0);
  });

  it('asks for all scopes that the uses of a call take', async () => {
    const more = policy.replace(
      '"projects(action=delete)"',
      '"projects(name=secret)": { scope: "x:delete" }, "projects(name)": { scope: "x:read" }, "projects(action=delete)"',
    );
    const harness = gate('enforcement: enforce', more);
    const scopesOf = async (args: object) => {
      const answer = await call(harness, args);
      return answer && 'error' in answer ? answer.error.data : undefined;
    };
    expect(await scopesOf({ action: 'list', name: 'x' })).toEqual({ scope: 'x:read' });
    expect(await scopesOf({ action: 'list', name: 'secret' })).toEqual({ scope: 'x:delete x:read' });
    expect(callsOf(harness)).toEqual([]);
  });

  it('does not let a call in other letters run without the scope', async () => {
    const harness = gate('enforcement: enforce', policy);
    await call(harness, { action: 'list', Action: 'delete' });
    expect(callsOf(harness)).toEqual([]);
  });
});

describe('values that name hidden tools', () => {
  const policy = `
concerns: { effect: { values: [read, write], match: at-most, default: read } }
primitives:
  tools: { run_tool: {}, read_file: { effect: read }, write_file: { effect: write }, "run_tool(tool=purge_all)": { effect: write } }
`;
  const tool = (name: string, properties: object = {}) => ({
    name,
    inputSchema: { type: 'object', properties },
  });
  const tools = [
    tool('run_tool', { tool: { type: 'string', enum: ['read_file', 'write_file', 'purge_all'] } }),
    tool('read_file'),
    tool('write_file'),
  ];

  it('stay out of narrowed alternatives', async () => {
    const values = ['read_file', 'write_file', 'purge_all'].map((value) => ({ const: value }));
    const [, ...others] = tools;
    const harness = gate(ENFORCE, policy, [tool('run_tool', { tool: { oneOf: values } }), ...others]);
    const [narrowed] = await listed(harness);
    expect(narrowed?.inputSchema.properties).toEqual({ tool: { type: 'string', enum: ['read_file'] } });
  });

  it.each([
    ['beside others', ['read_file', 'write_file'], { type: 'string', enum: ['read_file'] }],
    ['alone', ['write_file'], undefined],
  ])('do not pass where the policy hides no use: %s', async (_where, values, listedAs) => {
    const open = policy.replace(
      '"run_tool(tool=purge_all)": { effect: write }',
      '"run_tool(tool=read_file)": {}',
    );
    const [, ...others] = tools;
    const harness = gate(ENFORCE, open, [
      tool('run_tool', { tool: { type: 'string', enum: values } }),
      ...others,
    ]);
    const [narrowed] = await listed(harness);
    expect(read(narrowed, 'inputSchema', 'properties', 'tool')).toEqual(listedAs);
    const answer = await call(harness, { tool: 'write_file' }, {}, 'run_tool');
    expect(answer).toMatchObject({ result: { isError: true } });
    expect(callsOf(harness)).toEqual([]);
  });

  it('stay out of a narrowed enum, and do not pass', async () => {
    const harness = gate(ENFORCE, policy, tools);
    const [narrowed] = await listed(harness);
    expect(narrowed?.inputSchema.properties).toEqual({ tool: { type: 'string', enum: ['read_file'] } });
    const answer = await call(harness, { tool: 'write_file' }, {}, 'run_tool');
    expect(JSON.stringify(answer)).toContain('must be one of \\"read_file\\"');
    expect(callsOf(harness)).toEqual([]);
    await call(harness, { tool: 'read_file' }, {}, 'run_tool');
    expect(callsOf(harness)).toHaveLength(1);
  });
});

describe('a changed schema', () => {
  const changes = (harness: Harness) =>
    harness.toClient.filter(
      (message) => 'method' in message && message.method === 'notifications/tools/list_changed',
    ).length;
  const switched = async (settings: string) => {
    const harness = gate(settings);
    for (const [id, effect] of [
      ['first', 'destroys'],
      ['second', 'changes'],
    ] as const) {
      harness.request(id, 'updateConcerns', { concerns: { effect } });
      await expect.poll(() => harness.answers(id)).toHaveLength(1);
      if (id === 'first') await listed(harness);
    }
    return harness;
  };

  it('is a changed list, which is announced once', async () => {
    const harness = await switched(ENFORCE);
    expect(changes(harness)).toBeGreaterThan(0);
    const before = changes(harness);
    harness.request('same', 'updateConcerns', { concerns: { effect: 'changes' } });
    await expect.poll(() => harness.answers('same')).toHaveLength(1);
    expect(changes(harness)).toBe(before);
  });

  it('is not announced under stable lists', async () => {
    expect(changes(await switched('enforcement: enforce, lists: stable'))).toBe(0);
  });

  it('of which only hidden values change is not announced', async () => {
    const served: object[] = [PROJECTS];
    const harness = new Harness(policyOf(`${POLICY}\nsettings: { ${ENFORCE} }`)).serve({
      'tools/list': served,
    });
    await listed(harness);
    const before = changes(harness);
    await harness.server({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    expect(changes(harness)).toBe(before);
  });
});
