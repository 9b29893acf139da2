import { type Finding, formatFindings } from '../../policy/language/findings.js';
import { type Paper, plain } from './output.js';

/**
 * Writes findings for a terminal: severities in colour, and what is meant in its line.
 *
 * @param findings what was found
 * @param texts the text of each file by its name
 * @param paper where they will stand
 * @returns the text, without a line break at the end
 * @example
 * console.error(findingsText(findings, texts, paperOf(process.stderr)));
 */
export function findingsText(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  { paint, width }: Paper,
): string {
  // Names in messages come from servers that are not ours.
  const harmless = findings.map((finding) => ({ ...finding, message: plain(finding.message) }));
  return formatFindings(harmless, texts, width)
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
