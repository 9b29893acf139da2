import { escaped, table } from '../../terminal/markdown.js';
import { count, plain } from '../../terminal/output.js';
import { detailLines } from './definitions.js';
import { changeText, costText, emptyText, headline, nameWith, preferenceWords } from './pretty.js';
import type { DiffReport } from './report.js';

/** @returns a report as a comment of a pull request */
export function toMarkdown(report: DiffReport): string {
  const { groups, newlyEmpty, notes, source, words } = report;
  const lines = [`### ${code(report.new)}: ${headline(report)}`, ''];
  if (newlyEmpty !== null) {
    lines.push(`> [!WARNING]`, `> ${emptyText(code(preferenceWords(newlyEmpty)))}`, '');
  }
  const changes = groups.map((group) => {
    const moved = group.renamed.map(({ name, from }) => `${code(name)} (renamed, it was ${code(from)})`);
    const [hidden, shown] = [group.hidden, group.shown].map((some) =>
      some.map((each) => nameWith(each, code)),
    );
    return [escaped(group.when), folded(hidden ?? []), folded([...(shown ?? []), ...moved]), costText(group)];
  });
  lines.push(...section(['When', 'No longer shown', 'Newly shown', 'Tokens'], changes));
  if (words.length > 0)
    lines.push(
      'Changed concerns, presets and settings:',
      '',
      ...words.map((each) => `- ${escaped(each)}`),
      '',
    );
  const definitions = report.definitions.map(({ name, before, after, details }) => [
    code(name),
    changeText(before, after, '→'),
    detailLines(details)
      .map((line) => escaped(line.trim()))
      .join('<br>'),
  ]);
  lines.push(...section(['Definition', 'Tokens', 'Changed'], definitions));
  const hosts = report.named
    .filter(({ changed }) => changed)
    .map(({ name, before, after, resent }) => [
      escaped(name),
      `${before.shown} → ${after.shown}`,
      before.tokens === undefined || after.tokens === undefined
        ? ''
        : changeText(before.tokens, after.tokens, '→'),
      resent ? count(resent) : '',
    ]);
  lines.push(...section(['A host that requests', 'Sees', 'Tokens', 'Sent again'], hosts));
  const where = source === null ? 'names in the policies' : `primitives of ${code(source)}`;
  const compared = `Compared with ${code(report.old)}, for ${report.primitives} ${where}.`;
  lines.push(`<sub>${[compared, ...notes.map(escaped)].join(' ')}</sub>`);
  return `${lines.join('\n')}\n`;
}

/** A table with an empty line behind it; nothing for a table without rows. */
const section = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  rows.length === 0 ? [] : [...table(head, rows), ''];

/** A row with more names would be hard to read, so more names are folded away. */
const MAX_NAMES = 8;

function folded(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return names.join(', ');
  return `<details><summary>${names.length}</summary>${names.join(', ')}</details>`;
}

function code(text: string): string {
  const safe = plain(text).replaceAll('|', '\\|');
  return safe.includes('`') ? `\`\` ${safe} \`\`` : `\`${safe}\``;
}
