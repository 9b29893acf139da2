import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { FormatError, formatYaml } from '../../src/policy/language/format-yaml.js';
import { run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'fmt-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const UGLY = `# yaml-language-server: $schema=./schema.json

version:   1
# What hosts ask for.
concerns:
    security: {values: [ low,medium,   high ] , description: 'How "safe" it is' }   # the first


    cost:
        values:
        - minimal
        - 'high'
primitives:
  tools:
    # one
    "encryptData":   { security: high,cost: minimal }
    aVeryLongNameOfATool: { security: [low, medium, high], cost: [minimal, high], somethingElse: anotherValue }
    aVeryLongNameOfAnotherTool: { security: [low, medium, high], cost: [minimal, high], somethingElse: anotherValue, more: than, fits: here }
`;

describe.concurrent('fmt', () => {
  it('formats a file once, and keeps every comment', async ({ expect }) => {
    const path = file('ugly.yaml', UGLY);
    expect(await run('fmt', path)).toEqual({
      code: 0,
      stdout: `${path}\n`,
      stderr: '1 of 1 file formatted.\n',
    });
    const text = readFileSync(path, 'utf8');
    await expect(text).toMatchFileSnapshot('snapshots/fmt.yaml.txt');
    expect(parse(text)).toEqual(parse(UGLY));
    const { mtimeMs } = statSync(path);
    expect(await run('fmt', path)).toEqual({ code: 0, stdout: '', stderr: '1 file, already formatted.\n' });
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  it('keeps a link to a file, and the permissions of the file', async () => {
    const path = file('private.yaml', UGLY);
    chmodSync(path, 0o620);
    const link = join(folder, 'link.yaml');
    symlinkSync(path, link);
    expect((await run('fmt', link)).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o620);
    expect(readFileSync(path, 'utf8')).toBe(formatYaml(UGLY));
  });

  it('changes nothing with --check', async () => {
    const path = file('unchanged.yaml', UGLY);
    const { code, stdout, stderr } = await run('fmt', '--check', 'policies/vault.yaml', path);
    expect({ code, stdout }).toEqual({ code: 1, stdout: `${path}\n` });
    expect(stderr).toBe('1 of 2 files not formatted. Run "mcp-concerns fmt" to format.\n');
    expect(readFileSync(path, 'utf8')).toBe(UGLY);
  });

  it('finds all policies of this repository formatted', async () => {
    const { code, stdout } = await run('fmt', '--check', 'policies');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });

  it.each([
    ['broken YAML', 'version: [1\n', ' cannot be formatted, because of line 2, column 1: '],
    [
      'an alias',
      'version: &a 1\nconcerns: *a\n',
      ' cannot be formatted, because of line 2, column 11: "*a" is a YAML alias',
    ],
    ['a key twice', 'version: 1\nversion: 1\n', '"version" is defined twice'],
    ['two documents', 'version: 1\n---\nversion: 1\n', 'cannot be formatted'],
  ])('does not change a file with %s', async (name, text, expected) => {
    const path = file(`${name}.yaml`, text);
    const good = file(`beside ${name}.yaml`, UGLY);
    const { code, stdout, stderr } = await run('fmt', good, path);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^mcp-concerns: .+\n$/);
    expect(stderr).toContain(expected);
    expect([readFileSync(path, 'utf8'), readFileSync(good, 'utf8')]).toEqual([text, UGLY]);
  });

  it.each([
    [[], 'There is no policy. Pass --policy PATH'],
    [['nowhere.yaml'], 'nowhere.yaml cannot be read (it does not exist)'],
    [['--chek', 'policies'], `Unknown option '--chek'. Did you mean --check?`],
  ])('%j ends with one line and exit code 2', async (args, expected) => {
    const { code, stdout, stderr } = await run('fmt', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(expected);
  });
});

describe('formatYaml', () => {
  it.each([
    ['line breaks of Windows', 'a: 1\r\nb: {c: 2}\r\n', 'a: 1\nb: { c: 2 }\n'],
    ['a byte order mark', '\uFEFFa: 1', 'a: 1\n'],
    ['quotes', "a: 'x'\nb: 'say \"x\"'\n", 'a: "x"\nb: \'say "x"\'\n'],
    ['text that looks like a number', 'a: "1"\nb: "true"\nc: \'~\'\n', 'a: "1"\nb: "true"\nc: "~"\n'],
    ['a block of text', 'a: |\n    one\n    two\n', 'a: |\n  one\n  two\n'],
    ['a comment at the end', 'a: 1 # why\n# bye\n', 'a: 1 # why\n\n# bye\n'],
    ['a comment in a list', 'a: [\n  one, # 1\n  two\n  ]\n', 'a:\n  [\n    one, # 1\n    two,\n  ]\n'],
    ['nothing', '# later\n', '# later\n'],
  ])('formats %s', (_, before, after) => {
    expect(formatYaml(before)).toBe(after);
    expect(formatYaml(after)).toBe(after);
  });

  it('does not fold a long text', () => {
    const text = `a: ${'word '.repeat(60)}end\n`;
    expect(formatYaml(text)).toBe(text);
  });

  it('rejects a NUL character', () => {
    expect(() => formatYaml('a: "\u0000"')).toThrow(FormatError);
  });
});
