import { ASSUMED_WIDTH } from '../../core/policy/language/wrapped.js';
import { type Paper, plain } from './output.js';

/** Columns before the rows of a group, and between two columns of it. */
const INDENT = 4;
const GAP = 2;

/**
 * Arranges texts in columns like `ls`: down the first column, then the next.
 *
 * @param texts the texts
 * @param width the width of the terminal, 80 if it is not known
 * @param indent the number of spaces before each line
 * @returns the lines
 * @example
 * columns(['a', 'b', 'c'], 80); // ['  a  b  c']
 */
export function columns(texts: readonly string[], width: number = ASSUMED_WIDTH, indent = 2): string[] {
  const widest = Math.max(...texts.map(({ length }) => length));
  // The last column needs no gap after it.
  const perLine = Math.max(1, Math.floor((width - indent + GAP) / (widest + GAP)));
  const height = Math.ceil(texts.length / perLine);
  return Array.from({ length: height }, (_, line) => {
    const cells = texts.filter((_, index) => index % height === line);
    return `${' '.repeat(indent)}${cells.map((cell) => cell.padEnd(widest + GAP)).join('')}`.trimEnd();
  });
}

export type Row = readonly [id: string, has: string, source: string];

/**
 * Aligns the columns of a group. If a terminal is too narrow, the folders of files are left out first, then long texts
 * are cut, because a line that wraps is harder to read. Outside a terminal nothing is cut, so that `grep` finds all.
 *
 * @param group names, values and places
 * @param width the width of the terminal; undefined outside a terminal
 * @returns the rows, with all columns padded except the last
 * @example
 * rows([['browser_click', 'changes', 'policies/playwright.yaml:81']], 80);
 */
export function rows(group: readonly Row[], width: number | undefined): Row[] {
  const room = (width ?? Number.POSITIVE_INFINITY) - INDENT - 2 * GAP;
  const widest = (cells: readonly Row[], index: 0 | 1 | 2) =>
    Math.max(...cells.map((row) => row[index].length));

  let fitting = group;
  const excess = () => widest(fitting, 0) + widest(fitting, 1) + widest(fitting, 2) - room;
  if (excess() > 0)
    fitting = group.map(([id, has, source]) => [id, has, source.replace(/[^\s(]*[/\\]/g, '')]);
  if (excess() > 0) {
    const limit = Math.max(12, widest(fitting, 1) - excess());
    fitting = fitting.map(([id, has, source]) => [id, cut(has, limit), source]);
  }
  if (excess() > 0) {
    const limit = Math.max(20, widest(fitting, 0) - excess());
    fitting = fitting.map(([id, has, source]) => [cut(id, limit), has, source]);
  }
  const [first, second] = [widest(fitting, 0), widest(fitting, 1)];
  return fitting.map(([id, has, source]) => [id.padEnd(first), has.padEnd(second), source]);
}

/**
 * Writes a group as a table; as columns of names if no row has more than a name.
 *
 * @param group names, values and places, which are dimmed. Characters that a terminal would obey are escaped
 * @param paper where the text will be written
 * @param painted colors a name
 * @returns the lines
 * @example
 * table([['browser_click', 'changes', 'policies/playwright.yaml:81']], paper);
 */
export function table(
  group: readonly Row[],
  { width, paint }: Paper,
  painted = (name: string): string => name,
): string[] {
  const safe = group.map(([name, has, source]): Row => [plain(name), plain(has), plain(source)]);
  if (group.every(([, has, source]) => has === '' && source === '')) {
    const names = safe.map(([name]) => name);
    return columns(names, width, INDENT);
  }
  return rows(safe, width).map(([name, has, source]) =>
    `    ${painted(name)}  ${has}  ${source === '' ? '' : paint('dim', source)}`.trimEnd(),
  );
}

const cut = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
