import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { compileToJson } from '../../src/core/policy/index.js';
import { findingsOf, reportOf, write, yaml } from './author.js';

const GOOD = 'version: 1\nconcerns:\n  security: { values: [low, medium, high] }\n';
const messagesOf = (text: string) => reportOf({ 'policy.yaml': text }).findings.map(({ message }) => message);

describe('a file that is not valid YAML', () => {
  it.each([
    ['an open bracket', 'version: 1\nconcerns:\n  cost: { values: [low, high }\n', '3:'],
    ['a tab as indentation', 'version: 1\nconcerns:\n\tcost: {}\n', '3:1'],
    ['two documents', `${GOOD}---\nversion: 1\n`, '4:1'],
    ['an open quote', 'version: 1\nprimitives: { "log: {} }\n', '3:1'],
  ])('is reported at the place of the mistake: %s', (_name, text, place) => {
    const findings = findingsOf(text);
    expect(findings[0]).toMatch(new RegExp(`^${place}`));
    expect(new Set(findings.map((finding) => finding.split(' ')[1]))).toEqual(new Set(['bad-yaml']));
  });

  it('has only findings of the YAML itself', () => {
    expect(
      findingsOf('versoin: 1\nconcerns: { cost: { values: [low }\n').every((each) =>
        each.endsWith('bad-yaml'),
      ),
    ).toBe(true);
  });

  it.each(['', '"label":"a \\"b\\"",'])('has one finding if it is a compiled policy%s', (label) => {
    const path = join(write({ 'a.yaml': GOOD }), 'a.yaml');
    const compiled = compileToJson(path).replace('"files":', `${label}"files":`);
    expect(messagesOf(compiled)).toEqual([
      `This is a compiled policy, which functions read. Pass the files that it was made of: "${path}".`,
    ]);
  });

  it('is explained in one sentence', () => {
    const [message] = messagesOf('version: 1\nconcerns: [low\n');
    expect(message).toMatch(/^[A-Z].*[^.]\.$/);
  });
});

describe('features of YAML that policies do not support', () => {
  it('include aliases, which are reported at their place', () => {
    const text = yaml`
      version: 1
      concerns:
        security: &levels { values: [low, high] }
        privacy: *levels
      primitives:
        tools:
          log: { security: low, privacy: *none }
    `;
    expect(findingsOf(text)).toEqual(['4:12 alias', '7:36 alias']);
    expect(messagesOf(text)[0]).toBe(
      '"*levels" is a YAML alias, which policies do not support. If it is a pattern, write it in quotes.',
    );
  });

  it.each(['*log: { security: low }', '*log*: { security: low }', '*: { security: low }'])(
    'quotes are recommended for a pattern that starts with a star: %s',
    (entry) => {
      const text = `${GOOD}patterns:\n  tools:\n    ${entry}\n`;
      expect(findingsOf(text)[0]).toMatch(/^6:5 /);
      expect(messagesOf(text)[0]).toContain('in quotes');
    },
  );

  it('do not include anchors without aliases', () => {
    expect(findingsOf(`${GOOD}primitives: { tools: { log: &a { security: low } } }\n`)).toEqual([]);
  });

  it.each([
    ['a custom tag', 'log: !strict { security: high }'],
    ['!!binary', 'log: !!binary aGk='],
    ['!!set', 'log: !!set { security }'],
    ['!!omap', 'log: !!omap [ security: high ]'],
    ['!!pairs', 'log: !!pairs [ security: high ]'],
    ['!!timestamp', 'log: !!timestamp 2026-11-20'],
  ])('include the tag %s, which changes the meaning of a value', (_name, entry) => {
    const { findings, compiled } = reportOf({
      'policy.yaml': `${GOOD}primitives:\n  tools:\n    ${entry}\n`,
    });
    expect(compiled).toBeUndefined();
    expect(findings[0]).toMatchObject({ severity: 'error', line: 6 });
  });

  it('do not include tags that match the type of the value', () => {
    expect(findingsOf(`${GOOD}primitives: !!map { tools: { log: { security: !!str low } } }\n`)).toEqual([]);
  });

  it('include merge keys, which are ordinary keys', () => {
    expect(findingsOf(`${GOOD}primitives:\n  tools:\n    log: { <<: { security: high } }\n`)).toEqual([
      '6:16 wrong-type',
    ]);
  });

  it('include a directive for YAML 1.1', () => {
    const { findings, compiled } = reportOf({
      'policy.yaml': `%YAML 1.1\n---\n${GOOD}primitives:\n  tools:\n    log: { <<: { security: high } }\n`,
    });
    expect(compiled).toBeUndefined();
    expect(findings.length).toBeGreaterThan(0);
  });
});

describe('a duplicate key', () => {
  it('is reported at any depth, with the place of the first definition', () => {
    const text = yaml`
      version: 1
      concerns:
        security: { values: [low, high], values: [a, b] }
      primitives:
        tools:
          log: { security: a, security: b }
          hash: {}
          log: {}
      settings: {}
      settings: {}
    `;
    expect(findingsOf(text)).toEqual(['3:36 duplicate', '6:25 duplicate', '8:5 duplicate', '10:1 duplicate']);
    expect(messagesOf(text)[2]).toBe('The key "log" is defined twice, here and at 6:5. Remove one.');
  });

  it('is reported with any kind of quotes', () => {
    const text = `${GOOD}primitives:\n  tools:\n    log: {}\n    "log": {}\n    'log': {}\n    1: {}\n    "1": {}\n`;
    expect(findingsOf(text)).toEqual(['7:5 duplicate', '8:5 duplicate', '10:5 duplicate']);
  });

  it('does not stop the check of the other parts', () => {
    const text = `${GOOD}primitives:\n  tools:\n    log: {}\n    log: {}\n    hash: { security: hihg }\n`;
    expect(findingsOf(text)).toEqual(['7:5 duplicate', '8:23 unknown-value']);
  });

  it('is not reported if the mappings are different', () => {
    const text = `${GOOD}primitives: { tools: { log: {} }, prompts: { log: {} } }\npatterns: { tools: { "log*": {} } }\n`;
    expect(findingsOf(text)).toEqual([]);
  });
});

describe('places', () => {
  it('are correct in files with Windows line breaks', () => {
    expect(
      findingsOf(`${GOOD}primitives:\n  tools:\n    log: { security: hihg }\n`.replaceAll('\n', '\r\n')),
    ).toEqual(['6:22 unknown-value']);
  });

  it('are correct in block style, in quotes and after comments', () => {
    const text = yaml`
      # A comment.
      version: 1

      concerns:
        security:
          # Another one.
          values:
            - low
            - "high"
      primitives:
        tools:
          "log data":
            security:
              - low
              - 'hihg'
        resources:
          "vault://keys/~a/b": { security: hihg }
    `;
    expect(findingsOf(text)).toEqual(['15:11 unknown-value', '17:38 unknown-value']);
  });

  it('are correct in names with slashes and tildes', () => {
    const text = yaml`
      version: 1
      primitives:
        resources:
          "vault://keys/~a/b": { security: ~ }
          "~1~0": { security: [] }
          "/": low
          "": low
    `;
    expect(findingsOf(text)).toEqual(['4:38 unquoted', '5:25 empty', '6:10 wrong-type', '7:9 wrong-type']);
  });

  it('have the length of the value', () => {
    const { findings } = reportOf({
      'policy.yaml': `${GOOD}primitives: { tools: { log: { security: "hihg" } } }\n`,
    });
    expect(findings).toMatchObject([{ line: 4, column: 41, length: 6 }]);
  });

  it('are correct below a text of several lines in the wrong place', () => {
    expect(findingsOf('version: 1\nconcerns: [] "a\n  b"\nprimitives: ]\n')).toEqual([
      '2:14 bad-yaml',
      '4:13 bad-yaml',
    ]);
  });

  it('are correct after a byte order mark', () => {
    expect(findingsOf(`\uFEFF${GOOD}primitives: { tools: { log: { security: hihg } } }\n`)).toEqual([
      '4:41 unknown-value',
    ]);
  });
});

describe('a huge file', () => {
  const padded = (bytes: number) => `${GOOD}#${'x'.repeat(bytes - GOOD.length - 1)}`;

  it('of 256 KiB is read', () => {
    expect(findingsOf(padded(256 * 1024))).toEqual([]);
  });

  it('of one byte more is rejected, whatever its content', () => {
    expect(findingsOf(padded(256 * 1024 + 1))).toEqual(['1:1 file-too-large']);
    expect(findingsOf('['.repeat(300_000))).toEqual(['1:1 file-too-large']);
    expect(messagesOf(padded(256 * 1024 + 1))).toEqual([
      'The file has 262145 bytes, but a policy can have at most 262144. Split it and use "include".',
    ]);
  });

  it('is measured in bytes, not in characters', () => {
    const text = `${GOOD}#${'é'.repeat(128 * 1024)}`;
    expect(text.length).toBeLessThan(256 * 1024);
    expect(findingsOf(text)).toEqual(['1:1 file-too-large']);
  });

  it('with thousands of entries is read', () => {
    const entries = Array.from({ length: 5000 }, (_, index) => `    tool${index}: { security: low }\n`).join(
      '',
    );
    const { findings, compiled } = reportOf({ 'policy.yaml': `${GOOD}primitives:\n  tools:\n${entries}` });
    expect(findings).toEqual([]);
    expect(compiled?.primitives.tools[4999]).toMatchObject({ name: 'tool4999', line: 5005 });
  });

  it('with 150,000 mistakes is reported', () => {
    expect(findingsOf(']'.repeat(150_000))[0]).toBe('1:1 bad-yaml');
  });
});

describe('a deeply nested file', () => {
  it('of 50 levels is reported as a schema error', () => {
    expect(findingsOf(`version: 1\nprimitives: ${'['.repeat(50)}${']'.repeat(50)}\n`)).toEqual([
      '2:13 wrong-type',
    ]);
  });

  // In a separate process: a stack overflow in a recursive parser can end the process, and `catch` does not stop it.
  it('does not end the process when it is read repeatedly', () => {
    const shapes = ['[', '{', '{a: ', '{? ', '[{', '- ', '? ', '- ? ', '["'];
    const folder = write({
      'read.ts': `
        import { readPolicy } from ${JSON.stringify(join(import.meta.dirname, '../../src/core/policy/index.js'))};
        for (let index = 0; index < ${shapes.length * 2}; index++) {
          const { findings, compiled } = readPolicy(\`\${import.meta.dirname}/\${index >> 1}.yaml\`);
          console.log(compiled === undefined && findings.some(({ severity }) => severity === 'error'));
        }`,
      ...Object.fromEntries(shapes.map((shape, index) => [`${index}.yaml`, shape.repeat(3000)])),
    });
    buildSync({
      entryPoints: [join(folder, 'read.ts')],
      outfile: join(folder, 'read.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      define: { 'import.meta.dirname': JSON.stringify(folder) },
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(import.meta.url)});`,
      },
    });
    const output = execFileSync(process.execPath, [join(folder, 'read.mjs')], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    expect(output.trim().split('\n')).toEqual(new Array(shapes.length * 2).fill('true'));
  });
});
