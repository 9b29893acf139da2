import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'check-fix-'));
const policy = join(folder, 'policy.yaml');
const catalog = join(folder, 'catalog.json');
afterAll(() => rmSync(folder, { recursive: true }));

const CONCERNS = `version: 1
concerns:
  security: { values: [low, high] }
`;

describe('check --fix', () => {
  beforeEach(() => {
    writeFileSync(catalog, JSON.stringify({ tools: [{ name: 'encryptData' }, { name: 'listKeys' }] }));
  });

  const fix = async (text: string, ...args: string[]) => {
    writeFileSync(policy, text);
    const ended = await run('check', policy, '--fix', ...args);
    return { ...ended, text: readFileSync(policy, 'utf8') };
  };

  it('replaces wrong keys, concerns and values, and keeps comments and quotes elsewhere', async () => {
    const { code, stderr, text } = await fix(
      `version: "1" # the first\nconcerns:\n  security: { vales: [low, high] }\nprimitives:\n  tools:\n    encryptData: { "securty": hihg } # keep 'this'\nrules:\n  - { id: a, hide: [tools], if: { "===": [{ var: concerns.security }, hgh] } }\n`,
    );
    expect(text).toBe(
      `version: 1 # the first\nconcerns:\n  security: { values: [low, high] }\nprimitives:\n  tools:\n    encryptData: { security: high } # keep 'this'\nrules:\n  - { id: a, hide: [tools], when: { "===": [{ var: concerns.security }, high] } }\n`,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Fixed 6 findings in 1 file.\n' });
  });

  it('formats the files, also without a finding, and keeps every comment', async () => {
    const ugly = `version:   1\n# What hosts ask for.\nconcerns:\n    security: {values: [ low,   'high' ]}   # the first\n`;
    const { code, stderr, text } = await fix(ugly);
    expect(text).toBe(
      'version: 1\n# What hosts ask for.\nconcerns:\n  security: { values: [low, "high"] } # the first\n',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'No finding has a fix. Formatted 1 file.\n' });
    expect((await fix(text)).stderr).toBe('No finding has a fix.\n');
  });

  it('does not change a file that is not YAML', async () => {
    const { code, text } = await fix('version: [1\n');
    expect([code, text]).toEqual([1, 'version: [1\n']);
  });

  it('never renames or removes an entry, nor a name in a rule: the list may lack what it protects', async () => {
    const rest =
      '    gone:\n      # why\n      security: low\npatterns:\n  tools:\n    "nothing*": { security: low }\n';
    const rules =
      'rules:\n  - { id: a, hide: [tools], when: { "===": [{ var: primitive.name }, listKey] } }\n';
    const before = `${CONCERNS}primitives:\n  tools:\n    encryptDta: { security: high }\n    listKeys: {}\n${rest}${rules}`;
    const { text, stdout, stderr } = await fix(before, '--catalog', catalog);
    expect(text).toBe(before);
    expect(stdout).toContain('Did you mean "encryptData"?');
    expect(stdout).toContain('Did you mean "listKeys"?');
    expect(stderr).toBe('No finding has a fix.\n');
  });

  describe('with a server that hides a tool itself', () => {
    const attached = join(folder, 'attached.yaml');
    const serve = ['dist/cli/main.js', 'serve', '--stdio', '--policy', attached, '--panel', 'off'];
    const server = ['--', 'node', ...serve, '--server', 'build/vault/server.js'];
    const NOTE = 'note: The server filters its lists with mcp-concerns, so what it does not list may exist.';
    const before = `${CONCERNS}primitives:
  tools:
    listKeys: { security: low }
    deleteKey: { security: high }
rules:
  - { id: never-wipe, hide: [tools], when: { "===": [{ var: primitive.name }, wipeKeys] } }
`;

    beforeEach(() => {
      // The policy that the server is attached with hides every tool that it does not map.
      writeFileSync(
        attached,
        `${CONCERNS}primitives:\n  tools:\n    listKeys: { security: low }\nsettings: { enforcement: enforce, unmapped: hide, defaults: always, panel: off }\n`,
      );
    });

    it('keeps what protects this tool, and advises nobody to remove it', async () => {
      const { text, stdout, stderr } = await fix(before, ...server);
      expect(text).toBe(before);
      expect(stderr).toContain(NOTE);
      expect(stdout).not.toMatch(/dead-entry|empty-catalog|rule-never-fires/);
    });

    it('is updated by init --update without a loss, whose catalog then says that the list is not all', async () => {
      writeFileSync(policy, before);
      expect((await run('init', '--update', '-o', policy, ...server)).stderr).toContain('nothing removed.');
      expect(readFileSync(policy, 'utf8')).toContain('    deleteKey: { security: high }\n');
      const later = await run('check', policy, '--catalog', policy.replace('.yaml', '.catalog.json'));
      expect(later.stderr).toContain(NOTE);
      expect(later.stdout).not.toContain('dead-entry');
    });
  });

  it('does not make a duplicate key', async () => {
    const before = `${CONCERNS}settings: { unmapped: show, unmaped: hide }\n`;
    const { text, code, stderr } = await fix(before);
    expect(text).toBe(before);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'No finding has a fix.\n' });
  });

  it('quotes what YAML does not read as text', async () => {
    const { text } = await fix(
      'version: 1\nconcerns:\n  level: { values: ["1", "2"] }\nprimitives: { tools: { a: { level: 2 } } }\n',
    );
    expect(text).toContain('{ level: "2" }');
  });

  it('removes unused comments that silence findings', async () => {
    const { text } = await fix(
      `# mcp-concerns-ignore wildcard-in-name: old\n${CONCERNS}primitives:\n  tools:\n    a: {}  # mcp-concerns-ignore wildcard-in-name: old\n`,
    );
    expect(text).toBe(`${CONCERNS}primitives:\n  tools:\n    a: {}\n`);
  });

  it('fixes files that several policies include once', async () => {
    const common = join(folder, 'common.yml');
    writeFileSync(common, 'version: 1\nconcerns: { cost: { vales: [low] } }\n');
    const other = join(folder, 'other.yaml');
    writeFileSync(other, 'version: 1\ninclude: [common.yml]\n');
    const { code, stderr } = await fix('version: 1\ninclude: [common.yml]\n', other);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Fixed 1 finding in 1 file.\n' });
    expect(readFileSync(common, 'utf8')).toContain('values: [low]');
  });

  it('changes nothing without --fix', async () => {
    const before = `${CONCERNS}settings: { unmaped: hide }\n`;
    writeFileSync(policy, before);
    const { stdout } = await run('check', policy, '--format', 'json');
    expect(readFileSync(policy, 'utf8')).toBe(before);
    expect(JSON.parse(stdout).findings[0].fix).toEqual({
      line: 4,
      column: 13,
      endLine: 4,
      endColumn: 20,
      text: 'unmapped',
    });
  });
});
