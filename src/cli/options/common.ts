import { wrapped } from '../terminal/layout.js';
import { type Paper, paperOf } from '../terminal/output.js';
import { oneOf } from './arguments.js';

/** What every command takes, as options of `parseArgs`. */
export const COMMON_OPTIONS = {
  color: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
} as const;

/** What the help of a command says of them. */
export const COMMON_HELP = `  --color WHEN          auto (default; knows NO_COLOR), always or never
  -q, --quiet           nothing on stderr but errors`;

/** How a command speaks to the person who called it. */
export interface Common {
  /** What stdout can show. */
  readonly paper: Paper;
  /** What stderr can show. */
  readonly errors: Paper;
  readonly quiet: boolean;
  /** Writes a remark to stderr, in lines that fit a terminal; not under `--quiet`. */
  note(text: string, style?: Parameters<Paper['paint']>[0]): void;
}

/**
 * @param name the command's name, for messages
 * @param values what was given for `COMMON_OPTIONS`
 * @returns how to speak
 * @throws {UsageError} if `--color` takes no such value
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
      // What has lines of its own is laid out already.
      const long = errors.width !== undefined && text.length > errors.width && !text.includes('\n');
      const lines = long ? wrapped('', text.split(' '), ' ', errors.width) : [text];
      console.error(lines.map((line) => (style === undefined ? line : errors.paint(style, line))).join('\n'));
    },
  };
}
