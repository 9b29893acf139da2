import { describe, expect, it } from 'vitest';
import { formatFindings, writeFindings } from '../../src/core/policy/index.js';
import { problem } from '../../src/core/policy/language/problem.js';
import { reportOf, yaml } from './author.js';

const messagesOf = (text: string) => reportOf({ 'policy.yaml': text }).findings.map(({ message }) => message);

describe('the message about a wrong shape', () => {
  it.each([
    [
      'version: 1\nconcerns: { security: [low, high] }\n',
      'concerns.security must be a mapping such as { values: [low, high] }.',
    ],
    ['version: "1"\n', 'version must be the number 1. Remove the quotes.'],
    ['version: 2\n', 'version must be 1, the only version of the policy language.'],
    [
      'version: 1\ntools: { log: {} }\n',
      '"tools" is not a valid key of a policy (version, include, servers, concerns, presets, defaults-for, primitives, patterns, review, present, bind, assign, rules, settings). Put it under "primitives:".',
    ],
    [
      'version: 1\nrules: [{ id: a, hide: [tools], when: true, if: true }]\n',
      '"if" is not a valid key of entry 1 of rules (id, hide, show, when, reason). Did you mean "when"?',
    ],
    [
      'version: 1\nconcerns: { a: { values: [{ x: one, y: two }] } }\n',
      'entry 1 of values names more than one value. Begin each value with "-" on its own line.',
    ],
    [
      'version: 1\nconcerns: { a: { values: [{ "x y": one }] } }\n',
      '"x y" is not a valid name for a value that hosts set. Use letters, digits, "_", "." and "-", starting with a letter or digit, at most 64 characters. Only values of "set-by: operator" can be any text.',
    ],
    [
      'version: 1\nconcerns: { a: { values: [{ x: one }, x] } }\n',
      'The value "x" of a is declared twice. Remove one.',
    ],
  ])('in %j says what to write', (text, ...messages) => {
    expect(messagesOf(text)).toEqual(messages);
  });

  it('names only the first of many values', () => {
    const values = Array.from({ length: 256 }, (_, index) => `v${index}`);
    const [message = ''] = messagesOf(
      `version: 1\nconcerns: { a: { values: [${values}] } }\nprimitives: { tools: { t: { a: w } } }\n`,
    );
    expect(message).toContain('v19 and 236 more).');
    expect(message.length).toBeLessThan(200);
  });
});

describe('control characters in a policy', () => {
  // YAML escapes for ESC, BEL, DEL, a C1 control and a character that reverses the text after it.
  const { findings, texts } = reportOf({
    'policy.yaml': yaml`
      version: 1
      primitives:
        tools: { "a\x1b[31m\x07\x7f\x9b\u202e": { nope: x } }
    `,
  });
  const raw = reportOf({ 'policy.yaml': 'version: 1 # \u001b[2J\u202e \u009b\nconcern: 1\n' });

  it('do not reach the terminal', () => {
    for (const each of [
      formatFindings(findings, texts),
      formatFindings(raw.findings, raw.texts),
      writeFindings(raw.findings, raw.texts, 'github'),
    ]) {
      expect(each).not.toBe('');
      expect(
        [...each].filter((character) => character !== '\n' && /[\p{Cc}\p{Cf}]/u.test(character)),
      ).toEqual([]);
    }
  });

  it('keep their column in the code frame', () => {
    const frame = formatFindings(raw.findings, raw.texts);
    expect(frame).toContain('     1 | version: 1 # ␛[2J');
  });
});

it('does not read again what it fills in, so that a name of a server cannot name another value', () => {
  const { message } = problem('number-expected', { operator: `\${operator}` });
  expect(message).toBe(`"\${operator}" compares only numbers.`);
});
