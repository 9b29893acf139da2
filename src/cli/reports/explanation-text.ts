import type { ExplainedPart } from '../../core/analysis/explain-rule.js';
import { parseExpression } from '../../core/engine/expression/parse.js';
import type { Policy } from '../../core/engine/policy.js';
import { inWords, lackInWords } from '../../core/policy/diff/caller-facts.js';
import { KIND_NAMES } from '../../core/policy/language/kind-names.js';
import { paragraph } from '../../core/policy/language/wrapped.js';
import { type Row, table } from '../terminal/layout.js';
import { type Paper, plain } from '../terminal/output.js';
import { joined } from '../terminal/quantities.js';
import { bound, reasonInWords } from '../terminal/reason-words.js';
import { detailLines } from './diff/definitions.js';
import type { ExplainedConcern, ExplainedRule, Explanation } from './explanation.js';

/**
 * Formats an explanation as text: the decision and its reason, the change that reverses it, then every concern and rule.
 *
 * @param policy the policy
 * @param explanation the explanation
 * @param paper where the text will be written
 * @returns the text, with a line break at its end
 * @example
 * process.stdout.write(explanationToText(policy, explanation, paperOf(process.stdout)));
 */
export function explanationToText(policy: Policy, explanation: Explanation, paper: Paper): string {
  const { kind, id, server, shown, concerns, rules, mapped, presented } = explanation;
  // In a pipe the decision is one line, so that `grep` finds it.
  const width = paper.width ?? Number.POSITIVE_INFINITY;
  const [word] = KIND_NAMES[kind];
  const decision = `${word.charAt(0).toUpperCase()}${word.slice(1)} ${plain(id)} is ${shown ? 'shown' : 'hidden'}`;
  const head = `${decision}: ${plain(reasonText(policy, explanation))}`;
  const lines = [
    ...paragraph(head, width).map((line) => paper.paint(shown ? 'green' : 'red', line)),
    ...paragraph(plain(reversal(policy, explanation)), width),
    ...(typeof server === 'string' ? [`It is of the server ${plain(server)}.`] : []),
  ];

  if (concerns.length > 0) lines.push('');
  for (const each of concerns)
    if (each.preferred !== undefined) lines.push(...concernLines(policy, each, paper));
  const unrequested = concerns.filter(({ preferred }) => preferred === undefined);
  if (unrequested.length > 0) {
    const values = unrequested.map(
      ({ concern, actual = ['no value'], source = '' }): Row => [concern, actual.join(' or '), source],
    );
    lines.push('  not requested:', ...table(values, paper));
  }
  if (!mapped) lines.push('  the policy does not map this primitive');
  if (presented.length > 0) {
    lines.push('', '  the policy presents it:', ...detailLines(presented).map((line) => `  ${line}`));
  }
  for (const rule of rules) lines.push('', ...ruleLines(rule, paper));
  return `${lines.join('\n')}\n`;
}

function reasonText(policy: Policy, { reason, shown, concerns }: Explanation): string {
  const words = `${reasonInWords(policy, reason, shown)}.`;
  if (reason.code === 'definition') return `${words} Review it with "mcp-concerns pin --review".`;
  if (reason.code !== 'fits') return words;
  const inEffect = concerns.filter(({ preferred }) => preferred !== undefined);
  if (inEffect.length === 0) return 'no preferences were given.';
  const isValued = inEffect.some(({ actual }) => actual !== undefined);
  return isValued ? words : 'it has no value for the concerns in effect.';
}

/** @returns a sentence that tells which change reverses the decision */
function reversal(policy: Policy, { kind, shown, reason, change, claim, concerns }: Explanation): string {
  const verb = shown ? 'hide' : 'show';
  if (change === undefined) {
    const found = `No change of preferences was found that would ${verb} it.`;
    return claim === undefined ? found : `${found} The claim ${claim[0]}=${claim[1]} would.`;
  }
  const parts = Object.entries(change).map(([name, value]) => {
    const now = concerns.find(({ concern }) => concern === name)?.preferred;
    const before = now === undefined || now === 'denied' ? '' : now.join(',');
    if (value === null) return `no ${name} instead of ${before}`;
    return `${name}=${[value].flat().join(',')}${before === '' ? '' : ` instead of ${before}`}`;
  });
  const isFree = (name: string) => policy.concerns[policy.indexOf.get(name) ?? -1]?.model === 'free';
  const byModel = !shown && Object.keys(change).every(isFree);
  // What a rule hides, a model cannot show by name.
  const only = kind === 'tools' && reason.code === 'concern-mismatch' ? ', or show only this tool,' : '';
  const self = byModel ? ` A model can do that${only} with the tool "concerns" (model: free).` : '';
  return `To ${verb} it, request ${joined(parts)}.${self}`;
}

function concernLines(
  policy: Policy,
  { concern, preferred, from = '', actual, source = '', fits }: ExplainedConcern,
  paper: Paper,
): string[] {
  const required =
    preferred === 'denied'
      ? 'nothing: no claim gives it a value'
      : `${bound(policy, concern)}${preferred?.join(' or ') ?? 'nothing'}`;
  const has = actual === undefined ? 'no value, which matches everything' : actual.join(' or ');
  const rows: Row[] = [
    ['in effect', required, from],
    ['has', has, source],
  ];
  const { paint } = paper;
  return [
    fits ? `  ${paint('green', '✓')} ${concern}` : `  ${paint('red', '✗')} ${paint('bold', concern)}`,
    ...table(rows, paper),
  ];
}

function ruleLines({ id, effect, source, fires, reason, expression }: ExplainedRule, paper: Paper): string[] {
  const what = fires ? `${effect}s it` : `does not apply. It would ${effect} it`;
  return [
    `${paper.paint('bold', `Rule ${plain(id)}`)} ${what}  ${paper.paint('dim', plain(source))}`,
    ...(reason === undefined ? [] : paragraph(plain(reason), paper.width, '  ')),
    ...treeLines(ruleTree(expression), paper),
  ];
}

/** Lays out the parts of a condition with their values in a column of their own. */
function treeLines(
  branches: readonly Branch[],
  { width = Number.POSITIVE_INFINITY, paint }: Paper,
): string[] {
  const parts = branches.map(({ text, value, depth }) => {
    const indent = '  '.repeat(depth + 1);
    return { indent, text: `${indent}${plain(text)}`, value: plain(value) };
  });
  const column = Math.max(...parts.map(({ text }) => text.length)) + 2;
  const isNarrow = parts.some(({ value }) => column + value.length > width);
  return parts.flatMap(({ indent, text, value }) =>
    // Where the widest line does not fit, each value stands below its part.
    isNarrow
      ? [...paragraph(text.trimStart(), width, indent), `${indent}  = ${paint('bold', value)}`]
      : [text.padEnd(column) + paint('bold', value)],
  );
}

/** A part of a rule in readable form, its value, and its depth in the tree. */
interface Branch {
  readonly text: string;
  readonly value: string;
  readonly depth: number;
}

/**
 * Lays out a rule's condition as a tree in which each part has its value.
 *
 * @param part the condition, as `explainRule` explains it
 * @returns its parts, the outermost first
 * @example
 * ruleTree(explainRule(rule.when, mapping, configuration)); // [{ text: 'and', value: 'true', depth: 0 }, ...]
 */
export function ruleTree(part: ExplainedPart, depth = 0): Branch[] {
  const { expression } = parseExpression(part.logic);
  const value = expression.type === 'read' && part.value === null ? 'not set' : JSON.stringify(part.value);
  const below = part.parts.flatMap((each) => ruleTree(each, depth + 1));
  const head = expression.type === 'operation' ? HEADS.get(expression.operator) : undefined;
  const lacking = part.unanswered?.map(lackInWords).join(' and ');
  const counted = lacking === undefined ? '' : ` (${lacking}, so this counts as what hides most)`;
  // A text of the policy has quotes, so that nobody takes it for a path.
  const words = head ?? inWords(expression, (each) => JSON.stringify(each));
  const text = `${words}${counted}`;
  return [{ text, value, depth }, ...below];
}

/** Operations as the head of a branch, without the operands, which the branches below show. */
const HEADS: ReadonlyMap<string, string> = new Map([
  ['!', 'not'],
  ['!!', 'is set and not empty'],
  ...['if', 'and', 'or'].map((operator) => [operator, operator] as const),
]);
