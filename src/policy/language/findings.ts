/** A place in a policy file; lines and columns count from 1, as editors do. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Number of characters that are meant. */
  readonly length: number;
}

/** Everything that can be found; docs/findings.md shows each with an example and its mend. */
export const FINDING_CODES = [
  'file-too-large',
  'bad-yaml',
  'alias',
  'duplicate',
  'unknown-key',
  'missing-key',
  'unknown-choice',
  'unknown-version',
  'bad-name',
  'too-many',
  'empty',
  'out-of-range',
  'unquoted',
  'wrong-type',
  'include-cycle',
  'include-unreadable',
  'reserved-name',
  'empty-range',
  'multiple-not-exact',
  'missing-claim',
  'claim-without-operator',
  'operator-in-preset',
  'several-values',
  'conflicting-settings',
  'unknown-concern',
  'unknown-value',
  'hide-or-show',
  'pattern-too-long',
  'rule-too-large',
  'rule-is-data',
  'operand-count',
  'loose-equality',
  'unknown-operator',
  'computed-path',
  'unknown-path',
  'assign-reads-caller',
  'list-expected',
  'order-on-list',
  'number-expected',
  'list-compared',
  'unset-is-true',
  'operator-without-default',
  'clamp-on-list',
  'wildcard-in-name',
  'pattern-without-wildcard',
  'order-on-unset',
  'hint-default',
  'dead-entry',
  'shadowed-entry',
  'unmapped',
  'contradicts-annotations',
  'never-visible',
  'always-visible',
  'empty-surface',
  'enforce-without-operator',
  'rule-never-fires',
  'rule-always-fires',
  'not-analysed',
  'names-hidden',
  'test-input-unreadable',
  'operator-asked-for',
  'unknown-primitive',
  'unread-claim',
] as const;
export type FindingCode = (typeof FINDING_CODES)[number];

/** Something that an author should know about a policy. */
export interface Finding extends Place {
  readonly code: FindingCode;
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
 * @param width columns of a terminal, where a message is broken between words and lines of a file are cut
 * @returns the text, without a line break at the end
 * @example
 * console.error(formatFindings(findings, texts));
 */
export function formatFindings(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  width = Number.POSITIVE_INFINITY,
): string {
  // Split once: a file can have as many findings as lines.
  const lines = new Map([...texts].map(([file, text]) => [file, text.split(/\r?\n/)]));
  return findings.map((finding) => formatFinding(finding, lines.get(finding.file), width)).join('\n\n');
}

function formatFinding(finding: Finding, lines: readonly string[] | undefined, width: number): string {
  const { file, line, column, severity, code, message } = finding;
  const place = `${file}:${line}:${column}  ${severity}  ${code}`;
  const head = `${place}  ${message}`;
  const fitting = head.length <= width ? head : [place, ...indented(message, width)].join('\n');
  const frame = lines === undefined ? '' : codeFrame(lines, finding, width);
  return frame === '' ? fitting : `${fitting}\n${frame}`;
}

function indented(message: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of message.split(' ')) {
    if (line !== '' && line.length + word.length + 3 > width) {
      lines.push(line);
      line = '';
    }
    line += line === '' ? `  ${word}` : ` ${word}`;
  }
  return [...lines, line];
}

/** A line of a policy can be as long as the file; this much of it is shown, around the place that is meant. */
const FRAME_WIDTH = 120;
/** So much of it is shown however narrow a terminal is. */
const LEAST_WIDTH = 40;

function codeFrame(lines: readonly string[], { line, column, length }: Place, columns: number): string {
  const width = String(line + 1).length;
  const gutter = '     '.length + width + ' | '.length;
  const room = Math.min(FRAME_WIDTH, Math.max(LEAST_WIDTH, columns - gutter - 1));
  const left = column > room - 20 ? column - Math.min(40, Math.floor(room / 3)) : 0;
  const frame: string[] = [];
  for (let number = Math.max(1, line - 1); number <= Math.min(lines.length, line + 1); number++) {
    const content = lines[number - 1] ?? '';
    if (number !== line && content.trim() === '') continue;
    const marker = number === line ? '>' : ' ';
    const shown = excerpt(content, left, room);
    frame.push(`   ${marker} ${String(number).padStart(width)} | ${shown}`.trimEnd());
    if (number !== line) continue;
    const marked = Math.max(1, Math.min(length, content.length - column + 1, left + room - column + 1));
    frame.push(`     ${' '.repeat(width)} | ${' '.repeat(column - 1 - left)}${'^'.repeat(marked)}`);
  }
  return frame.join('\n');
}

function excerpt(content: string, left: number, room: number): string {
  const shown = content.slice(left, left + room);
  const before = left > 0 && shown !== '' ? `…${shown.slice(1)}` : shown;
  return content.length > left + room ? `${before}…` : before;
}
