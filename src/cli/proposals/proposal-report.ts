import { useName } from '../../core/engine/uses/use-name.js';
import type { Finding } from '../../core/policy/language/findings.js';
import type { Proposal, ProposedTool } from '../../core/policy/propose/propose-policy.js';
import { OTHER } from '../../core/policy/propose/topics/propose-topics.js';
import { count } from '../terminal/output.js';
import { quantity } from '../terminal/quantities.js';

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
 * Says how many actions of tools only read, and of which it is not clear what they do.
 *
 * @param tools the tools of the proposal
 * @returns one line: `Actions: 2 tools have several, and 4 of these only read. Not clear: pages(action=verify).`; none if no tool
 *   has several
 */
export function actionsLine(tools: readonly ProposedTool[]): string[] {
  const divided = tools.flatMap(({ name, actions }) => (actions === undefined ? [] : [{ name, actions }]));
  if (divided.length === 0) return [];
  const reading = divided.flatMap(({ actions }) =>
    actions.milder.filter(({ effect }) => effect === 'read-only'),
  ).length;
  const unknown = divided.flatMap(({ name, actions }) =>
    actions.unknown.map((value) => useName(name, actions.argument, value)),
  );
  const more = unknown.length > MAX_NAMES ? `, and ${count(unknown.length - MAX_NAMES)} more` : '';
  const unclear = unknown.length === 0 ? '' : ` Not clear: ${unknown.slice(0, MAX_NAMES).join(', ')}${more}.`;
  const have = `${quantity(divided.length, 'tool')} ${divided.length === 1 ? 'has' : 'have'} several`;
  const read = `${reading === 0 ? 'none' : count(reading)} of these only ${reading === 1 ? 'reads' : 'read'}`;
  return [`Actions: ${have}, and ${read}.${unclear}`];
}

const WITHOUT_TOPICS: Readonly<Record<NonNullable<Proposal['without']>, string>> = {
  'few tools': 'a list of fewer than 12 tools needs none',
  'no shared words': 'their names share too few words',
  'small savings': 'they would hide less than a tenth of the tools',
};

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
