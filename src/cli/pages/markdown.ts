import { plain } from '../terminal/output.js';

/** @returns plain text as Markdown: names of policies and servers are not markup */
const escaped = (raw: string): string => plain(raw).replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');

export const heading = (level: 1 | 2 | 3, text: string): string => `${'#'.repeat(level)} ${escaped(text)}`;

export const paragraph = (text: string): string => escaped(text);

export const list = (items: readonly string[]): string =>
  items.map((item) => `- ${escaped(item)}`).join('\n');

/**
 * @param head the titles of the columns
 * @param rows the cells, as plain text
 * @returns a table in Markdown
 * @example
 * table(['Value', 'Meaning'], [['low', 'for tests']]);
 */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [row(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(row)].join('\n');
}
