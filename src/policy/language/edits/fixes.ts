import type { Fix, Place } from '../findings.js';
import type { Replacement } from '../problem.js';
import type { Source } from '../read-yaml.js';

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
