/** A place in a policy file; lines and columns count from 1, as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of characters that are meant. */
  readonly length: number;
}

/** Something that an author should know about a policy. */
export interface Finding extends Place {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** One sentence: what is wrong, and what to do. */
  readonly message: string;
}

/** A policy that cannot be used, with every reason at once. */
export class PolicyError extends Error {
  readonly code = 'POLICY_INVALID';

  /**
   * @param findings everything that was found, at least one error among it
   * @param texts the text of each file by its name, for the code frames
   */
  constructor(
    readonly findings: readonly Finding[],
    texts: ReadonlyMap<string, string>,
  ) {
    super(formatFindings(findings, texts));
    this.name = 'PolicyError';
  }
}

/**
 * Writes findings for people: one line each with file:line:column, then the lines around the place.
 *
 * @param findings what was found
 * @param texts the text of each file by its name
 * @returns the text, without a line break at the end
 * @example
 * console.error(formatFindings(findings, texts));
 */
export function formatFindings(findings: readonly Finding[], texts: ReadonlyMap<string, string>): string {
  return findings.map((finding) => formatFinding(finding, texts.get(finding.file))).join('\n\n');
}

function formatFinding(finding: Finding, text: string | undefined): string {
  const { file, line, column, severity, code, message } = finding;
  const head = `${file}:${line}:${column}  ${severity}  ${code}  ${message}`;
  const frame = text === undefined ? '' : codeFrame(text, finding);
  return frame === '' ? head : `${head}\n${frame}`;
}

/** A line of a policy can be as long as the file; a terminal shows about this much of it. */
const FRAME_WIDTH = 160;

function codeFrame(text: string, { line, column, length }: Place): string {
  const lines = text.split(/\r?\n/);
  const width = String(line + 1).length;
  const frame: string[] = [];
  for (let number = Math.max(1, line - 1); number <= Math.min(lines.length, line + 1); number++) {
    const content = lines[number - 1] ?? '';
    if (number !== line && content.trim() === '') continue;
    const marker = number === line ? '>' : ' ';
    frame.push(`   ${marker} ${String(number).padStart(width)} | ${content.slice(0, FRAME_WIDTH)}`.trimEnd());
    if (number === line && column <= FRAME_WIDTH) {
      const marked = Math.max(1, Math.min(length, content.length - column + 1));
      frame.push(`     ${' '.repeat(width)} | ${' '.repeat(column - 1)}${'^'.repeat(marked)}`);
    }
  }
  return frame.join('\n');
}
