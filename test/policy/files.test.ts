import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  compileToJson,
  loadPolicy,
  PolicyError,
  PolicyFileError,
  readPolicy,
} from '../../src/core/policy/index.js';
import { reportOf, shown, write, yaml } from './author.js';

const COMMON = 'version: 1\nconcerns:\n  security: { values: [low, high] }\n';

/** The findings, each as `file:line:column code`. */
function findingsIn(files: Readonly<Record<string, string>>, paths?: readonly string[]): string[] {
  return reportOf(files, paths).findings.map(
    ({ file, line, column, code }) => `${file}:${line}:${column} ${code}`,
  );
}

describe('a folder', () => {
  it('merges its *.yaml files in byte order of their names and leaves tests out', () => {
    const pattern = (value: string) =>
      `version: 1\npatterns: { tools: { "${value}*": { order: ${value} } } }\n`;
    const names = ['10.yaml', '9.yaml', 'B.yaml', 'a.yaml', 'é.yaml', '～.yaml', '😀.yaml'];
    const folder = write({
      ...Object.fromEntries(names.map((name, index) => [name, pattern(`v${index}`)])),
      '0.yaml': `version: 1\nconcerns: { order: { values: [${names.map((_name, index) => `v${index}`)}] } }\n`,
      'broken.test.yaml': 'not a policy',
      'broken.yml': 'not a policy',
      'broken.json': '{}',
      yaml: 'not a policy',
      'sub/broken.yaml': 'not a policy',
    });
    const { compiled, findings } = readPolicy(folder);
    expect(findings).toEqual([]);
    expect(compiled?.files).toEqual(['0.yaml', ...names].map((name) => join(folder, name)));
    expect(compiled?.patterns.tools.map(({ name }) => name)).toEqual(
      names.map((_name, index) => `v${index}*`),
    );
  });

  it('can be passed with a trailing slash', () => {
    const folder = write({ 'a.yaml': COMMON });
    expect(readPolicy(`${folder}/`).compiled?.files).toEqual([join(folder, 'a.yaml')]);
  });

  it('reports an entry that two files define, with both places', () => {
    const [finding] = reportOf(
      {
        'a.yaml': `${COMMON}primitives:\n  tools:\n    log: { security: low }\n`,
        'b.yaml': 'version: 1\nprimitives: { tools: { log: { security: high } } }\n',
      },
      [''],
    ).findings;
    expect(finding).toMatchObject({
      file: 'b.yaml',
      line: 2,
      column: 24,
      code: 'duplicate',
      message: 'The entry "log" is defined twice, here and in a.yaml:6:5. Remove one.',
    });
  });

  it('causes an error if it does not contain a policy', () => {
    const folder = write({ 'only.test.yaml': COMMON, 'readme.md': '' });
    expect(() => loadPolicy(folder)).toThrow(PolicyFileError);
    expect(() => loadPolicy(folder)).toThrow(
      `${folder} does not contain a .yaml file; pass a policy file or another folder.`,
    );
  });
});

describe('several files', () => {
  it('are merged into one policy in the order of the arguments', () => {
    const files = {
      'vault.yaml': 'version: 1\npatterns: { tools: { "log*": { security: high } } }\n',
      'common.yaml': `${COMMON}patterns: { tools: { "*": { security: low } } }\n`,
    };
    const folder = write(files);
    const policy = loadPolicy(['common.yaml', 'vault.yaml'].map((name) => join(folder, name)));
    expect(shown(policy, ['log', 'hash'], { security: 'high' })).toEqual(['log']);
    const reversed = loadPolicy(['vault.yaml', 'common.yaml'].map((name) => join(folder, name)));
    expect(shown(reversed, ['log', 'hash'], { security: 'high' })).toEqual([]);
  });

  it('are read once each, also if they are passed several times', () => {
    const folder = write({ 'a.yaml': COMMON });
    expect(
      readPolicy([
        `${folder}/a.yaml`,
        `${folder}/./a.yaml`,
        `${folder}/../${folder.split('/').at(-1)}/a.yaml`,
      ]).findings,
    ).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['concern', 'concerns:\n  security: { values: [a] }\n', 'b.yaml:3:3'],
    ['preset', 'presets:\n  safe: {}\n', 'b.yaml:3:3'],
    ['entry', 'primitives:\n  prompts:\n    log: {}\n', 'b.yaml:4:5'],
    ['entry', 'patterns:\n  tools:\n    "log*": {}\n', 'b.yaml:4:5'],
  ])('cannot both define a %s: %j', (what, text, place) => {
    const earlier = `version: 1\n\n${text}`;
    const { findings } = reportOf({ 'a.yaml': earlier, 'b.yaml': `version: 1\n${text}` }, [
      'a.yaml',
      'b.yaml',
    ]);
    expect(findings.map(({ file, line, column }) => `${file}:${line}:${column}`)).toEqual([place]);
    const name = /(\S+): \{[^:]*$/m.exec(text.trim().split('\n').at(-1) ?? '')?.[1]?.replaceAll('"', '');
    const [, line, column] = place.split(':');
    expect(findings[0]?.message).toBe(
      `The ${what} "${name ?? 'security'}" is defined twice, here and in a.yaml:${Number(line) + 1}:${column}. Remove one.`,
    );
  });

  it('can use the same name in different sections', () => {
    const files = {
      'a.yaml': 'version: 1\nprimitives: { tools: { log: {} } }\npatterns: { tools: { "*": {} } }\n',
      'b.yaml': 'version: 1\nprimitives: { prompts: { log: {} } }\npatterns: { prompts: { "*": {} } }\n',
    };
    expect(findingsIn(files, ['a.yaml', 'b.yaml'])).toEqual([]);
  });

  it('cannot have different values for a setting', () => {
    const { findings } = reportOf(
      {
        'a.yaml': 'version: 1\nsettings: { unmapped: hide, defaults: never }\n',
        'b.yaml': 'version: 1\nsettings:\n  defaults: never\n  unmapped: show\n',
      },
      ['a.yaml', 'b.yaml'],
    );
    expect(findings).toMatchObject([
      {
        file: 'b.yaml',
        line: 4,
        column: 13,
        code: 'conflicting-settings',
        message: 'unmapped is show here and hide in a.yaml:2. Remove one.',
      },
    ]);
  });

  it('cannot have different values for a setting if one of them only overrides its own include', () => {
    const files = {
      'a.yaml': 'version: 1\nsettings: { unmapped: hide }\n',
      'b.yaml': 'version: 1\ninclude: [c.yaml]\nsettings: { unmapped: show }\n',
      'c.yaml': 'version: 1\nsettings: { unmapped: hide }\n',
    };
    expect(findingsIn(files, ['a.yaml', 'b.yaml'])).toEqual(['b.yaml:3:23 conflicting-settings']);
  });

  it('report findings in the order of the files, then of the lines', () => {
    const files = {
      'a.yaml': 'version: 1\nfoo: 1\n\n\n\nbar: 1\n',
      'b.yaml': 'version: 1\n\nfoo: [\n',
      'c.yaml': 'version: 1\nfoo: 1\n',
    };
    const order = findingsIn(files, ['a.yaml', 'b.yaml', 'c.yaml']).map((finding) => finding.charAt(0));
    expect(order.join('')).toMatch(/^aab+c$/);
  });

  it('can have at most 64 concerns together', () => {
    const concerns = (letter: string, count: number) =>
      `version: 1\nconcerns:\n${Array.from({ length: count }, (_, index) => `  ${letter}${index}: { values: [x] }\n`).join('')}`;
    const paths = ['a.yaml', 'b.yaml'];
    const found = findingsIn({ 'a.yaml': concerns('a', 32), 'b.yaml': concerns('b', 32) }, paths);
    expect(found).toEqual(['a.yaml:13:3 long-preferences']);
    const codes = reportOf({ 'a.yaml': concerns('a', 64), 'b.yaml': concerns('b', 64) }, paths).findings.map(
      ({ code }) => code,
    );
    expect(codes).toEqual(['long-preferences', 'too-many']);
  });
});

describe('the path of a policy', () => {
  it('can be a file: URL', () => {
    const url = pathToFileURL(join(write({ 'a.yaml': COMMON }), 'a.yaml'));
    expect(loadPolicy(url).digest).toBe(loadPolicy([url]).digest);
    expect(compileToJson(url)).toContain('"concerns"');
  });

  it.each([
    [new URL('https://example.com/policy.yaml'), 'https://example.com/policy.yaml'],
    [undefined, 'undefined'],
    [{ version: 1 }, 'object'],
  ])('is refused if it is %s', (value, name) => {
    const load = () => Reflect.apply(loadPolicy, undefined, [value]);
    expect(load).toThrow(PolicyFileError);
    expect(load).toThrow(
      `A policy is loaded from a path or a file: URL, not from ${name}; pass 'policy.yaml'.`,
    );
  });

  it('is absolute in the error, because the working folder may be another one', () => {
    expect(() => loadPolicy('policies/none.yaml')).toThrow(
      `${resolve('policies/none.yaml')} cannot be read (it does not exist); check the path of the policy.`,
    );
  });
});

describe('a file that cannot be read', () => {
  it('is named in the error, with the reason', () => {
    const missing = join(write({}), 'none.yaml');
    expect(() => readPolicy(missing)).toThrow(PolicyFileError);
    expect(() => readPolicy(missing)).toThrow(
      `${missing} cannot be read (it does not exist); check the path of the policy.`,
    );
    expect(() => loadPolicy([missing])).toThrow(expect.objectContaining({ code: 'POLICY_UNREADABLE' }));
  });

  it('causes an error if its folder is a file', () => {
    const folder = write({ 'a.yaml': COMMON });
    expect(() => readPolicy(join(folder, 'a.yaml/b.yaml'))).toThrow(PolicyFileError);
  });

  it('causes an error if it is a folder with the name of a policy', () => {
    const folder = write({});
    mkdirSync(join(folder, 'a.yaml'));
    expect(() => readPolicy(folder)).toThrow(PolicyFileError);
  });
});

describe('include', () => {
  it('merges the included file first and resolves its path relative to the including file', () => {
    const folder = write({
      'servers/vault.yaml': yaml`
        version: 1
        include: [../common/levels.yaml]
        patterns: { tools: { "log*": { security: high } } }
      `,
      'common/levels.yaml':
        'version: 1\ninclude: [base.yaml]\npatterns: { tools: { "*": { security: low } } }\n',
      'common/base.yaml': COMMON,
    });
    // The caller names both folders, so the policy may include from both.
    const { compiled, findings } = readPolicy(
      ['common/levels.yaml', 'servers/vault.yaml'].map((name) => join(folder, name)),
    );
    expect(findings).toEqual([]);
    expect(compiled?.files).toEqual(
      ['common/base.yaml', 'common/levels.yaml', 'servers/vault.yaml'].map((name) => join(folder, name)),
    );
    expect(compiled?.patterns.tools.map(({ name }) => name)).toEqual(['*', 'log*']);
  });

  it('merges several files in their order, and a file that two files include only once', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude: [left.yaml, right.yaml, base.yaml]\n',
      'left.yaml': 'version: 1\ninclude: [base.yaml]\nprimitives: { tools: { log: { security: low } } }\n',
      'right.yaml':
        'version: 1\ninclude: [./base.yaml]\nprimitives: { tools: { hash: { security: high } } }\n',
      'base.yaml': COMMON,
    };
    const { compiled, findings } = reportOf(files);
    expect(findings).toEqual([]);
    expect(compiled?.files.map((file) => file.split('/').at(-1))).toEqual([
      'base.yaml',
      'left.yaml',
      'right.yaml',
      'policy.yaml',
    ]);
    expect(compiled?.concerns).toHaveLength(1);
  });

  it('merges a file once that is also passed as an argument', () => {
    const files = { 'a.yaml': 'version: 1\ninclude: [b.yaml]\n', 'b.yaml': COMMON };
    expect(findingsIn(files, ['a.yaml', 'b.yaml'])).toEqual([]);
    expect(findingsIn(files, ['b.yaml', 'a.yaml'])).toEqual([]);
  });

  it('reports the errors of a file once that two files include', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude: [left.yaml, right.yaml]\n',
      'left.yaml': 'version: 1\ninclude: [broken.yaml]\n',
      'right.yaml': 'version: 1\ninclude: [broken.yaml]\n',
      'broken.yaml': 'version: 1\nprimitives: ]\n',
    };
    expect(findingsIn(files)).toEqual(['broken.yaml:2:13 bad-yaml']);
  });

  it('reports a file that includes itself', () => {
    expect(findingsIn({ 'policy.yaml': `${COMMON}include: [policy.yaml]\n` })).toEqual([
      'policy.yaml:4:11 include-cycle',
    ]);
  });

  it('reports a cycle at the include that closes it', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude:\n  - a.yaml\n',
      'a.yaml': 'version: 1\ninclude: [sub/b.yaml]\n',
      'sub/b.yaml': 'version: 1\ninclude: [../c.yaml, ../a.yaml]\n',
      'c.yaml': COMMON,
    };
    const { findings } = reportOf(files);
    expect(findings).toMatchObject([
      {
        file: 'sub/b.yaml',
        line: 2,
        column: 22,
        code: 'include-cycle',
        message: 'a.yaml includes itself through this file. Remove one of the includes.',
      },
    ]);
  });

  it('reports a file that does not exist', () => {
    const { findings } = reportOf({
      'policy.yaml': 'version: 1\ninclude: [common.yaml, other.yaml]\n',
      'other.yaml': COMMON,
    });
    expect(findings).toMatchObject([
      {
        line: 2,
        column: 11,
        length: 11,
        code: 'include-unreadable',
        message: 'common.yaml cannot be read (it does not exist). Paths are relative to this file.',
      },
    ]);
  });

  it('reports a folder', () => {
    expect(findingsIn({ 'policy.yaml': 'version: 1\ninclude: [sub]\n', 'sub/a.yaml': COMMON })).toEqual([
      'policy.yaml:2:11 include-unreadable',
    ]);
  });

  it('allows the including file to change a setting', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude: [a.yaml]\nsettings: { unmapped: show, invalid: ignore }\n',
      'a.yaml': 'version: 1\ninclude: [b.yaml]\n',
      'b.yaml': 'version: 1\nsettings: { unmapped: hide, defaults: never }\n',
    };
    const { compiled, findings } = reportOf(files);
    expect(findings).toEqual([]);
    expect(compiled?.settings).toEqual({
      unmapped: 'show',
      defaults: 'never',
      invalid: 'ignore',
      enforcement: 'advisory',
      transparency: false,
    });
  });

  it('reports different values for a setting in two included files', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude: [a.yaml, b.yaml]\n',
      'a.yaml': 'version: 1\nsettings: { unmapped: hide }\n',
      'b.yaml': 'version: 1\nsettings: { unmapped: show }\n',
    };
    expect(findingsIn(files)).toEqual(['b.yaml:2:23 conflicting-settings']);
  });

  it('checks entries against concerns of other files, in both directions', () => {
    const files = {
      'policy.yaml':
        'version: 1\ninclude: [a.yaml]\nconcerns: { cost: { values: [minimal] } }\nprimitives: { tools: { log: { security: hihg } } }\n',
      'a.yaml': `${COMMON}primitives: { prompts: { log: { cost: free } } }\n`,
    };
    expect(findingsIn(files)).toEqual(['a.yaml:4:39 unknown-value', 'policy.yaml:4:41 unknown-value']);
  });

  it.each<[string, string, string]>([
    ['does not exist', '', 'include-unreadable'],
    ['is not valid YAML', 'concerns: [\n', 'bad-yaml'],
    ['does not have a version', 'concerns:\n  security: { values: [low, high] }\n', 'missing-key'],
    ['includes the policy', `include: [policy.yaml]\n${COMMON}`, 'include-cycle'],
  ])('does not report references to the concerns of a file that %s', (_name, text, code) => {
    const files = {
      'policy.yaml':
        'version: 1\ninclude: [common.yaml]\nprimitives: { tools: { log: { security: low } } }\n',
      ...(text === '' ? {} : { 'common.yaml': text }),
    };
    const codes = new Set(reportOf(files).findings.map((finding) => finding.code));
    expect(codes).toEqual(new Set([code]));
  });
});

describe('loadPolicy', () => {
  it('throws an error with all findings of all files', () => {
    const folder = write({
      'policy.yaml':
        'version: 1\ninclude: [a.yaml]\nfoo: 1\nprimitives: { tools: { log: { security: hihg } } }\n',
      'a.yaml': `${COMMON}bar: 1\n`,
    });
    let thrown: unknown;
    try {
      loadPolicy(join(folder, 'policy.yaml'));
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(PolicyError);
    const error = thrown as PolicyError;
    expect([error.code, error.name]).toEqual(['POLICY_INVALID', 'PolicyError']);
    expect(error.findings.map(({ code }) => code)).toEqual(['unknown-key', 'unknown-key', 'unknown-value']);
    expect(error.message).toContain('a.yaml:4:1  error  unknown-key');
    expect(error.message).toContain('policy.yaml:4:41  error  unknown-value');
  });

  it('loads a policy that has only warnings', () => {
    const folder = write({ 'policy.yaml': 'version: 1\npatterns: { tools: { log: {} } }\n' });
    expect(loadPolicy(join(folder, 'policy.yaml')).patterns.tools).toHaveLength(1);
  });
});
