import { type Finding, formatFindings } from './findings.js';

/** How findings can be written: for people, for scripts, for GitHub's workflow log, for code scanning. */
export const FINDING_FORMATS = ['pretty', 'json', 'github', 'sarif'] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

/**
 * Writes findings in a format.
 *
 * @param findings what was found
 * @param texts the text of each file by its name
 * @param format the format
 * @returns the text, without a line break at the end; empty for no findings in `pretty` and `github`
 * @example
 * console.log(writeFindings(findings, texts, 'github')); // ::error file=policy.yaml,line=3,...
 */
export function writeFindings(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  format: FindingFormat,
): string {
  switch (format) {
    case 'pretty':
      return formatFindings(findings, texts);
    case 'json':
      return JSON.stringify({ findings }, null, 2);
    case 'github':
      return findings.map(annotation).join('\n');
    case 'sarif':
      return JSON.stringify(sarif(findings), null, 2);
  }
}

/** A workflow command of GitHub Actions: `%`, line breaks, and in properties `:` and `,` are escaped. */
function annotation({ severity, file, line, column, length, code, message }: Finding): string {
  const text = (value: string) =>
    value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (value: string) => text(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const place = `file=${property(file)},line=${line},col=${column},endColumn=${column + length}`;
  return `::${severity} ${place},title=${property(code)}::${text(message)}`;
}

/** A path as a URI reference: in one, `#` and `?` end the path, and `%` begins an escape. */
function toUri(file: string): string {
  return encodeURI(file.replaceAll('\\', '/')).replaceAll('#', '%23').replaceAll('?', '%3F');
}

/** SARIF 2.1.0, section 3: one run, one rule for each code. */
function sarif(findings: readonly Finding[]): object {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const results = findings.map(({ code, severity, message, file, line, column, length }) => ({
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: severity,
    message: { text: message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: toUri(file) },
          region: { startLine: line, startColumn: column, endColumn: column + length },
        },
      },
    ],
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'mcp-concerns', rules: codes.map((id) => ({ id })) } },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  };
}
