import type { Path, Source } from './read-yaml.js';
import { offsetsIn } from './text-edits.js';

/** Lines of a file, counted from 0. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the lines of an entry of a mapping, so that it can be edited line by line.
 *
 * @param source the file
 * @param lines the lines of its text
 * @param path the path of the entry
 * @returns the lines; `undefined` if another entry is in one of them
 * @example
 * entryLines(source, source.text.split('\n'), ['primitives', 'tools', 'echo']);
 */
export function entryLines(source: Source, lines: readonly string[], path: Path): Range | undefined {
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
