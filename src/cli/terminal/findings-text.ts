import { type Finding, formatFindings } from '../../core/policy/language/findings.js';
import type { Paper } from './output.js';

/**
 * Formats findings for a terminal, with colors, and with the lines of the file that each finding is about.
 *
 * @param findings the findings
 * @param texts the text of each file, by the name of the file
 * @param paper where the text will be written
 * @returns the text, without a line break at the end
 * @example
 * console.error(findingsText(findings, texts, paperOf(process.stderr)));
 */
export const findingsText = (
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  { paint, width }: Paper,
): string => formatFindings(findings, texts, width, paint);

/** @returns the first error, on one line */
export function firstError(findings: readonly Finding[]): string {
  const found = findings.find(({ severity }) => severity === 'error');
  return found === undefined ? 'The policy has errors.' : `${found.file}:${found.line}: ${found.message}`;
}
