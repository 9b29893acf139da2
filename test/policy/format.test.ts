import { describe, expect, it } from 'vitest';
import { type Finding, formatFindings } from '../../src/core/policy/index.js';
import { reportOf, yaml } from './author.js';

function formatted(files: Readonly<Record<string, string>>): string {
  const { findings, texts } = reportOf(files);
  return `\n${formatFindings(findings, texts)}\n`;
}

describe('formatFindings', () => {
  it('writes one line per finding and the lines around its place', () => {
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

  it('names the file of each finding, also of warnings', () => {
    const files = {
      'policy.yaml': 'version: 1\ninclude: [common.yaml]\npatterns: { tools: { log: { cost: free } } }\n',
      'common.yaml': 'version: 1\nconcerns: { cost: { values: [minimal, high], defualt: minimal } }\n',
    };
    expect(formatted(files)).toMatchInlineSnapshot(`
      "
      common.yaml:2:46  error  unknown-key  "defualt" is not a valid key of cost (description, values, match, multiple, default, set-by, model, lists, claim, obtainable, claim-values). Did you mean "default"?
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

  it('marks the first line of a value that spans several lines', () => {
    expect(
      formatted({ 'policy.yaml': 'version: 1\nprimitives:\n  tools: [\n    log,\n  ]\n' }),
    ).toMatchInlineSnapshot(`
      "
      policy.yaml:3:10  error  wrong-type  primitives.tools must be a mapping such as { encryptData: { security: high } }.
           2 | primitives:
         > 3 |   tools: [
             |          ^
           4 |     log,
      "
    `);
  });

  it('aligns line numbers', () => {
    const text = `version: 1\n${'#\n'.repeat(7)}foo: {}\n# the tenth\n`;
    expect(formatted({ 'policy.yaml': text })).toMatchInlineSnapshot(`
      "
      policy.yaml:9:1  error  unknown-key  "foo" is not a valid key of a policy (version, include, servers, concerns, presets, defaults-for, primitives, patterns, review, present, bind, assign, rules, settings).
            8 | #
         >  9 | foo: {}
              | ^^^
           10 | # the tenth
      "
    `);
  });

  it('leaves out the code frame if the text of the file is missing', () => {
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

  it('shows a part of a very long line', () => {
    const entries = Array.from({ length: 5000 }, (_, index) => `t${index}: {}`).join(', ');
    const wide = formatted({
      'policy.yaml': `version: 1\nprimitives: { tools: [{ ${entries} }], prompts: [] }\n`,
    });
    expect(wide).toContain('2:22  error  wrong-type');
    expect(wide).toContain('prompts must be a mapping');
    expect(Math.max(...wide.split('\n').map((line) => line.length))).toBeLessThan(200);
  });

  it('marks the value at any column of a line', () => {
    for (let padding = 1; padding < 400; padding += 7) {
      const text = `${'version: 1\nconcerns: { cost: { values: [low] } }\n'}primitives: { tools: { ${'x'.repeat(padding)}: { cost: "wrong" } } }\n`;
      const lines = formatted({ 'policy.yaml': text }).split('\n');
      const row = lines.findIndex((line) => line.includes('> 3 |'));
      const carets = lines[row + 1] ?? '';
      expect(lines[row]?.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('"wrong"');
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(150);
    }
  });

  it('removes the line ends of Windows files', () => {
    const text = 'version: 1\nfoo: 1\nprimitives:\n  tools: [\n    log\n  ]\nsettings: {}\n';
    const windows = formatted({ 'policy.yaml': text.replaceAll('\n', '\r\n') });
    expect(windows).toBe(formatted({ 'policy.yaml': text }));
  });
});
