import { KIND_NAMES } from '../../../policy/language/kind-names.js';
import { ENCODING } from '../../inputs/token-counter.js';
import { count, plain } from '../../terminal/output.js';
import { detailLines } from './definitions.js';
import { changeText, costText, emptyText, headline, preferenceWords } from './pretty.js';
import type { DiffReport, NamedConfiguration, ReportedPrimitive } from './report.js';

/** @returns a report as a JSON value */
export function toJson(report: DiffReport): object {
  const { names, input, total, groups, hidden, shown, renamed, named, redefined, words } = report;
  const { extent, newlyEmpty, notes } = report;
  return {
    old: names[0],
    new: names[1],
    source: input ?? null,
    primitives: total,
    hidden,
    shown,
    renamed,
    encoding: ENCODING,
    groups: groups.map(({ conditions, ...group }) => ({
      ...group,
      conditions: conditions.map((terms) =>
        terms.map(({ dimension: { type: by, name, choices }, choices: selected }) => ({
          by,
          name,
          // null: not requested, not claimed, or not true.
          values: [...selected].map((index) => choices[index]?.text ?? null),
        })),
      ),
    })),
    configurations: extent ?? null,
    newlyEmpty: newlyEmpty ?? null,
    named,
    definitions: redefined,
    words,
    notes,
  };
}

/** @returns a report as a comment of a pull request */
export function toMarkdown(report: DiffReport): string {
  const { names, groups, named, redefined, words, newlyEmpty, notes, input, total } = report;
  const lines = [`### ${code(names[1])}: ${headline(report)}`, ''];
  if (newlyEmpty !== undefined) {
    lines.push(`> [!WARNING]`, `> ${emptyText(code(preferenceWords(newlyEmpty)))}`, '');
  }
  const changes = groups.map(({ when, hidden, shown, renamed, tokens, exact }) => {
    const cost = tokens === undefined || tokens === 0 ? '' : costText(tokens, exact);
    const moved = renamed.map(({ name, from }) => `${code(name)} (renamed, it was ${code(from)})`);
    return [cell(when), folded(hidden.map(entry)), folded([...shown.map(entry), ...moved]), cost];
  });
  lines.push(...table(['When', 'No longer shown', 'Newly shown', 'Tokens'], changes));
  if (words.length > 0)
    lines.push('Changed concerns, presets and settings:', '', ...words.map((each) => `- ${cell(each)}`), '');
  const definitions = redefined.map(({ name, before, after, details }) => [
    code(name),
    changeText(before, after, '→'),
    detailLines(details)
      .map((line) => cell(line.trim()))
      .join('<br>'),
  ]);
  lines.push(...table(['Definition', 'Tokens', 'Changed'], definitions));
  const hosts = named.filter(({ changed }) => changed).map(cellsOf);
  lines.push(...table(['A host that requests', 'Sees', 'Tokens', 'Sent again'], hosts));
  const where = input === undefined ? 'names in the policies' : `primitives of ${code(input)}`;
  lines.push(
    `<sub>${[`Compared with ${code(names[0])}, for ${total} ${where}.`, ...notes.map(cell)].join(' ')}</sub>`,
  );
  return `${lines.join('\n')}\n`;
}

/** @returns the lines of a table, with an empty line behind it; none for a table without rows */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line), ''];
}

function cellsOf({ name, before, after, resent }: NamedConfiguration): string[] {
  const tokens =
    before.tokens === undefined || after.tokens === undefined
      ? ''
      : changeText(before.tokens, after.tokens, '→');
  const again = resent === undefined || resent === 0 ? '' : count(resent);
  return [cell(name), `${before.shown} → ${after.shown}`, tokens, again];
}

/** A row with more names would be hard to read, so more names are folded away. */
const MAX_NAMES = 8;

function folded(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return names.join(', ');
  return `<details><summary>${names.length}</summary>${names.join(', ')}</details>`;
}

function entry({ kind, name, server }: ReportedPrimitive): string {
  const remarks = [
    kind === 'tools' ? '' : KIND_NAMES[kind][0],
    server === undefined ? '' : server === 'new' ? 'new on the server' : 'removed from the server',
  ];
  const text = remarks.filter((each) => each !== '').join(', ');
  return `${code(name)}${text === '' ? '' : ` (${text})`}`;
}

/** Escapes text from a server, so that it cannot end the table cell or mention a user. */
function cell(text: string): string {
  return plain(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[\\|`*_[\]@#]/g, (character) => `\\${character}`);
}

function code(text: string): string {
  const safe = plain(text).replaceAll('|', '\\|');
  return safe.includes('`') ? `\`\` ${safe} \`\`` : `\`${safe}\``;
}
