import { describe, expect, it } from 'vitest';
import { FormatError, formatYaml } from '../../src/core/policy/language/format-yaml.js';

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
