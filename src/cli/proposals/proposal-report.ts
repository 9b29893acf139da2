import type { Finding } from '../../policy/language/findings.js';
import type { Proposal, ProposedTool } from '../../policy/propose/propose-policy.js';
import { OTHER } from '../../policy/propose/topics/propose-topics.js';
import { count } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';
import { WITHOUT_TOPICS } from './generated/reasons.js';

/** Longer lists of names are in the policy. */
const MAX_NAMES = 10;

/**
 * Says where the effects of a proposal come from, and which of them need a look.
 *
 * @param tools the tools of the proposal
 * @returns one line: `Effects: 41 by hint, 12 by name, 6 by description, 2 unsure: archive_issue, merge_things.`
 */
export function effectsLine(tools: readonly ProposedTool[]): string {
  const sure = tools.filter(({ doubt }) => doubt === undefined);
  const unsure = tools.filter(({ doubt }) => doubt !== undefined).map(({ name }) => name);
  const parts = (['hints', 'name', 'description'] as const).flatMap((from) => {
    const { length } = sure.filter(({ effectFrom }) => effectFrom === from);
    return length === 0 ? [] : [`${count(length)} by ${from === 'hints' ? 'hint' : from}`];
  });
  const more = unsure.length > MAX_NAMES ? `, and ${count(unsure.length - MAX_NAMES)} more` : '';
  const review =
    unsure.length === 0
      ? []
      : [`${count(unsure.length)} unsure: ${unsure.slice(0, MAX_NAMES).join(', ')}${more}`];
  return `Effects: ${[...parts, ...review].join(', ')}.`;
}

/**
 * Says how many tools have no topic of their own, or why there are no topics.
 *
 * @param proposal the proposal
 * @returns one line
 */
export function topicsLine({ tools, topics, without }: Proposal): string {
  if (without !== undefined) return `Topics: none, because ${WITHOUT_TOPICS[without]}.`;
  const others = tools.filter(({ topics: own }) => own !== 'any' && own.includes(OTHER)).length;
  const share = Math.round((100 * others) / tools.length);
  return `Topics: ${count(topics.length)}, with ${quantity(others, 'tool')} (${share} %) in other.`;
}

/**
 * Says what `check` and the tests found.
 *
 * @param findings the findings of the policy with its catalog
 * @param passed whether the tests pass; `undefined` if there are none
 * @returns one line
 */
export function checkLine(all: readonly Finding[], passed: boolean | undefined): string {
  const findings = all.filter(({ code }) => !ABOUT_SERVER.has(code));
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const check =
    findings.length === 0
      ? 'check reports nothing'
      : `check reports ${quantity(findings.length, 'warning')} (${codes.join(', ')})`;
  const tests = passed === undefined ? '' : `, and the tests ${passed ? 'pass' : 'fail'}`;
  return `Checked: ${check}${tests}.`;
}

/** Findings about a server, which no value of a policy can fix. */
const ABOUT_SERVER: ReadonlySet<string> = new Set(['invalid-definition', 'refused-by-hosts']);

/**
 * Says which definitions of the server hosts refuse.
 *
 * @param findings the findings of the policy with its catalog
 * @returns a line for each kind of fault
 */
export const serverLines = (findings: readonly Finding[]): string[] =>
  findings.flatMap(({ code, message }) => (ABOUT_SERVER.has(code) ? [`${code}: ${message}`] : []));
