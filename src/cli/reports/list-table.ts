import type { Kind, Policy } from '../../core/engine/policy.js';
import { groupBy } from '../../core/once.js';
import { KIND_NAMES } from '../../core/policy/language/kind-names.js';
import { paragraph, wrapped } from '../../core/policy/language/wrapped.js';
import { ENCODING } from '../inputs/token-counter.js';
import { columns, type Row, table } from '../terminal/layout.js';
import { count, nameValues, type Paper, plain } from '../terminal/output.js';
import { commonNames, quantity } from '../terminal/quantities.js';
import { bound } from '../terminal/reason-words.js';
import { byServer, unavailableTexts } from './by-server.js';
import { leftInWords } from './left-in-words.js';
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
  const saved = `${hidden} hidden; ${count(tokens.saved)} of ${count(tokens.total)} tokens saved (${ENCODING})`;
  const lines = [
    // An empty list is a mistake more often than a success.
    shown === 0
      ? paper.paint('magenta', `0 of ${total} ${plural} shown: ${hiddenBy(report.all)}`)
      : paper.paint('bold', `${shown} of ${total} ${plural} shown, ${saved}`),
    ...inEffectLines(policy, report, hidden, paper),
  ];
  for (const [server, own] of byServer(report.all)) {
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

/** What hides how many primitives: `world hides 61, effect 177`. */
function hiddenBy(all: readonly DecidedPrimitive[]): string {
  const by = groupBy(all, ({ decision: { reason } }) =>
    reason.code === 'concern-mismatch'
      ? reason.concern
      : reason.code === 'rule'
        ? `rule ${reason.rule}`
        : reason.code === 'argument'
          ? `argument ${reason.argument}`
          : 'unmapped',
  );
  return [...by]
    .map(([name, { length }], index) => `${name} ${index === 0 ? 'hides ' : ''}${length}`)
    .join(', ');
}

function kindLines(policy: Policy, kind: Kind, all: readonly DecidedPrimitive[], paper: Paper): string[] {
  const block = (state: 'shown' | 'hidden', some: readonly unknown[], lines: readonly string[]) => {
    if (some.length === 0) return [];
    const title = `${quantity(some.length, ...KIND_NAMES[kind])} ${state}`;
    return ['', paper.paint(state === 'shown' ? 'green' : 'magenta', title), ...lines];
  };
  const shown = shownOf(all);
  const asking = shown.flatMap(({ name, decision: { reason } }): Row[] =>
    reason.code === 'scope-missing' ? [[name, reason.scopes.join(' '), '']] : [],
  );
  const names = shown.flatMap(({ name, decision, asShown: { left } }) => {
    if (decision.reason.code === 'scope-missing') return [];
    return [left.length === 0 ? plain(name) : `${plain(name)} (${plain(leftInWords(left).join(', '))})`];
  });
  const scopes =
    asking.length === 0 ? [] : ['  shown, but a call asks the caller for a scope:', ...table(asking, paper)];
  const hidden = all.filter(({ decision }) => decision.effect === 'hide');
  return [
    ...block('shown', shown, [...columns(names, paper.width), ...scopes]),
    ...block('hidden', hidden, reasonLines(policy, hidden, paper)),
  ];
}

/** Groups the hidden primitives by the concern or the rule that hides them. */
function reasonLines(policy: Policy, primitives: readonly DecidedPrimitive[], paper: Paper): string[] {
  const explained = primitives.map((each) => explain(policy, each));
  return [...groupBy(explained, ({ title }) => title)].flatMap(([title, group]) => {
    const rows = group.map(({ row }) => row);
    return [...paragraph(plain(title), paper.width, '  '), ...table(rows, paper)];
  });
}

/** @returns what hides a primitive, and its name with what it has there, and where that is written */
function explain(policy: Policy, { name, decision: { reason: why } }: DecidedPrimitive) {
  const row = (has = '', source = ''): Row => [name, has, source];
  if (why.code === 'concern-mismatch') {
    const { concern, preferred, actual, source } = why;
    const required = `${bound(policy, concern)}${preferred.join(' or ')} in effect, but these have`;
    const title = preferred.length === 0 ? 'no claim of the caller gives it a value' : required;
    return { title: `${concern}: ${title}`, row: row(actual.join(', '), source) };
  }
  if (why.code === 'rule') {
    const { rule, source, reason, values } = why;
    const has = Object.entries(values)
      .filter(([path, value]) => path.startsWith('primitive.') && value !== name)
      .map(([path, value]) => `${path.slice(path.lastIndexOf('.') + 1)}=${JSON.stringify(value)}`);
    const title = `rule ${rule} (${source})${reason === undefined ? '' : `: ${reason}`}`;
    return { title, row: row(has.join(' ')) };
  }
  if (why.code === 'argument')
    return { title: `no value of their argument ${why.argument} is left`, row: row() };
  if (why.code === 'definition')
    return { title: why.change === 'new' ? 'not pinned' : 'changed since it was pinned', row: row() };
  return { title: 'not mapped by the policy (settings.unmapped is hide)', row: row() };
}

/**
 * Writes the values in effect. If there are none, writes the values that a host can request.
 *
 * @param policy the policy
 * @param report the report
 * @param hidden how many primitives are hidden
 * @param paper where the text will be written
 * @returns the lines
 * @example
 * inEffectLines(policy, report, 53, paper); // ['In effect: effect=read-only']
 */
function inEffectLines(
  policy: Policy,
  { configuration }: ListReport,
  hidden: number,
  paper: Paper,
): string[] {
  const inEffect = nameValues(configuration);
  if (inEffect.length > 0) return wrapped('In effect: ', inEffect, ' ', paper.width);

  const shown = hidden === 0 ? ', so everything is shown' : '';
  const presets = { name: 'preset', values: [...policy.presets.keys()], valueDescriptions: {} };
  const known = policy.presets.size === 0 ? policy.concerns : [...policy.concerns, presets];
  const longest = Math.max(...known.map(({ name }) => name.length));
  return [
    `No preferences were given${shown}. Pass --concern NAME=VALUE:`,
    ...known.flatMap(({ name, values, valueDescriptions = {} }) => [
      ...wrapped(
        `  ${name.padEnd(longest)}  `,
        'min' in values ? [`${values.min} to ${values.max}`] : values,
        ', ',
        paper.width,
      ),
      ...Object.entries<string>(valueDescriptions).flatMap(([value, text]) =>
        wrapped(`  ${' '.repeat(longest)}    ${value}: `, plain(text).split(' '), ' ', paper.width),
      ),
    ]),
  ];
}
