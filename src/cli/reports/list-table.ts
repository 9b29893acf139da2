import type { Decision } from '../../engine/evaluate.js';
import type { Kind, Policy } from '../../engine/policy.js';
import { groupBy } from '../../policy/language/group-by.js';
import { KIND_NAMES } from '../../policy/language/kind-names.js';
import { paragraph } from '../../policy/language/wrapped.js';
import { ENCODING } from '../inputs/token-counter.js';
import { columns, type Row, table } from '../terminal/layout.js';
import { count, type Paper, plain } from '../terminal/output.js';
import { commonNames, quantity } from '../terminal/quantities.js';
import { bound } from '../terminal/reason-words.js';
import { byServer, unavailableTexts } from './by-server.js';
import { inEffectLines } from './in-effect.js';
import { type DecidedPrimitive, type ListReport, shownOf, sumOf } from './list-report.js';

/**
 * Formats a report as text: the result in the first line, then for each kind which primitives are shown, and which are
 * hidden for which reason; of several servers, for each server.
 *
 * @param policy the policy
 * @param report the report
 * @param paper where the text will be written
 * @param unavailable the servers that could not be listed, with the reason
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(toTable(policy, report, paperOf(process.stdout)));
 */
export function toTable(
  policy: Policy,
  report: ListReport,
  paper: Paper,
  unavailable?: Readonly<Record<string, string>>,
): string {
  const { total, shown, hidden, tokens } = sumOf(report.all);
  if (total === 0) return 'The server lists nothing.\n';

  const [, plural] = commonNames(report.all);
  const lines = [
    paper.paint(
      'bold',
      `${shown} of ${total} ${plural} shown, ${hidden} hidden; ` +
        `${count(tokens.saved)} of ${count(tokens.total)} tokens saved (${ENCODING})`,
    ),
    ...inEffectLines(policy, report, hidden, paper),
  ];
  for (const [server, own] of byServer(report.all, ({ primitive }) => primitive)) {
    if (server !== undefined) {
      const sum = sumOf(own);
      const text = `${plain(server)}: ${sum.shown} of ${sum.total} shown, ${count(sum.tokens.shown)} tokens`;
      lines.push('', paper.paint('bold', text));
    }
    for (const [kind, all] of groupBy(own, (each) => each.kind)) {
      lines.push(...kindLines(policy, kind, all, paper));
    }
  }
  const missing = unavailableTexts(unavailable);
  return `${[...lines, ...(missing.length === 0 ? [] : ['', ...missing])].join('\n')}\n`;
}

function kindLines(policy: Policy, kind: Kind, all: readonly DecidedPrimitive[], paper: Paper): string[] {
  const title = (some: readonly unknown[]) => quantity(some.length, ...KIND_NAMES[kind]);
  const shown = shownOf(all);
  const asking = shown.flatMap(({ name, decision: { reason } }): Row[] =>
    reason.code === 'scope-missing' ? [[plain(name), plain(reason.scopes.join(' ')), '']] : [],
  );
  const names = shown.flatMap(({ name, decision }) =>
    decision.reason.code === 'scope-missing' ? [] : [plain(name)],
  );
  const hidden = all.filter(({ decision }) => decision.effect === 'hide');
  return [
    ...(shown.length === 0
      ? []
      : ['', paper.paint('green', `${title(shown)} shown`), ...columns(names, paper.width)]),
    ...(asking.length === 0
      ? []
      : ['  shown, but a call asks the caller for a scope:', ...table(asking, paper)]),
    ...(hidden.length === 0
      ? []
      : ['', paper.paint('magenta', `${title(hidden)} hidden`), ...reasonLines(policy, hidden, paper)]),
  ];
}

/** Groups the hidden primitives by the concern or the rule that hides them. */
function reasonLines(policy: Policy, primitives: readonly DecidedPrimitive[], paper: Paper): string[] {
  const explained = primitives.map(({ name, decision }) => {
    const [title, has, source] = explain(policy, name, decision.reason);
    return { title, row: [plain(name), plain(has), plain(source)] as const };
  });
  return [...groupBy(explained, ({ title }) => title)].flatMap(([title, group]) => [
    ...paragraph(plain(title), paper.width, '  '),
    ...table(
      group.map(({ row }) => row),
      paper,
    ),
  ]);
}

/** @returns what hides a primitive, what the primitive has there, and where that is written */
function explain(policy: Policy, name: string, why: Decision['reason']): readonly [string, string, string] {
  if (why.code === 'concern-mismatch') {
    const { concern, preferred, actual, source } = why;
    const required = `${bound(policy, concern)}${preferred.join(' or ')} in effect, but these have`;
    const title = preferred.length === 0 ? 'no claim of the caller gives it a value' : required;
    return [`${concern}: ${title}`, actual.join(', '), source];
  }
  if (why.code === 'rule') {
    const { rule, source, reason, values } = why;
    const own = Object.entries(values).filter(
      ([path, value]) => path.startsWith('primitive.') && value !== name,
    );
    const has = own.map(
      ([path, value]) => `${path.slice(path.lastIndexOf('.') + 1)}=${JSON.stringify(value)}`,
    );
    return [`rule ${rule} (${source})${reason === undefined ? '' : `: ${reason}`}`, has.join(' '), ''];
  }
  if (why.code === 'definition')
    return [why.change === 'new' ? 'not pinned' : 'changed since it was pinned', '', ''];
  return ['not mapped by the policy (settings.unmapped is hide)', '', ''];
}
