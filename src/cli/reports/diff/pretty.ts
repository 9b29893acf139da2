import { KIND_NAMES } from '../../../core/policy/language/kind-names.js';
import { paragraph } from '../../../core/policy/language/wrapped.js';
import { ENCODING } from '../../inputs/token-counter.js';
import { columns, type Row, table } from '../../terminal/layout.js';
import { count, nameValues, type Paper, plain } from '../../terminal/output.js';
import { commonNames, joined, quantity } from '../../terminal/quantities.js';
import { detailLines } from './definitions.js';
import type { DiffReport, ReportedGroup, ReportedPrimitive } from './report.js';

/**
 * Formats a report as text: the size of the change in the first line, then each group of primitives with the condition
 * under which they change.
 *
 * @param report the report
 * @param paper where the text will be written
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(toPretty(report, paperOf(process.stdout)));
 */
export function toPretty(report: DiffReport, paper: Paper): string {
  const { groups, named, definitions, words, newlyEmpty, notes, source } = report;
  const lines = [paper.paint('bold', headline(report)), ...extentLines(report, paper)];
  const number = quantity(report.primitives, 'primitive');
  lines.push(...sentence(`Compared ${number} of ${source ?? 'the policies'}.`, paper));
  if (newlyEmpty !== null) {
    const text = emptyText(plain(preferenceWords(newlyEmpty)));
    lines.push(...sentence(text, paper).map((line) => paper.paint('red', line)));
  }
  for (const group of groups) lines.push('', ...groupLines(group, paper));
  const changes = words.flatMap((each) => item(plain(each), paper));
  if (words.length > 0) lines.push('', 'Changed concerns, presets and settings', ...changes);
  const redefined = definitions.flatMap(({ name, before, after, details }) => [
    `  ${plain(name)}  ${changeText(before, after, '->')}`,
    ...detailLines(details).map((line) => `  ${line}`),
  ]);
  if (redefined.length > 0)
    lines.push('', `Changed definitions, with their tokens (${ENCODING})`, ...redefined);
  if (groups.length > 0 || redefined.length > 0) lines.push('', ...namedLines(named, paper));
  if (notes.length > 0) lines.push('', ...notes.flatMap((note) => sentence(note, paper)));
  return `${lines.join('\n')}\n`;
}

/** @returns the size of the change, in one line */
export function headline({ hidden, shown, renamed, groups, words, definitions }: DiffReport): string {
  if (groups.length > 0) {
    const names = commonNames(groups.flatMap((group) => [...group.hidden, ...group.shown, ...group.renamed]));
    const counts = Object.entries({ 'no longer shown': hidden, 'newly shown': shown, renamed });
    const some = counts
      .filter(([, each]) => each > 0)
      .map(([what, each], at) => `${at === 0 ? quantity(each, ...names) : each} ${what}`);
    const always = groups.every(({ conditions }) => conditions.some((terms) => terms.length === 0));
    const depending = always ? 'for every host' : 'depending on the preferences of the host';
    return [...some, depending].join(', ');
  }
  if (words.length > 0 || definitions.length > 0)
    return 'The same preferences show the same primitives, but other things changed';
  return 'Nothing changes for any host';
}

function extentLines({ configurations, groups }: DiffReport, paper: Paper): string[] {
  if (groups.length === 0) return [];
  if (configurations === null) return ['There are too many configurations to count.'];
  const { affected, total, names } = configurations;
  if (affected === total) return [];
  const text = `${count(affected)} of ${count(total)} configurations of ${joined(names)} change.`;
  return sentence(text, paper);
}

const sentence = (text: string, { width }: Paper): string[] => paragraph(text, width);

/** A line of a list. It is wrapped only on terminals. */
const item = (text: string, { width = Number.POSITIVE_INFINITY }: Paper, indent = '  '): string[] =>
  paragraph(text, width, indent);

/** @returns a sentence about a configuration that shows nothing since the change */
export const emptyText = (preferences: string): string =>
  `A host that requests ${preferences} no longer sees any primitive.`;

/** @returns preferences as `name=value` */
export const preferenceWords = (concerns: Readonly<Record<string, unknown>>): string =>
  nameValues(concerns).join(' ') || 'nothing';

function groupLines(group: ReportedGroup, paper: Paper): string[] {
  const { when, hidden, shown, renamed } = group;
  const cost = costText(group);
  return [
    ...sentence(`${plain(when)}${cost === '' ? '' : `  (${cost})`}`, paper).map((line) =>
      paper.paint('bold', line),
    ),
    ...listLines('-', hidden, paper),
    ...listLines('+', shown, paper),
    ...(renamed.length > 0 ? [`  ${renamed.length} renamed`] : []),
    ...renamed.map(({ from, name }) => `    ${plain(from)} -> ${plain(name)}`),
  ];
}

function listLines(sign: '-' | '+', some: readonly ReportedPrimitive[], paper: Paper): string[] {
  if (some.length === 0) return [];
  const names = some.map((each) => `${sign} ${nameWith(each, plain)}`);
  const title = sign === '-' ? 'no longer shown' : 'newly shown';
  const style = sign === '-' ? 'red' : 'green';
  return [
    `  ${some.length} ${title}`,
    ...columns(names, paper.width, 4).map((line) => paper.paint(style, line)),
  ];
}

/** @returns the name of a primitive, and in parentheses its kind and what the server did with it */
export function nameWith(
  { kind, name, server }: ReportedPrimitive,
  quoted: (text: string) => string,
): string {
  const remarks = [
    ...(kind === 'tools' ? [] : [KIND_NAMES[kind][0]]),
    ...(server === undefined ? [] : [server === 'new' ? 'new on the server' : 'removed from the server']),
  ];
  return `${quoted(name)}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}`;
}

/** @returns the change of tokens of a group; `up to` if other values hide some of its primitives anyway */
export function costText({ tokens = 0, exact }: ReportedGroup): string {
  if (tokens === 0) return '';
  const upTo = exact ? '' : 'up to ';
  return tokens < 0 ? `saves ${upTo}${count(-tokens)} tokens` : `costs ${upTo}${count(tokens)} tokens`;
}

/** @returns a number before and after the change, and the difference */
export const changeText = (before: number, after: number, arrow: string): string =>
  `${count(before)} ${arrow} ${count(after)} (${signed(after - before)})`;

/** @returns a number with its sign */
const signed = (number: number): string => (number < 0 ? `-${count(-number)}` : `+${count(number)}`);

function namedLines(named: DiffReport['named'], paper: Paper): string[] {
  const changed = named.filter((each) => each.changed);
  const same = named.filter((each) => !each.changed);
  const rows = changed.map(({ name, before, after, resent }): Row => {
    const tokens =
      before.tokens === undefined || after.tokens === undefined || before.tokens === after.tokens
        ? ''
        : `, ${signed(after.tokens - before.tokens)} tokens`;
    const again = resent ? `, resends ${count(resent)}` : '';
    return [name, `${before.shown} -> ${after.shown} shown${tokens}${again}`, ''];
  });
  return [
    'A host that requests',
    ...table(rows, paper),
    ...(same.length === 0
      ? []
      : item(`${joined(same.map(({ name }) => plain(name)))}: no change`, paper, '    ')),
  ];
}
