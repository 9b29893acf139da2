import { type PositionInYaml, positionInYaml } from '../../core/policy/language/path-at.js';

/** A word of a YAML file, and where it is. */
export interface WordAt extends Pick<PositionInYaml, 'path' | 'writes'> {
  /** The word without quotes. */
  readonly word: string;
  /** Where the word begins and ends in the text, with its quotes. */
  readonly from: number;
  readonly to: number;
}

const WORDS = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,{}[\]"'#]+/g;

/**
 * Finds the word at a position of a YAML file.
 *
 * @param text the text of the file
 * @param offset the position, anywhere in the word or at its end
 * @returns the word; undefined if there is none
 * @example
 * wordAt('settings:\n  unmapped: hide', 14)?.word; // 'unmapped'
 */
export function wordAt(text: string, offset: number): WordAt | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const [line = ''] = text.slice(start).split(/\r?\n/, 1);
  for (const match of line.matchAll(WORDS)) {
    const from = start + match.index;
    const raw = match[0].replace(/:$/, '');
    const to = from + raw.length;
    if (offset < from || offset > to) continue;
    const position = positionInYaml(text, from);
    if (position === undefined) return undefined;
    const word = /^["']/.test(raw) ? raw.slice(1, -1) : raw;
    return { word, path: position.path, writes: position.writes, from, to };
  }
  return undefined;
}
