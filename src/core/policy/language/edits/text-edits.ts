import type { Path, Source } from '../read-yaml.js';

/** A text to write in place of a part of another text. */
export interface Edit {
  readonly from: number;
  /** The offset behind the part. */
  readonly to: number;
  readonly text: string;
}

/**
 * Finds the offsets of places. The line behind the last one begins behind the text, so that the last line can be removed.
 *
 * @param text the text of a file
 * @returns a function from a line and a column, which count from 1, to the offset
 * @example
 * offsetsIn('a: 1\nb: 2')(2, 4); // 8
 */
export function offsetsIn(text: string): (line: number, column: number) => number {
  const starts = [0];
  for (const line of text.split('\n')) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return (line, column) => (starts[line - 1] ?? 0) + column - 1;
}

/**
 * @param text the text
 * @param edits edits that do not overlap, from the top of the text
 * @returns the text with the edits
 * @example
 * edited('a: 1', [{ from: 3, to: 4, text: '2' }]); // 'a: 2'
 */
export function edited(text: string, edits: readonly Edit[]): string {
  const parts = edits.flatMap((edit, index) => [text.slice(edits[index - 1]?.to ?? 0, edit.from), edit.text]);
  return parts.join('') + text.slice(edits.at(-1)?.to ?? 0);
}

/**
 * Finds the lines of an entry of a mapping, so that it can be edited line by line.
 *
 * @param source the file
 * @param lines the lines of its text
 * @param path the path of the entry
 * @returns the first and the last line, counted from 0; `undefined` if another entry is in one of them
 * @example
 * entryLines(source, source.text.split('\n'), ['primitives', 'tools', 'echo']);
 */
export function entryLines(
  source: Source,
  lines: readonly string[],
  path: Path,
): { readonly from: number; readonly to: number } | undefined {
  const key = source.locate(path, 'key');
  const value = source.locate(path, 'value');
  const before = lines[key.line - 1]?.slice(0, key.column - 1) ?? '';
  if (before.trim() !== '') return undefined;
  const end = offsetsIn(source.text)(value.line, value.column) + value.length;
  const text = source.text.slice(0, end).trimEnd();
  const to = text.split('\n').length - 1;
  // Only a comment may follow the value in its last line.
  const rest = source.text.slice(text.length).split('\n', 1)[0] ?? '';
  return /^\s*(#.*)?$/.test(rest) ? { from: key.line - 1, to } : undefined;
}
