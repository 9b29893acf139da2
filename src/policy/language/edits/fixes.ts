import type { Finding, Place } from '../findings.js';
import { findingAt, type Problem } from '../problem.js';
import type { Source } from '../read-yaml.js';

/**
 * Returns the finding of a problem at a place. It has a fix if the problem says what to write instead, and the place is exactly
 * the scalar to replace, plain or in quotes.
 *
 * @param source the file
 * @param place the place of the finding
 * @param severity how severe it is
 * @param found the problem
 * @example
 * findings.push(fixableFinding(source, place, 'error', problem('unknown-key', names, replacement)));
 */
export function fixableFinding(
  source: Pick<Source, 'text'>,
  place: Place,
  severity: Finding['severity'],
  found: Problem,
): Finding {
  const finding = findingAt(place, severity, found);
  if (found.replacement === undefined) return finding;
  const { scalar, yaml } = found.replacement;
  const { line, column, length } = place;
  const written = source.text.split('\n')[line - 1]?.slice(column - 1, column - 1 + length);
  if (![scalar, JSON.stringify(scalar), `'${scalar}'`].includes(written ?? '')) return finding;
  return { ...finding, fix: { line, column, endLine: line, endColumn: column + length, text: yaml } };
}
