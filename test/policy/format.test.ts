import { describe, expect, it } from 'vitest';
import { type Finding, formatFindings } from '../../src/policy/index.js';
import { reportOf, yaml } from './author.js';

function formatted(files: Readonly<Record<string, string>>): string {
  const { findings, texts } = reportOf(files);
  return `\n${formatFindings(findings, texts)}\n`;
}

describe('findings for people', () => {
  it('have a line with everything, and the lines around the place', () => {
    const text = yaml`
      version: 1
      concerns:
        security:
          values: [low, medium, high]

      primitives:
        tools:
          encryptData: { security: hihg }
          logData: { securty: low, security: [low, 1] }
    `;
    expect(formatted({ 'policy.yaml': text })).toMatchInlineSnapshot(`
      "
      policy.yaml:8:30  error  unknown-value  "hihg" is not a valid value for security (low, medium, high). Did you mean "high"?
           7 |   tools:
         > 8 |     encryptData: { security: hihg }
             |                              ^^^^
           9 |     logData: { securty: low, security: [low, 1] }

      policy.yaml:9:16  error  unknown-concern  "securty" is not a concern of this policy (security). Did you mean "security"?
            8 |     encryptData: { security: hihg }
         >  9 |     logData: { securty: low, security: [low, 1] }
              |                ^^^^^^^

      policy.yaml:9:46  error  unquoted  1 is a number in YAML, but the values of security are text (low, medium, high). If it is the name of a value, write it in quotes: "1".
            8 |     encryptData: { security: hihg }
         >  9 |     logData: { securty: low, security: [low, 1] }
              |                                              ^
      "
    `);
  });

  it('name the file that each is in, warnings too', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude: [common.yaml]\npatterns: { tools: { log: { cost: free } } }\n',
      'common.yaml': 'version: 1\nconcerns: { cost: { values: [minimal, high], defualt: minimal } }\n',
    };
    expect(formatted(files)).toMatchInlineSnapshot(`
      "
      common.yaml:2:46  error  unknown-key  "defualt" is not a valid key of cost (description, values, match, multiple, default, set-by, claim). Did you mean "default"?
           1 | version: 1
         > 2 | concerns: { cost: { values: [minimal, high], defualt: minimal } }
             |                                              ^^^^^^^

      policy.yaml:3:22  warning  pattern-without-wildcard  "log" does not contain "*", so it matches only one name. Move the entry to "primitives", where lookups are faster.
           2 | include: [common.yaml]
         > 3 | patterns: { tools: { log: { cost: free } } }
             |                      ^^^
      "
    `);
  });

  it('mark a value that goes over several lines in its first line', () => {
    expect(
      formatted({ 'policy.yaml': 'version: 1\nprimitives:\n  tools: [\n    log,\n  ]\n' }),
    ).toMatchInlineSnapshot(`
      "
      policy.yaml:3:10  error  wrong-type  primitives.tools must be a mapping.
           2 | primitives:
         > 3 |   tools: [
             |          ^
           4 |     log,
      "
    `);
  });

  it('have line numbers of one width', () => {
    const text = `version: 1\n${'#\n'.repeat(7)}foo: {}\n# the tenth\n`;
    expect(formatted({ 'policy.yaml': text })).toMatchInlineSnapshot(`
      "
      policy.yaml:9:1  error  unknown-key  "foo" is not a valid key of a policy (version, include, concerns, presets, primitives, patterns, assign, rules, settings).
            8 | #
         >  9 | foo: {}
              | ^^^
           10 | # the tenth
      "
    `);
  });

  it('leave out the lines of a file that is not at hand', () => {
    const finding: Finding = {
      file: 'gone.yaml',
      line: 3,
      column: 5,
      length: 4,
      code: 'unknown-value',
      severity: 'error',
      message: 'Something.',
    };
    expect(formatFindings([finding], new Map())).toBe('gone.yaml:3:5  error  unknown-value  Something.');
    expect(formatFindings([], new Map())).toBe('');
  });

  it('show a part of a line that is as long as a file', () => {
    const entries = Array.from({ length: 5000 }, (_, index) => `t${index}: {}`).join(', ');
    const wide = formatted({
      'policy.yaml': `version: 1\nprimitives: { tools: [{ ${entries} }], prompts: [] }\n`,
    });
    expect(wide).toContain('2:22  error  wrong-type');
    expect(wide).toContain('prompts must be a mapping');
    expect(Math.max(...wide.split('\n').map((line) => line.length))).toBeLessThan(200);
  });

  it('mark what is meant, wherever it stands in a line', () => {
    for (let padding = 1; padding < 400; padding += 7) {
      const text = `${'version: 1\nconcerns: { cost: { values: [low] } }\n'}primitives: { tools: { ${'x'.repeat(padding)}: { cost: "wrong" } } }\n`;
      const lines = formatted({ 'policy.yaml': text }).split('\n');
      const row = lines.findIndex((line) => line.includes('> 3 |'));
      const carets = lines[row + 1] ?? '';
      expect(lines[row]?.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('"wrong"');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(150);
    }
  });

  it('of Windows files have no stray line ends', () => {
    const text = 'version: 1\nfoo: 1\nprimitives:\n  tools: [\n    log\n  ]\nsettings: {}\n';
    const windows = formatted({ 'policy.yaml': text.replaceAll('\n', '\r\n') });
    expect(windows).toBe(formatted({ 'policy.yaml': text }));
  });
});
