import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'uses-'));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const catalog = write(
  'server.json',
  JSON.stringify({
    tools: [
      {
        name: 'projects',
        description: 'Manage projects',
        inputSchema: {
          type: 'object',
          properties: {
            action: { type: 'string', enum: ['list', 'get', 'delete'] },
            force: { type: 'boolean' },
          },
          required: ['action'],
        },
      },
      {
        name: 'wipe',
        inputSchema: {
          type: 'object',
          properties: { target: { type: 'string', enum: ['all'] } },
          required: ['target'],
        },
      },
    ],
  }),
);
const POLICY = `version: 1
concerns: { effect: { values: [read-only, destroys], match: at-most } }
primitives:
  tools:
    projects: {}
    projects(action=delete): { effect: destroys }
    projects(force): { effect: destroys }
    wipe: {}
    wipe(target=all): { effect: destroys }
patterns: { tools: { "projects(action=*)": { effect: read-only } } }
`;
const policy = write('policy.yaml', POLICY);
const ARGS = ['--policy', policy, '--catalog', catalog, '--concern', 'effect=read-only'] as const;

describe('commands about uses of tools', () => {
  it('list says what is left of a tool, and why another one is hidden', async () => {
    const { code, stdout } = await run('list', ...ARGS);
    expect(code).toBe(0);
    expect(stdout).toContain('projects (2 of 3 values of action, without force)');
    expect(stdout).toContain('no value of their argument target is left');
  });

  it('list counts the tokens of the narrowed definition', async () => {
    const { stdout } = await run('list', ...ARGS, '--format', 'json');
    const { tools, tokens } = JSON.parse(stdout) as {
      tools: { name: string; tokens: number; arguments?: string[] }[];
      tokens: { total: number; shown: number };
    };
    const [projects] = tools;
    expect(projects?.arguments).toEqual(['2 of 3 values of action', 'without force']);
    expect(tokens.shown).toBe(projects?.tokens);
    expect(tokens.shown).toBeLessThan(tokens.total);
  });

  it('explain explains a use, and the argument of which nothing is left', async () => {
    const use = await run('explain', 'projects(action=delete)', ...ARGS);
    expect(use.stdout).toMatch(
      /^Tool projects\(action=delete\) is hidden: its effect is destroys, but at most read-only/,
    );
    const tool = await run('explain', 'wipe', ...ARGS);
    expect(tool.stdout).toMatch(/^Tool wipe is hidden: no value of its argument target is left/);
  });

  it('diff sees a use that is newly hidden', async () => {
    const old = write('old.yaml', POLICY.replace('    projects(action=delete): { effect: destroys }\n', ''));
    const { stdout } = await run('diff', old, policy, '--catalog', catalog);
    expect(stdout).toContain('projects(action=delete)');
    expect(stdout).not.toContain('Nothing changes');
  });

  it('tests name uses, and do not count them', async () => {
    const tests = (excluded: string) =>
      write(
        'policy.test.yaml',
        `policy: policy.yaml
catalog: server.json
tests:
  - name: read-only
    concerns: { effect: read-only }
    tools: { includes: [projects, projects(action=list)], excludes: ["${excluded}"], count: 1 }
  - name: only
    concerns: { effect: read-only }
    tools: { only: [projects] }
`,
      );
    expect((await run('test', tests('projects(action=delete)'))).code).toBe(0);
    expect((await run('test', tests('projects(action=get)'))).code).toBe(1);
    expect((await run('test', tests('projects(action=none)'))).stderr).toContain('projects(action=none)');
  });

  it('why says that arguments are not in the log', async () => {
    const line = {
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'projects',
      effect: 'hide',
      reason: { code: 'concern-mismatch', concern: 'effect' },
      argument: 'action',
      policy: 'p',
      decision: 'd',
    };
    const { stdout } = await run('why', JSON.stringify(line), '--policy', policy, '--catalog', catalog);
    expect(stdout).toContain('refused because of its argument action; a log line has no arguments');
    expect(stdout).not.toMatch(/effect: "hide" in the line/);
  });
});
