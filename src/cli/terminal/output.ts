import { styleText } from 'node:util';

type Style = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;

/** Where a text goes, and what that place can show. */
export interface Paper {
  /** Columns of a terminal; nothing where lines may be as long as they like. */
  readonly width: number | undefined;
  paint(style: Style, text: string): string;
}

/**
 * @param stream stdout or stderr
 * @param color whether it is painted; `auto`: not unless it is a terminal and `NO_COLOR` is not set
 * @returns its width, and how it is painted
 * @example
 * const paper = paperOf(process.stdout);
 * paper.paint('bold', 'All is well');
 */
export function paperOf(stream: NodeJS.WriteStream, color: 'auto' | 'always' | 'never' = 'auto'): Paper {
  const terminal = stream.isTTY === true;
  // hasColors knows NO_COLOR, FORCE_COLOR and dumb terminals.
  const painted = color === 'auto' ? terminal && stream.hasColors() : color === 'always';
  return {
    width: terminal ? stream.columns : undefined,
    paint: (style, text) => (painted ? styleText(style, text, { validateStream: false }) : text),
  };
}

/** Characters that move the cursor, change colours or reorder text: names come from servers that are not ours. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * @param text somebody else's text
 * @returns the same, on one line and harmless for a terminal
 * @example
 * plain('a\u001b[2J'); // 'a\\u001b[2J'
 */
export function plain(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  });
}

/** @returns a whole number as people read it: 12,034. Loading the languages for `toLocaleString` takes 10 ms. */
export const count = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ',');
