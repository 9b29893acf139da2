import { follow } from '../data-parts.js';
import type { Fix, Place } from '../findings.js';
import type { Replacement } from '../problem.js';
import type { Path, Source } from '../read-yaml.js';
import { entryLines } from './text-edits.js';

/**
 * Makes the fix of a finding about one scalar, as a part of the finding.
 *
 * @param source the file
 * @param place the place of the finding
 * @param replacement what to replace; `undefined` if nothing is known
 * @returns the fix; nothing if the place is not exactly the scalar, plain or in quotes
 * @example
 * findings.push({ ...place, severity, code, message, ...replacing(source, place, replacement) });
 */
export function replacing(
  source: Pick<Source, 'text'>,
  { line, column, length }: Place,
  replacement: Replacement | undefined,
): { readonly fix?: Fix } {
  if (replacement === undefined) return {};
  const { scalar, yaml } = replacement;
  const written = source.text.split('\n')[line - 1]?.slice(column - 1, column - 1 + length);
  if (![scalar, JSON.stringify(scalar), `'${scalar}'`].includes(written ?? '')) return {};
  return { fix: { line, column, endLine: line, endColumn: column + length, text: yaml } };
}

/**
 * Makes the fix that removes an entry of a mapping. If the mapping would be empty then, the fix removes the mapping.
 *
 * @param source the file
 * @param path the path of the entry
 * @returns the fix; nothing if the entry shares a line with another
 * @example
 * removing(source, ['primitives', 'tools', 'echo']);
 */
export function removing(source: Source, path: Path): { readonly fix?: Fix } {
  const parent = path.slice(0, -1);
  const siblings = follow(source.data, parent);
  const isOnly = typeof siblings === 'object' && siblings !== null && Object.keys(siblings).length === 1;
  if (isOnly && parent.length > 0) return removing(source, parent);
  const lines = entryLines(source, source.text.split('\n'), path);
  if (lines === undefined) return {};
  return { fix: { line: lines.from + 1, column: 1, endLine: lines.to + 2, endColumn: 1, text: '' } };
}
