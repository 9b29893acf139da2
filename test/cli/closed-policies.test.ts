import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writePolicy } from '../../src/cli/terminal/write-policy.js';
import { parsePolicy } from '../../src/core/policy/compile/parse.js';
import { newlyVisible } from '../../src/core/policy/diff/newly-visible.js';
import { run } from './run.js';

const root = mkdtempSync(join(tmpdir(), 'closed-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Policies that show a tool only to callers whom they name, each with two entries or patterns, where it has some. */
const ROLE = 'role: { values: [admin, user], multiple: true, set-by: operator, claim: roles }';
const SHAPES: Readonly<Record<string, string>> = {
  'entries by role': `concerns:
  ${ROLE}
primitives:
  tools:
    read_note: { role: [admin, user] }
    edit_note: { role: admin }
`,
  patterns: `concerns:
  ${ROLE}
patterns:
  tools:
    "read_*": { role: [admin, user] }
    "edit_*": { role: admin }
`,
  'a show rule on a claim': `rules:
  - id: acl
    show: [tools]
    when: { in: [{ var: primitive.name }, { var: claims.tools }] }
`,
  'an effect beside a role': `concerns:
  effect: { values: [read-only, changes, destroys], match: at-most }
  ${ROLE}
primitives:
  tools:
    read_note: { effect: read-only, role: [admin, user] }
    edit_note: { effect: changes, role: admin }
`,
  'scopes with a default': `concerns:
  notes: { values: ["notes:read", "notes:write"], multiple: true, set-by: operator, claim: scope, default: "notes:read" }
primitives:
  tools:
    read_note: { notes: "notes:read" }
    edit_note: { notes: "notes:write" }
`,
  'values by tags': `concerns:
  ${ROLE}
assign:
  - when: { in: [public, { var: primitive.tags }] }
    to: { role: [admin, user] }
primitives:
  tools:
    edit_note: { role: admin }
`,
};
const tool = (name: string, more = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const READ = tool('read_note', { tags: ['public'] });
const EDIT = tool('edit_note');

/** What a server lists after a change: nothing that a policy hides may become visible by what a command writes. */
const CHANGES: Readonly<Record<string, readonly object[]>> = {
  'a new tool': [READ, EDIT, tool('drop_notes')],
  'a tool that is gone': [READ],
  'a pattern that matches nothing any more': [EDIT],
  'another name of a tool': [READ, tool('change_note')],
};

let folders = 0;
function project(body: string, unmapped = 'hide') {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  const policy = join(folder, 'policy.yaml');
  writeFileSync(policy, `version: 1\n${body}settings: { enforcement: enforce, unmapped: ${unmapped} }\n`);
  const catalog = (tools: readonly object[]): string => {
    const file = join(folder, 'catalog.json');
    writeFileSync(file, JSON.stringify({ tools }));
    return file;
  };
  return { policy, catalog, text: () => readFileSync(policy, 'utf8') };
}

function opened(before: string, after: string, tools: readonly object[]) {
  const [old, now] = [before, after].map((text) => parsePolicy(new Map([['policy.yaml', text]])).compiled);
  if (old === undefined || now === undefined) throw new Error('A policy has errors.');
  return newlyVisible(old, now, { tools: tools as { name: string }[] });
}

const cases = Object.entries(SHAPES).flatMap(([shape, body]) =>
  Object.entries(CHANGES).flatMap(([change, tools]) =>
    ['hide', 'show'].map((unmapped) => ({ shape, body, change, tools, unmapped })),
  ),
);

describe.each(cases)('$shape, unmapped: $unmapped, $change', ({ body, tools, unmapped }) => {
  it('init --update opens nothing, and a second run changes nothing', async () => {
    const { policy, catalog, text } = project(body, unmapped);
    const before = text();
    const update = () => run('init', '--update', '-o', policy, '--catalog', catalog(tools));
    expect(await update()).toMatchObject({ code: 0 });
    const after = text();
    expect(opened(before, after, tools)).toEqual([]);
    expect(await update()).toMatchObject({ code: 0 });
    expect(text()).toBe(after);
  });

  it('check --fix opens nothing', async () => {
    const { policy, catalog, text } = project(body, unmapped);
    const before = text();
    await run('check', '--fix', policy, '--catalog', catalog(tools));
    expect(opened(before, text(), tools)).toEqual([]);
  });
});

describe('init --update', () => {
  it.each(Object.entries(SHAPES))(
    'keeps a policy closed while a server gains, loses and renames tools: %s',
    async (_shape, body) => {
      const { policy, catalog, text } = project(body);
      const first = text();
      const servers = [
        [READ, EDIT, tool('drop_notes'), tool('get_note')],
        [READ, tool('get_note')],
        [READ, tool('change_note'), tool('drop_all')],
      ];
      for (const tools of servers) {
        const before = text();
        const { code } = await run('init', '--update', '-o', policy, '--catalog', catalog(tools));
        expect(code).toBe(0);
        expect(opened(before, text(), tools)).toEqual([]);
        expect(opened(first, text(), tools)).toEqual([]);
      }
    },
  );

  it('lists under review what an entry would open, without an effect', async () => {
    const { policy, catalog, text } = project(SHAPES['a show rule on a claim'] ?? '');
    const tools = [READ, tool('drop_notes')];
    const { stderr } = await run('init', '--update', '-o', policy, '--catalog', catalog(tools));
    expect(stderr).toContain('New and left hidden: read_note, drop_notes.');
    expect(text()).toContain('review:\n  tools:\n    - read_note\n    - drop_notes\n');
    const checked = await run('check', policy, '--catalog', catalog(tools));
    expect(checked.stdout).not.toContain('unmapped');
    const shown = await run('list', policy, '--catalog', catalog(tools), '--format', 'names');
    expect(shown).toMatchObject({ code: 0, stdout: '' });
  });

  it('adds an entry for what a person opens by name', async () => {
    const { policy, catalog, text } = project(SHAPES['a show rule on a claim'] ?? '');
    const tools = [READ, tool('drop_notes')];
    const update = (...open: string[]) =>
      run('init', '--update', '-o', policy, '--catalog', catalog(tools), ...open);
    expect((await update('--open', 'read_note')).code).toBe(0);
    expect(opened(policyOf(SHAPES['a show rule on a claim']), text(), tools).map(({ name }) => name)).toEqual(
      ['read_note'],
    );
    expect(text()).toContain('    - drop_notes\n');
    expect(text()).not.toContain('    - read_note\n');
  });
});

const policyOf = (body = '') => `version: 1\n${body}settings: { enforcement: enforce, unmapped: hide }\n`;

describe('writePolicy', () => {
  const change = (after: string, open: readonly string[] = []) => {
    const { policy, text } = project(SHAPES['entries by role'] ?? '');
    const before = text();
    const catalog = { tools: [READ, EDIT, tool('drop_notes')] };
    const write = () =>
      writePolicy([
        { before: new Map([[policy, before]]), changed: new Map([[policy, after]]), catalog, open },
      ]);
    return { write, text, before };
  };
  const OPEN = `${policyOf(SHAPES['entries by role']).replace('settings:', '    drop_notes: {}\nsettings:')}`;

  it('refuses what opens, and leaves the file as it is', () => {
    const { write, text, before } = change(OPEN);
    expect(write).toThrow(/^Nothing was written.*the tool drop_notes.*pass --open "drop_notes"\.$/);
    expect(text()).toBe(before);
  });

  it('refuses what opens later', () => {
    const body = SHAPES['entries by role'] ?? '';
    const shown = `version: 1\n${body}settings: { unmapped: show }\n`;
    const write = () =>
      writePolicy([
        {
          before: new Map([['never-written.yaml', shown]]),
          changed: new Map([['never-written.yaml', shown.replace(/ {4}edit_note.*\n/, '')]]),
          catalog: { tools: [READ] },
        },
      ]);
    expect(write).toThrow(/tools like edit_note that the server adds/);
  });

  it('writes what a person agreed to', () => {
    const { write, text } = change(OPEN, ['drop_notes']);
    write();
    expect(text()).toBe(OPEN);
  });

  it('repairs a policy with errors, which no server serves', () => {
    const { policy, text } = project('concern: {}\n');
    const fixed = policyOf();
    writePolicy([{ before: new Map([[policy, text()]]), changed: new Map([[policy, fixed]]) }]);
    expect(text()).toBe(fixed);
  });

  it('writes all files of all changes, or none', () => {
    const [one, two] = [project(SHAPES.patterns ?? ''), project(SHAPES.patterns ?? '')];
    const before = [one.text(), two.text()];
    const changes = [one, two].map(({ policy, text }, index) => ({
      before: new Map([[policy, text()]]),
      changed: new Map([[policy, index === 0 ? `# new\n${text()}` : text().replace('hide', 'show')]]),
    }));
    expect(() => writePolicy(changes, new Map([[join(root, 'other.txt'), '']]))).toThrow(
      'Nothing was written',
    );
    expect([one.text(), two.text()]).toEqual(before);
  });
});
