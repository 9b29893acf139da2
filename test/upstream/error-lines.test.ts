import { expect, it } from 'vitest';
import { ErrorLines } from '../../src/proxy/wires/error-lines.js';

function passed(parts: readonly string[], ends = true): string[] {
  const lines: string[] = [];
  const errors = new ErrorLines(
    (line) => void lines.push(line),
    () => 0,
  );
  for (const part of parts) errors.push(part);
  if (ends) errors.end();
  return lines;
}

it('passes on a last line that has no end', () => {
  expect(passed(['one\ntw', 'o\nFATAL: no key'], false)).toEqual(['one', 'two']);
  expect(passed(['one\ntw', 'o\nFATAL: no key'])).toEqual(['one', 'two', 'FATAL: no key']);
});

it('passes on 50 lines of a flood, and the last one, each cut at 300 characters', () => {
  const flood = Array.from({ length: 1000 }, (_, index) => `${index} ${'x'.repeat(400)}\n`);
  const lines = passed([flood.join(''), 'FATAL: out of memory\n\n', '\n']);
  expect(lines).toHaveLength(51);
  expect(lines.at(-1)).toBe('FATAL: out of memory');
  expect(Math.max(...lines.map(({ length }) => length))).toBe(300);
});

it('does not keep a line without an end', () => {
  expect(passed(Array.from({ length: 1000 }, () => 'y'.repeat(1000)))).toEqual(['y'.repeat(300)]);
});
