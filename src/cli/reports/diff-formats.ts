import { ENCODING } from '../inputs/token-counter.js';
import { count, plain } from '../terminal/output.js';
import { askedFor, costText, headline, KIND_WORDS, signed } from './diff-pretty.js';
import type { DiffReport, NamedConfiguration, ReportedPrimitive } from './diff-report.js';

/** @returns a report as one JSON value */
export function toJson(report: DiffReport): object {
  const { names, source, total, groups, hidden, shown, named, redefined, words, extent, newlyEmpty, notes } =
    report;
  return {
    old: names[0],
    new: names[1],
    source: source ?? null,
    primitives: total,
    hidden,
    shown,
    encoding: ENCODING,
    groups: groups.map(({ conditions, ...group }) => ({
      ...group,
      conditions: conditions.map((terms) =>
        terms.map(({ dimension: { type: by, name, choices }, choices: meant }) => ({
          by,
          name,
          // null: not asked for, not claimed, not so.
          values: [...meant].map((index) => choices[index]?.text ?? null),
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
  const { names, groups, named, redefined, words, newlyEmpty, notes, source, total } = report;
  const lines = [`### ${code(names[1])}: ${headline(report)}`, ''];
  if (newlyEmpty !== undefined) {
    lines.push(
      `> [!WARNING]`,
      `> A host that asks for ${code(askedFor(newlyEmpty))} is shown nothing at all any more.`,
      '',
    );
  }
  if (groups.length > 0) {
    lines.push('| When | No longer shown | Newly shown | Tokens |', '|---|---|---|---|');
    for (const { when, hidden, shown, tokens, exact } of groups) {
      const cost = tokens === undefined || tokens === 0 ? '' : costText(tokens, exact);
      lines.push(`| ${cell(when)} | ${list(hidden)} | ${list(shown)} | ${cost} |`);
    }
    lines.push('');
  }
  if (words.length > 0)
    lines.push(
      'What hosts can say, and how it is applied:',
      '',
      ...words.map((each) => `- ${cell(each)}`),
      '',
    );
  if (redefined.length > 0) {
    lines.push('| Definition | Tokens |', '|---|---|');
    for (const { name, before, after } of redefined) {
      lines.push(`| ${code(name)} | ${count(before)} → ${count(after)} (${signed(after - before)}) |`);
    }
    lines.push('');
  }
  const changed = named.filter((each) => each.changed);
  if (changed.length > 0) {
    lines.push('| A host that asks for | Sees | Tokens |', '|---|---|---|', ...changed.map(row), '');
  }
  const where = source === undefined ? 'names in the policies' : `primitives of ${code(source)}`;
  lines.push(
    `<sub>${[`Looked at ${total} ${where}, compared with ${code(names[0])}.`, ...notes.map(cell)].join(' ')}</sub>`,
  );
  return `${lines.join('\n')}\n`;
}

function row({ name, before, after }: NamedConfiguration): string {
  const tokens =
    before.tokens === undefined || after.tokens === undefined
      ? ''
      : `${count(before.tokens)} → ${count(after.tokens)} (${signed(after.tokens - before.tokens)})`;
  return `| ${cell(name)} | ${before.shown} → ${after.shown} | ${tokens} |`;
}

/** More names than this make a row that nobody reads; the rest is folded away. */
const MAX_NAMES = 8;

function list(some: readonly ReportedPrimitive[]): string {
  const names = some.map(({ kind, name, server }) => {
    const remarks = [
      kind === 'tools' ? '' : KIND_WORDS[kind],
      server === undefined ? '' : `${server} on the server`,
    ];
    const text = remarks.filter((each) => each !== '').join(', ');
    return `${code(name)}${text === '' ? '' : ` (${text.replace('gone on', 'gone from')})`}`;
  });
  if (names.length <= MAX_NAMES) return names.join(', ');
  return `<details><summary>${names.length}</summary>${names.join(', ')}</details>`;
}

/** Somebody else's text in a table: no cell ends early, and nobody is mentioned. */
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
