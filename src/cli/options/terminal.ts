import { wrapped } from '../../policy/language/wrapped.js';
import { type Paper, paperOf } from '../terminal/output.js';

/** How a command writes its output. */
export interface Terminal {
  /** How text is written to stdout. */
  readonly paper: Paper;
  /** How text is written to stderr. */
  readonly errors: Paper;
  readonly quiet: boolean;
  /** Writes a note to stderr, in lines that fit the terminal; nothing under `--quiet`. */
  note(text: string, style?: Parameters<Paper['paint']>[0]): void;
}

/** The values of the options of every command. */
export interface TerminalValues {
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet?: boolean | undefined;
}

/** @returns how a command writes its output */
export function terminalOf({ color, quiet = false }: TerminalValues): Terminal {
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
