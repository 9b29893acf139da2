import { styleText } from 'node:util';
import { ASSUMED_WIDTH, paragraph } from '../../core/policy/language/wrapped.js';

type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

/** An output stream: its width, and whether it shows colors. */
export interface Paper {
  /** Columns of a terminal; undefined where lines may have any length. */
  readonly width: number | undefined;
  paint(style: Style, text: string): string;
}

/**
 * @param stream stdout or stderr
 * @param color whether text is colored; `auto`: only on a terminal, and only if `NO_COLOR` is not set
 * @returns the width of the stream, and a function that colors text
 * @example
 * const paper = paperOf(process.stdout);
 * paper.paint('bold', 'No findings');
 */
export function paperOf(stream: NodeJS.WriteStream, color: 'auto' | 'always' | 'never' = 'auto'): Paper {
  const terminal = stream.isTTY === true;
  // hasColors reads NO_COLOR and FORCE_COLOR, and detects terminals without colors.
  const painted = color === 'auto' ? terminal && stream.hasColors() : color === 'always';
  return {
    // Some terminals, such as those of CI runners and containers, say that they have 0 columns.
    width: terminal ? stream.columns || ASSUMED_WIDTH : undefined,
    paint: (style, text) => (painted ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** What a command has of the process that it runs in. A test passes its own. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** The program, then its arguments: `adopt` writes how to start it again. */
  readonly argv: readonly string[];
}

/** How a command reads and writes. Nothing else in `src/cli` touches the streams or the environment of the process. */
export interface Terminal extends Io {
  /** How text is written to stdout. */
  readonly paper: Paper;
  /** How text is written to stderr. */
  readonly errors: Paper;
  readonly quiet: boolean;
  /** Writes to stdout: what the command is asked for. */
  print(text: string): void;
  /** Writes a line to stderr, also under `--quiet`. */
  warn(text: string): void;
  /** Writes notes to stderr, in lines that fit the terminal; nothing under `--quiet`. */
  note(text: string | readonly string[], style?: Parameters<Paper['paint']>[0]): void;
}

/** The values of the options of every command. */
export interface TerminalValues {
  readonly color: 'auto' | 'always' | 'never';
  readonly quiet?: boolean | undefined;
}

/** @returns how a command reads and writes */
export function terminalOf(io: Io, { color, quiet = false }: TerminalValues): Terminal {
  const { stdin, stdout, stderr, env, argv } = io;
  const errors = paperOf(stderr, color);
  const warn = (text: string): void => void stderr.write(`${text}\n`);
  return {
    stdin,
    stdout,
    stderr,
    env,
    argv,
    paper: paperOf(stdout, color),
    errors,
    quiet,
    print: (text) => void stdout.write(text),
    warn,
    note: (text, style) => {
      if (quiet) return;
      // A text with line breaks is already wrapped.
      const isLong = (each: string) => each.length > (errors.width ?? each.length) && !each.includes('\n');
      const lines = [text].flat().flatMap((each) => (isLong(each) ? paragraph(each, errors.width) : [each]));
      warn(lines.map((line) => (style === undefined ? line : errors.paint(style, line))).join('\n'));
    },
  };
}

/** Characters that move the cursor, change colors or reorder text. Names come from servers, which are not trusted. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes text from a server, so that a terminal shows it on one line and runs no control sequence.
 *
 * @param text the text
 * @returns the text with each unsafe character written as `\uXXXX`
 * @example
 * plain('a\u001b[2J'); // 'a\\u001b[2J'
 */
export function plain(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  });
}

const ENTITIES = new Map(Object.entries({ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }));

/** @returns a text without markup of HTML or XML, also in an attribute */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&${ENTITIES.get(character)};`);

/** @returns a whole number with separators: 12,034. `toLocaleString` would take 10 ms to load its languages. */
export const count = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');

/**
 * Writes values as `--concern` takes them.
 *
 * @param values a value, or several values, by the name of the concern
 * @returns one text for each concern
 * @example
 * nameValues({ security: 'high', topic: ['maps', 'charts'] }); // ['security=high', 'topic=maps,charts']
 */
export const nameValues = (values: object): string[] =>
  Object.entries(values).map(([name, value]: [string, unknown]) => `${name}=${[value].flat().join(',')}`);
