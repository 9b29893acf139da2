import { findingPage } from './finding-codes.js';
import { type Finding, formatFindings, visible } from './findings.js';
import type { SilencedFinding } from './ignores.js';

/** The output formats: for a terminal, for scripts, for the log of GitHub Actions, and for code scanning. */
export const FINDING_FORMATS = ['pretty', 'json', 'github', 'sarif'] as const;
export type FindingFormat = (typeof FINDING_FORMATS)[number];

/**
 * Writes findings in one of the output formats.
 *
 * - `pretty`: as `formatFindings`.
 * - `json`: `{"findings": [...]}`, each with the fields of `Finding`.
 * - `github`: one workflow command per line, which GitHub shows as an annotation.
 * - `sarif`: a log of SARIF 2.1.0 with one run, as GitHub code scanning reads it.
 *
 * @param findings the findings, in the order of the output
 * @param texts the text of each file by file name; only `pretty` uses it
 * @param format the output format
 * @param silenced the warnings that comments silence; only `sarif` writes them, as suppressed results
 * @param site the address of the documentation; only `sarif` uses it, to link each rule
 * @returns the text without a line break at the end; empty for `pretty` and `github` if there are no findings
 * @example
 * const { findings, texts } = readPolicy('policy.yaml');
 * console.log(writeFindings(findings, texts, 'github')); // ::error file=policy.yaml,line=3,...
 */
export function writeFindings(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  format: FindingFormat,
  silenced: readonly SilencedFinding[] = [],
  site?: string,
): string {
  switch (format) {
    case 'pretty':
      return formatFindings(findings, texts);
    case 'json':
      return JSON.stringify({ findings }, null, 2);
    case 'github':
      return findings.map(annotation).join('\n');
    case 'sarif':
      return JSON.stringify(sarif(findings, silenced, site), null, 2);
  }
}

/** A workflow command of GitHub Actions. `%` and line breaks are escaped, in properties also `:` and `,`. */
function annotation({ severity, file, line, column, length, code, message }: Finding): string {
  const text = (value: string) =>
    value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (value: string) => text(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const place = `file=${property(file)},line=${line},col=${column},endColumn=${column + length}`;
  return `::${severity} ${place},title=${property(code)}::${visible(text(message))}`;
}

/** A path as a URI reference, where `#` and `?` would end the path and `%` would begin an escape. */
function toUri(file: string): string {
  return encodeURI(file.replaceAll('\\', '/')).replaceAll('#', '%23').replaceAll('?', '%3F');
}

/** A log with one run and one rule for each code (SARIF 2.1.0, sections 3.13, 3.14 and 3.49). */
function sarif(findings: readonly Finding[], silenced: readonly SilencedFinding[], site?: string): object {
  const codes = [...new Set([...findings, ...silenced].map(({ code }) => code))].sort();
  const resultOf = ({ code, severity, message, file, line, column, length }: Finding) => {
    const region = { startLine: line, startColumn: column, endColumn: column + length };
    return {
      ruleId: code,
      ruleIndex: codes.indexOf(code),
      level: severity,
      message: { text: message },
      locations: [{ physicalLocation: { artifactLocation: { uri: toUri(file) }, region } }],
    };
  };
  const rules = codes.map((id) => ({ id, ...(site !== undefined && { helpUri: findingPage(id, site) }) }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'mcp-concerns', rules } },
        columnKind: 'utf16CodeUnits',
        results: [
          // Either all results of a run have suppressions or none has (section 3.27.23).
          ...findings.map((finding) => ({ ...resultOf(finding), suppressions: [] })),
          // Code scanning keeps a suppressed result, with its reason, but does not raise an alert (section 3.35).
          ...silenced.map((finding) => ({
            ...resultOf(finding),
            suppressions: [{ kind: 'inSource', justification: finding.justification }],
          })),
        ],
      },
    ],
  };
}
