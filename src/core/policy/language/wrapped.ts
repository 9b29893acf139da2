/** The columns of a terminal that does not say how many it has. */
export const ASSUMED_WIDTH = 80;

/**
 * Writes a list, and breaks lines only between its items.
 *
 * @param title the text before the first item; the other lines are indented by its length
 * @param items the items
 * @param separator the text between two items
 * @param width the width of the terminal, 80 if it is not known
 * @returns the lines
 * @example
 * wrapped('values: ', ['low', 'medium', 'high'], ', ', 20); // ['values: low, medium,', '        high']
 */
export function wrapped(
  title: string,
  items: readonly string[],
  separator: string,
  width: number = ASSUMED_WIDTH,
): string[] {
  const lines: string[] = [];
  let line = title;
  items.forEach((item, index) => {
    const text = index === items.length - 1 ? item : item + separator;
    if (line.length > title.length && line.length + text.trimEnd().length > width) {
      lines.push(line.trimEnd());
      line = ' '.repeat(title.length);
    }
    line += text;
  });
  return [...lines, line.trimEnd()];
}

/** Breaks a text between its words. */
export const paragraph = (text: string, width?: number, indent = ''): string[] =>
  wrapped(indent, text.split(' '), ' ', width);
