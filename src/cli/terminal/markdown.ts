import { plain } from './output.js';

/** @returns plain text as Markdown: names and texts of policies and servers are not markup, and mention nobody */
export const escaped = (raw: string): string => plain(raw).replace(/[\\`*_{}[\]<>#|~&@]/g, '\\$&');

/**
 * @param head the titles of the columns
 * @param rows the cells, in Markdown
 * @returns the lines of a table
 * @example
 * table(['Value', 'Meaning'], [['low', 'for tests']]);
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
