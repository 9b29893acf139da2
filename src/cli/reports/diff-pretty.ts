import { ENCODING } from '../inputs/token-counter.js';
import { columns, wrapped } from '../terminal/layout.js';
import { count, type Paper, plain } from '../terminal/output.js';
import type { DiffReport, NamedConfiguration, ReportedGroup, ReportedPrimitive } from './diff-report.js';
import { many } from '../terminal/quantities.js';

/**
 * Writes what a change does for the person who made it: how much in the first line, then each group of primitives with
 * the condition under which they change.
 *
 * @param report the report
 * @param paper where it will stand
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(toPretty(report, paperOf(process.stdout)));
 */
export function toPretty(report: DiffReport, paper: Paper): string {
  const { groups, named, redefined, words, newlyEmpty, notes, source, total } = report;
  const lines = [paper.paint('bold', headline(report)), ...extentLines(report, paper)];
  lines.push(
    ...sentence(`Looked at ${many(total, 'primitive')} of ${source ?? 'the policies themselves'}.`, paper),
  );
  if (newlyEmpty !== undefined) {
    const text = `A host that asks for ${plain(askedFor(newlyEmpty))} is shown nothing at all any more.`;
    lines.push(...sentence(text, paper).map((line) => paper.paint('red', line)));
  }
  for (const group of groups) lines.push('', ...groupLines(group, paper));
  if (words.length > 0)
    lines.push(
      '',
      'What hosts can say, and how it is applied',
      ...words.flatMap((each) => item(plain(each), paper)),
    );
  if (redefined.length > 0) {
    lines.push(
      '',
      `Definitions that cost more or less (${ENCODING})`,
      ...redefined.map(
        ({ name, before, after }) =>
          `  ${plain(name)}  ${count(before)} -> ${count(after)} (${signed(after - before)})`,
      ),
    );
  }
  if (groups.length > 0 || redefined.length > 0) lines.push('', ...namedLines(named, paper));
  if (notes.length > 0) lines.push('', ...notes.flatMap((note) => sentence(note, paper)));
  return `${lines.join('\n')}\n`;
}

/** @returns the answer in one line */
export function headline({ hidden, shown, groups, words, redefined }: DiffReport): string {
  if (groups.length > 0) {
    const kinds = new Set(
      groups.flatMap((group) => [...group.hidden, ...group.shown].map(({ kind }) => kind)),
    );
    const [only] = kinds;
    const word = kinds.size === 1 && only !== undefined ? KIND_WORDS[only] : 'primitive';
    const number = (many: number) => `${many} ${word}${many === 1 ? '' : 's'}`;
    const gone = hidden > 0 ? `${number(hidden)} no longer shown` : '';
    const come = shown > 0 ? `${hidden > 0 ? shown : number(shown)} newly shown` : '';
    const always = groups.every(({ when }) => when === ALWAYS);
    const depending = always ? 'whatever a host asks for' : 'depending on what a host asks for';
    return [gone, come, depending].filter((each) => each !== '').join(', ');
  }
  if (words.length > 0 || redefined.length > 0) return 'Every host sees what it saw; other things changed';
  return 'Nothing changes for any host';
}

const ALWAYS = 'Whatever is asked for';

function extentLines({ extent, groups }: DiffReport, paper: Paper): string[] {
  if (groups.length === 0) return [];
  if (extent === undefined) return ['There are too many combinations of concerns to count.'];
  const { affected, total, names } = extent;
  if (affected === total) return [];
  const text = `${count(affected)} of ${count(total)} combinations of ${joined(names)} differ.`;
  return sentence(text, paper);
}

const sentence = (text: string, { width }: Paper): string[] => wrapped('', text.split(' '), ' ', width);

/** A line of a list, which is broken on terminals alone. */
const item = (text: string, { width = Number.POSITIVE_INFINITY }: Paper): string[] =>
  wrapped('  ', text.split(' '), ' ', width);

/** @returns a list as people say it */
function joined(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** @returns what is asked for, as a person would write it */
export function askedFor(concerns: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(concerns).map(([name, value]) => `${name}=${[value].flat().join(',')}`);
  return texts.length === 0 ? 'nothing' : texts.join(' ');
}

function groupLines({ when, hidden, shown, tokens, exact }: ReportedGroup, paper: Paper): string[] {
  const cost = tokens === undefined || tokens === 0 ? '' : `  (${costText(tokens, exact)})`;
  return [
    ...sentence(`${plain(when)}${cost}`, paper).map((line) => paper.paint('bold', line)),
    ...listLines('-', 'no longer shown', hidden, paper),
    ...listLines('+', 'newly shown', shown, paper),
  ];
}

function listLines(
  sign: '-' | '+',
  what: string,
  some: readonly ReportedPrimitive[],
  paper: Paper,
): string[] {
  if (some.length === 0) return [];
  const names = some.map(({ kind, name, server }) => {
    const remark =
      server === undefined ? '' : server === 'new' ? ' (new on the server)' : ' (gone from the server)';
    return `${sign} ${plain(name)}${remark}${kind === 'tools' ? '' : ` (${KIND_WORDS[kind]})`}`;
  });
  const style = sign === '-' ? 'red' : 'green';
  return [
    `  ${some.length} ${what}`,
    ...columns(names, paper.width, 4).map((line) => paper.paint(style, line)),
  ];
}

/** Kinds as they are added to a name; tools are meant where nothing is said. */
export const KIND_WORDS = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
} as const;

/** @returns what a group costs or saves, `up to` where values that did not change hide some of it */
export function costText(tokens: number, exact: boolean): string {
  const upTo = exact ? '' : 'up to ';
  return tokens < 0 ? `saves ${upTo}${count(-tokens)} tokens` : `costs ${upTo}${count(tokens)} tokens`;
}

/** @returns a number with its sign */
export const signed = (number: number): string => (number < 0 ? `-${count(-number)}` : `+${count(number)}`);

function namedLines(named: readonly NamedConfiguration[], paper: Paper): string[] {
  const changed = named.filter((each) => each.changed);
  const same = named.filter((each) => !each.changed);
  const rows = changed.map(({ name, before, after }) => {
    const tokens =
      before.tokens === undefined || after.tokens === undefined || before.tokens === after.tokens
        ? ''
        : `, ${signed(after.tokens - before.tokens)} tokens`;
    return [name, `${before.shown} -> ${after.shown} shown${tokens}`] as const;
  });
  const longest = Math.max(0, ...rows.map(([name]) => name.length));
  return [
    'A host that asks for',
    ...rows.map(([name, text]) => `  ${plain(name).padEnd(longest)}  ${text}`),
    ...(same.length === 0 ? [] : item(`${joined(same.map(({ name }) => plain(name)))}: as before`, paper)),
  ];
}
