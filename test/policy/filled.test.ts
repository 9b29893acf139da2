import { describe, expect, it } from 'vitest';
import { filled } from '../../src/core/policy/language/filled.js';
import { problem } from '../../src/core/policy/language/problem.js';

const LIST = `values:\n  \${values}\nmatch: exact\n`;

describe('a text of a data file', () => {
  it('gets each line of a list with the indentation of the name', () => {
    const text = filled(LIST, { values: ['- low', '', '- high'] });
    expect(text).toBe('values:\n  - low\n\n  - high\nmatch: exact\n');
  });

  it('loses the line of an empty list', () => {
    expect(filled(LIST, { values: [] })).toBe('values:\nmatch: exact\n');
  });

  it('does not read again what was filled in, so that a name of a server cannot name another value', () => {
    expect(filled(`\${a} \${b}`, { a: `\${b}`, b: '$&' })).toBe(`\${b} $&`);
    const { message } = problem('number-expected', { operator: `\${operator}` });
    expect(message).toBe(`"\${operator}" compares only numbers.`);
  });
});
