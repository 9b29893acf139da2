import { type ErrorClass, errorClass } from '../../errors.js';
import { groupBy } from '../../once.js';
import type { FindingCode } from './finding-codes.js';
import { paragraph } from './wrapped.js';

/** A position in a policy file. Lines and columns count from 1, as in editors. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The number of UTF-16 code units that the finding is about, at least 1. */
  readonly length: number;
}

/** Orders places in one file from top to bottom, for `sort`. */
export const comparePlaces = (a: Place, b: Place): number => a.line - b.line || a.column - b.column;

/** An edit of a file that fixes a finding: the text from one position to another is replaced. */
export interface Fix {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  /** The column behind the last character. */
  readonly endColumn: number;
  readonly text: string;
}

/** A problem in a policy or in a test file. An error makes the file unusable, a warning does not. */
export interface Finding extends Place {
  readonly code: FindingCode;
  readonly severity: 'error' | 'warning';
  /** What is wrong and, where the program can tell, how to fix it. */
  readonly message: string;
  /** The edit that fixes it, where the message names one. `mcp-concerns check --fix` makes it. */
  readonly fix?: Fix;
}

const PolicyErrorBase: ErrorClass<'PolicyError', 'POLICY_INVALID'> = errorClass(
  'PolicyError',
  'POLICY_INVALID',
);

/**
 * A policy with errors. The message lists every finding with the lines around it, as `formatFindings` writes them.
 *
 * @example
 * try {
 *   loadPolicy('policy.yaml');
 * } catch (error) {
 *   if (error instanceof PolicyError) console.error(error.findings.length, error.message);
 * }
 */
export class PolicyError extends PolicyErrorBase {
  /**
   * @param findings all findings, at least one of them an error
   * @param texts the text of each file by file name, for the code frames
   */
  constructor(
    readonly findings: readonly Finding[],
    texts: ReadonlyMap<string, string>,
  ) {
    super(formatFindings(findings, texts));
  }
}

/**
 * Formats findings for a terminal: for each, one line with file:line:column, code and message, then the lines around
 * that position.
 *
 * @param findings the findings, in the order of the output
 * @param texts the text of each file by file name; a finding in another file gets no code frame
 * @param width the width of the terminal in columns: messages wrap between words, lines of a file are cut
 * @param paint colors a part of the text
 * @returns the text without a line break at the end; empty if there are no findings
 * @example
 * const { findings, texts } = readPolicy('policy.yaml');
 * console.error(formatFindings(findings, texts));
 */
export function formatFindings(
  findings: readonly Finding[],
  texts: ReadonlyMap<string, string>,
  width: number = Number.POSITIVE_INFINITY,
  paint: Paint = (_style, text) => text,
): string {
  // Split each file only once: a file can have as many findings as lines.
  const lines = new Map([...texts].map(([file, text]) => [file, text.split(/\r?\n/)]));
  const placed = groupBy(findings, ({ code, file, line, column }) => `${code} ${file}:${line}:${column}`);
  // Errors first: what follows from them is behind them.
  const groups = [...placed.values()].sort(
    ([a], [b]) => Number(b.severity === 'error') - Number(a.severity === 'error'),
  );
  const texted = groups.slice(0, MAX_GROUPS).map((group) => {
    const [first, ...others] = group;
    const text = formatFinding(first, width, paint, lines.get(first.file));
    return others.length === 0 ? text : [text, ...alike(others, width)].join('\n');
  });
  const left = groups.length - texted.length;
  return [
    ...texted,
    ...(left > 0 ? [`${left} more groups of findings. Fix these first, or use --format json.`] : []),
  ].join('\n\n');
}

/** As many as a person reads at once. */
const MAX_GROUPS = 20;

/** Findings at one place with one code differ in a name: the names are enough. */
function alike(others: readonly [Finding, ...Finding[]] | readonly Finding[], width: number): string[] {
  const names = others.flatMap(({ message }) => message.match(/"([^"]+)"/)?.[1] ?? []);
  const shown = names.slice(0, 10).map(visible).join(', ');
  const rest = names.length > 10 ? ` and ${names.length - 10} others` : '';
  return paragraph(`The same for ${others.length} more: ${shown}${rest}.`, width - 2, '  ');
}

type Paint = (style: 'bold' | 'red' | 'magenta', text: string) => string;

function formatFinding(finding: Finding, width: number, paint: Paint, lines?: readonly string[]): string {
  const { file, line, column, severity, code, message } = finding;
  const place = `${visible(file)}:${line}:${column}  `;
  const text = visible(message);
  const painted = `${paint('bold', place)}${paint(severity === 'error' ? 'red' : 'magenta', severity)}  ${code}`;
  const isShort = `${place}${severity}  ${code}  ${text}`.length <= width;
  const fitting = isShort ? `${painted}  ${text}` : [painted, ...paragraph(text, width - 2, '  ')].join('\n');
  const frame = lines === undefined ? '' : codeFrame(lines, finding, width, paint);
  return frame === '' ? fitting : `${fitting}\n${frame}`;
}

/** Columns of a line in a code frame. A line can be as long as the file, so only a part of it is shown. */
const FRAME_WIDTH = 120;
/** Columns of a line that are shown even if the terminal is narrower. */
const MIN_FRAME_WIDTH = 40;

function codeFrame(lines: readonly string[], place: Place, columns: number, paint: Paint): string {
  const { line, column, length } = place;
  const width = String(line + 1).length;
  const gutter = '     '.length + width + ' | '.length;
  const room = Math.min(FRAME_WIDTH, Math.max(MIN_FRAME_WIDTH, columns - gutter - 1));
  const left = column > room - 20 ? column - Math.min(40, Math.floor(room / 3)) : 0;
  const frame: string[] = [];
  for (let number = Math.max(1, line - 1); number <= Math.min(lines.length, line + 1); number++) {
    const content = lines[number - 1] ?? '';
    if (number !== line && content.trim() === '') continue;
    const marker = number === line ? '>' : ' ';
    const shown = visible(excerpt(content, left, room));
    frame.push(`   ${marker} ${String(number).padStart(width)} | ${shown}`.trimEnd());
    if (number !== line) continue;
    const marked = Math.max(1, Math.min(length, content.length - column + 1, left + room - column + 1));
    const marks = paint('red', '^'.repeat(marked));
    frame.push(`     ${' '.repeat(width)} | ${' '.repeat(column - 1 - left)}${marks}`);
  }
  return frame.join('\n');
}

/** Characters that move the cursor, change colors or reorder text. A tab only moves to the right. */
const UNSAFE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces characters that a terminal would obey. Each becomes one visible character, so that columns stay the same.
 *
 * @param text text from a file
 * @returns the text with the symbol of each control character, or with U+FFFD
 * @example
 * visible('a\u001b[2J'); // 'a␛[2J'
 */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd'.repeat(character.length);
  });
}

function excerpt(content: string, left: number, room: number): string {
  const shown = content.slice(left, left + room);
  const before = left > 0 && shown !== '' ? `…${shown.slice(1)}` : shown;
  return content.length > left + room ? `${before}…` : before;
}
