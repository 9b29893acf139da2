import { type Finding, formatFindings } from '../../policy/language/findings.js';
import { type Paper, plain } from './output.js';

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
export function findingsText(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  { paint, width }: Paper,
): string {
  return formatFindings(findings.map(escapedFinding), texts, width)
    .split('\n')
    .map((line) => {
      const [, place = '', severity = '', rest = ''] =
        /^(\S.*?:\d+:\d+ {2})(error|warning)( {2}.*)$/.exec(line) ?? [];
      if (severity !== '') {
        return `${paint('bold', place)}${paint(severity === 'error' ? 'red' : 'magenta', severity)}${rest}`;
      }
      const [, margin = '', marks = ''] = /^( +\| +)(\^+)$/.exec(line) ?? [];
      return marks === '' ? line : `${margin}${paint('red', marks)}`;
    })
    .join('\n');
}

/** Messages quote names from servers, which may contain control characters. */
export const escapedFinding = (finding: Finding): Finding => ({
  ...finding,
  message: plain(finding.message),
});
