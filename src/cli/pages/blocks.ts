import { plain } from '../terminal/output.js';

/** A part of a page. Texts are plain text; names of policies and servers are not markup. */
export type Block =
  | { readonly type: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'list'; readonly items: readonly string[] }
  | {
      readonly type: 'table';
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    };

/**
 * Writes a page as Markdown.
 *
 * @param blocks the parts of the page
 * @returns the text, with a line break at its end
 * @example
 * toMarkdown([{ type: 'heading', level: 1, text: 'vault' }]); // '# vault\n'
 */
export function toMarkdown(blocks: readonly Block[]): string {
  const text = (raw: string): string => plain(raw).replace(/[\\`*_{}[\]<>#|~]/g, '\\$&');
  const row = (cells: readonly string[]): string => `| ${cells.map(text).join(' | ')} |`;
  const parts = blocks.map((block) => {
    if (block.type === 'heading') return `${'#'.repeat(block.level)} ${text(block.text)}`;
    if (block.type === 'text') return text(block.text);
    if (block.type === 'list') return block.items.map((item) => `- ${text(item)}`).join('\n');
    return [row(block.head), `|${' --- |'.repeat(block.head.length)}`, ...block.rows.map(row)].join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

/**
 * Writes a page as HTML that needs no other file.
 *
 * @param blocks the parts of the page
 * @param title the title of the page
 * @returns the text of the HTML file
 * @example
 * writeFileSync('policy.html', toHtml(blocks, 'vault'));
 */
export function toHtml(blocks: readonly Block[], title: string): string {
  const parts = blocks.map((block) => {
    if (block.type === 'heading') return `<h${block.level}>${html(block.text)}</h${block.level}>`;
    if (block.type === 'text') return `<p>${html(block.text)}</p>`;
    if (block.type === 'list')
      return `<ul>\n${block.items.map((item) => `<li>${html(item)}</li>`).join('\n')}\n</ul>`;
    const row = (cells: readonly string[], cell: 'th' | 'td'): string =>
      `<tr>${cells.map((each) => `<${cell}>${html(each)}</${cell}>`).join('')}</tr>`;
    const rows = block.rows.map((cells) => row(cells, 'td')).join('\n');
    return `<table>\n<thead>${row(block.head, 'th')}</thead>\n<tbody>\n${rows}\n</tbody>\n</table>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${html(title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid GrayText; padding: .25rem .5rem; text-align: left; vertical-align: top }
</style>
</head>
<body>
${parts.join('\n')}
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const html = (text: string): string => plain(text).replace(/[&<>"]/g, (each) => ENTITIES[each] ?? each);
