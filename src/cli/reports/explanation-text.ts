import type { Policy } from '../../engine/policy.js';
import { type Row, rows, wrapped } from '../terminal/layout.js';
import { type Paper, plain } from '../terminal/output.js';
import type { ExplainedConcern, ExplainedRule, Explanation } from './explanation.js';
import { ruleTree } from './rule-tree.js';
import { WORDS } from '../terminal/quantities.js';

/**
 * Writes an explanation for people: the verdict and its reason, what turns it around, then every concern and rule.
 *
 * @param policy the policy
 * @param explanation the explanation
 * @param paper where it will stand
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(explanationToText(policy, explanation, paperOf(process.stdout)));
 */
export function explanationToText(policy: Policy, explanation: Explanation, paper: Paper): string {
  const { kind, id, shown, concerns, rules, mapped } = explanation;
  // In a pipe the answer is one line, for whoever looks for it there.
  const width = paper.width ?? Number.POSITIVE_INFINITY;
  const word = WORDS[kind][0];
  const verdict = `${word.charAt(0).toUpperCase()}${word.slice(1)} ${plain(id)} is ${shown ? 'shown' : 'hidden'}`;
  const head = wrapped('', `${verdict}: ${plain(reasonText(policy, explanation))}`.split(' '), ' ', width);
  const lines = [
    ...head.map((line) =>
      paper.paint('bold', line.replace(verdict, paper.paint(shown ? 'green' : 'red', verdict))),
    ),
    ...wrapped('', plain(turn(explanation)).split(' '), ' ', width),
  ];

  const wished = concerns.filter(({ wanted }) => wanted !== undefined);
  const unasked = concerns.filter(({ wanted, actual }) => wanted === undefined && actual !== undefined);
  const rest = concerns.filter(({ wanted, actual }) => wanted === undefined && actual === undefined);
  if (concerns.length > 0) lines.push('');
  for (const each of wished) lines.push(...concernLines(policy, each, paper));
  if (unasked.length > 0) {
    lines.push('  not asked for:');
    const table = unasked.map(
      ({ concern, actual = [], source = '' }): Row => [
        plain(concern),
        plain(actual.join(' or ')),
        plain(source),
      ],
    );
    for (const [concern, has, source] of rows(table, paper.width)) {
      lines.push(`    ${concern}  ${has}  ${paper.paint('dim', source)}`);
    }
  }
  if (rest.length > 0) {
    const names = rest.map(({ concern }) => concern);
    lines.push(...wrapped('  not asked for, and without a value: ', names, ', ', paper.width));
  }
  if (!mapped) lines.push('  nothing in the policy maps it');
  for (const rule of rules) lines.push('', ...ruleLines(rule, paper));
  return `${lines.join('\n')}\n`;
}

function reasonText(policy: Policy, { shown, reason: why, concerns }: Explanation): string {
  switch (why.code) {
    case 'fits': {
      if (concerns.every(({ wanted }) => wanted === undefined)) return 'nothing was asked for.';
      const named = concerns.filter(({ wanted, actual }) => wanted !== undefined && actual !== undefined);
      return named.length === 0
        ? 'it has no value for what was asked for.'
        : 'it fits all that was asked for.';
    }
    case 'unmapped':
      return 'nothing maps it, and this policy hides what nothing maps.';
    case 'concern-mismatch': {
      const { concern, wanted, actual } = why;
      return wanted.length === 0
        ? `its ${concern} is ${actual.join(' or ')}, and nothing was claimed.`
        : `its ${concern} is ${actual.join(' or ')}, wanted is ${bound(policy, concern)}${wanted.join(' or ')}.`;
    }
    case 'rule': {
      const reason = why.reason === undefined ? '' : ` (${why.reason})`;
      return `rule ${why.rule} ${shown ? 'shows' : 'hides'} it${reason}.`;
    }
  }
}

/** What turns the verdict around. */
function turn({ shown, change, claim, concerns }: Explanation): string {
  const verb = shown ? 'hide' : 'show';
  if (change === undefined) {
    const found = `No other wish of a host was found that would ${verb} it`;
    return claim === undefined ? `${found}.` : `${found}; the claim ${claim[0]}=${claim[1]} would.`;
  }
  const parts = Object.entries(change).map(([name, value]) => {
    const now = concerns.find(({ concern }) => concern === name)?.wanted;
    const before = now === undefined || now === 'denied' ? '' : now.join(',');
    if (value === null) return `no ${name} at all instead of ${name}=${before}`;
    return `${name}=${[value].flat().join(',')}${before === '' ? '' : ` instead of ${before}`}`;
  });
  const last = parts.pop() ?? '';
  return `To ${verb} it, ask for ${parts.length === 0 ? last : `${parts.join(', ')} and ${last}`}.`;
}

function concernLines(
  policy: Policy,
  { concern, wanted, from, actual, source, fits }: ExplainedConcern,
  { paint, width = Number.POSITIVE_INFINITY }: Paper,
): string[] {
  const want =
    wanted === undefined
      ? 'not asked for'
      : wanted === 'denied'
        ? 'not claimed, without a default'
        : `${bound(policy, concern)}${wanted.join(' or ')}`;
  const has = actual === undefined ? 'no value, which fits everything' : actual.join(' or ');
  const widest = Math.max(want.length, has.length);
  const line = (title: string, text: string, place: string | undefined) => {
    if (place === undefined) return `      ${title}  ${text}`;
    const before = `      ${title}  ${text.padEnd(widest)}  `;
    // As in `rows`: first the folders go.
    const short = before.length + place.length > width ? place.replace(/[^\s(]*[/\\]/g, '') : place;
    return before + paint('dim', plain(short));
  };
  return [
    fits ? `  ${paint('green', '✓')} ${concern}` : `  ${paint('red', '✗')} ${paint('bold', concern)}`,
    line('wanted', want, from),
    line('has   ', plain(has), source),
  ];
}

function ruleLines({ id, effect, source, fires, reason, expression }: ExplainedRule, paper: Paper): string[] {
  const what = fires ? `${effect}s it` : `does not fire; it would ${effect} it`;
  const tree = ruleTree(expression).map(({ text, value, depth }) => ({
    text: `${'  '.repeat(depth + 1)}${plain(text)}`,
    value: plain(value),
  }));
  const widest = Math.max(...tree.map(({ text }) => text.length));
  return [
    `${paper.paint('bold', `Rule ${plain(id)}`)} ${what}  ${paper.paint('dim', plain(source))}`,
    ...(reason === undefined ? [] : wrapped('  ', plain(reason).split(' '), ' ', paper.width)),
    ...tree.flatMap(({ text, value }) =>
      // Beside each other while they fit; else the value goes under its part.
      widest + value.length + 2 > (paper.width ?? 110)
        ? [text, `${/^ */.exec(text)?.[0]}  = ${paper.paint('bold', value)}`]
        : [`${text.padEnd(widest)}  ${paper.paint('bold', value)}`],
    ),
  ];
}

function bound(policy: Policy, concern: string): string {
  const match = policy.concerns[policy.indexOf.get(concern) ?? -1]?.match;
  return match === 'at-most' ? 'at most ' : match === 'at-least' ? 'at least ' : '';
}
