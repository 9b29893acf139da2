import { wrapped } from '../terminal/layout.js';
import { type Paper, paperOf } from '../terminal/output.js';
import { oneOf } from './arguments.js';

/** The options of every command, for `parseArgs`. */
export const COMMON_OPTIONS = {
  color: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
} as const;

/** The lines about these options in the help of a command. */
export const COMMON_HELP = `  --color WHEN          auto (default; obeys NO_COLOR), always or never
  -q, --quiet           write only errors to stderr`;

/** How a command writes its output. */
export interface Common {
  /** How text is written to stdout. */
  readonly paper: Paper;
  /** How text is written to stderr. */
  readonly errors: Paper;
  readonly quiet: boolean;
  /** Writes a note to stderr, in lines that fit the terminal; nothing under `--quiet`. */
  note(text: string, style?: Parameters<Paper['paint']>[0]): void;
}

/**
 * @param name the name of the command, for messages
 * @param values the values of `COMMON_OPTIONS`
 * @returns how the command writes its output
 * @throws {UsageError} if the value of `--color` is not valid
 * @example
 * const { paper, note } = readCommon('list', values);
 */
export function readCommon(
  name: string,
  values: { readonly color?: string | undefined; readonly quiet?: boolean | undefined },
): Common {
  const color = oneOf(name, '--color', values.color ?? 'auto', ['auto', 'always', 'never'] as const);
  const quiet = values.quiet === true;
  const errors = paperOf(process.stderr, color);
  return {
    paper: paperOf(process.stdout, color),
    errors,
    quiet,
    note: (text, style) => {
      if (quiet) return;
      // A text with line breaks is already wrapped.
      const long = errors.width !== undefined && text.length > errors.width && !text.includes('\n');
      const lines = long ? wrapped('', text.split(' '), ' ', errors.width) : [text];
      console.error(lines.map((line) => (style === undefined ? line : errors.paint(style, line))).join('\n'));
    },
  };
}
