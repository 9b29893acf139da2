import type { Decision } from '../../engine/evaluate.js';
import type { Policy } from '../../engine/policy.js';
import { ENCODING } from '../inputs/token-counter.js';
import { columns, type Row, rows, wrapped } from '../terminal/layout.js';
import { count, type Paper, plain } from '../terminal/output.js';
import { asked } from './in-effect.js';
import { type Judged, type Report, sumOf } from './list-report.js';
import { WORDS } from '../terminal/quantities.js';

/**
 * Writes a report for people: the answer in the first line, then each kind that the server has, what stays and what
 * goes with the reason.
 *
 * @param policy the policy
 * @param report the report
 * @param paper where it will stand
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(toTable(policy, report, paperOf(process.stdout)));
 */
export function toTable(policy: Policy, report: Report, paper: Paper): string {
  const kinds = report.kinds.filter(({ all }) => all.length > 0);
  const everything = sumOf(kinds.flatMap(({ all }) => all));
  if (everything.total === 0) return 'The server lists nothing.\n';

  const words =
    kinds.length === 1 && kinds[0] !== undefined ? WORDS[kinds[0].kind] : ['primitive', 'primitives'];
  const { total, shown, hidden, tokens } = everything;
  const lines = [
    paper.paint(
      'bold',
      `${shown} of ${total} ${words[1]} ${stay(shown)}, ${hidden} ${go(hidden)}; ` +
        `${count(tokens.saved)} of ${count(tokens.total)} tokens saved (${ENCODING})`,
    ),
    ...asked(policy, report, hidden, paper),
  ];
  for (const { kind, all } of kinds) {
    const [one, many] = WORDS[kind];
    const kept = all.filter(({ decision }) => decision.effect === 'show');
    const gone = all.filter(({ decision }) => decision.effect === 'hide');
    const named = (number: number) => `${number} ${number === 1 ? one : many}`;
    if (kept.length > 0) {
      lines.push('', paper.paint('green', `${named(kept.length)} ${stay(kept.length)}`));
      lines.push(
        ...columns(
          kept.map(({ id }) => plain(id)),
          paper.width,
        ),
      );
    }
    if (gone.length > 0) {
      lines.push('', paper.paint('magenta', `${named(gone.length)} ${go(gone.length)}`));
      lines.push(...reasons(policy, gone, paper));
    }
  }
  return `${lines.join('\n')}\n`;
}

/** Groups what goes by what hides it: the concern with the wish, or the rule, are the same for a whole group. */
function reasons(policy: Policy, gone: readonly Judged[], paper: Paper): string[] {
  const groups = new Map<string, Row[]>();
  for (const { id, decision } of gone) {
    const { title, has, source } = explain(policy, id, decision);
    const group = groups.get(title) ?? [];
    group.push([plain(id), plain(has), plain(source)]);
    groups.set(title, group);
  }
  return [...groups].flatMap(([title, group]) => [
    ...wrapped('  ', plain(title).split(' '), ' ', paper.width),
    ...(group.every(([, has, source]) => has === '' && source === '')
      ? columns(
          group.map(([id]) => id),
          paper.width,
          4,
        )
      : rows(group, paper.width).map(([id, has, source]) =>
          `    ${id}  ${has}  ${source === '' ? '' : paper.paint('dim', source)}`.trimEnd(),
        )),
  ]);
}

function explain(
  policy: Policy,
  id: string,
  { reason: why }: Decision,
): { title: string; has: string; source: string } {
  if (why.code === 'concern-mismatch') {
    const { concern, wanted, actual, source } = why;
    return { title: wish(policy, concern, wanted), has: actual.join(', '), source };
  }
  if (why.code === 'rule') {
    const { rule, source, reason, values } = why;
    const own = Object.entries(values).filter(
      ([path, value]) => path.startsWith('primitive.') && value !== id,
    );
    const has = own.map(
      ([path, value]) => `${path.slice(path.lastIndexOf('.') + 1)}=${JSON.stringify(value)}`,
    );
    return {
      title: `rule ${rule} (${source})${reason === undefined ? '' : `: ${reason}`}`,
      has: has.join(' '),
      source: '',
    };
  }
  return { title: 'not mapped by the policy', has: '', source: '' };
}

/** @returns what is wanted of a concern, to be followed by what a primitive has */
export function wish(policy: Policy, concern: string, wanted: readonly (string | number)[]): string {
  if (wanted.length === 0) return `${concern}: no value was claimed, and there is no default`;
  const match = policy.concerns[policy.indexOf.get(concern) ?? -1]?.match;
  const bound = match === 'at-most' ? 'at most ' : match === 'at-least' ? 'at least ' : '';
  return `${concern}: wanted ${bound}${wanted.join(' or ')}, has`;
}

const stay = (number: number): string => (number === 1 ? 'stays' : 'stay');
const go = (number: number): string => (number === 1 ? 'goes' : 'go');
