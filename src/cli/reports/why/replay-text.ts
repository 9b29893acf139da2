import { membersOf } from '../../../core/engine/expression/evaluate.js';
import type { Policy } from '../../../core/engine/policy.js';
import { read } from '../../../core/wire/messages.js';
import { nameValues, type Paper, plain } from '../../terminal/output.js';
import { reasonInWords } from '../../terminal/reason-words.js';
import type { LoggedSwitch } from './log-line.js';
import type { Replay } from './replay.js';

/**
 * Writes a replayed decision: the result, then who asked for what, when, under which policy.
 *
 * @param policy the policy that decides now
 * @param replayed the decision
 * @param paper where the text is written
 * @param name the primitive that was asked for
 * @returns the text
 * @example
 * replayToText(policy, replay(logged, policy, catalog), paper);
 */
export function replayToText(
  policy: Policy,
  replayed: Replay,
  { paint }: Paper,
  name?: string | undefined,
): string {
  const { same, logged } = replayed;
  const { line, about, concerns, sources, model } = logged;
  const subject = about.what === 'list' ? logged.method : `${logged.method} ${about.name}`;
  const first = same
    ? `${paint('green', 'The same decision')}: ${plain(subject)}`
    : `${paint('red', 'Another decision')}: ${plain(subject)}`;
  const facts: (readonly [string, string])[] = [
    ['time', text(read(line, 'timestamp'))],
    ['request', text(read(line, 'requestId'))],
    ['trace', text(read(line, 'trace_id') ?? read(line, 'xray_trace_id'))],
    ['session', text(read(line, 'session'))],
    ['caller', text(read(line, 'caller'))],
    ['in effect', effective(concerns, sources)],
    ['by model', nameValues(model).join(' ')],
    ['policy', [logged.policy, labelOf(line)].filter((each) => each !== '').join(' ')],
    ['outcome', outcome(policy, replayed)],
    ['decision', logged.decision],
  ];
  const rows = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${name.padEnd(10)}${plain(value)}`);
  const members = replayed.members.map(({ name: each, decision: { effect, reason } }) => {
    const place = 'source' in reason ? ` (${reason.source})` : '';
    return `  ${plain(each)} ${effect === 'hide' ? 'hidden' : 'shown'}: ${plain(reasonInWords(policy, reason, effect === 'show'))}${place}`;
  });
  const isMissing = about.what === 'list' && name !== undefined && members.length === 0;
  const missing = isMissing ? [`  ${plain(name)} is not in the catalog.`] : [];
  return `${[first, ...rows, ...members, ...missing, ...differences(replayed)].join('\n')}\n`;
}

/** @returns what somebody switched, and when */
export function switchToText({ line }: LoggedSwitch): string {
  const values = effective(membersOf(read(line, 'concerns')), membersOf(read(line, 'sources')));
  const rows = [
    ['time', text(read(line, 'timestamp'))],
    ['session', text(read(line, 'session'))],
    ['in effect', values],
  ].map(([name = '', value = '']) => `  ${name.padEnd(10)}${plain(value)}`);
  return `${[`Switched: ${text(read(line, 'mcp.method.name'))}`, ...rows].join('\n')}\n`;
}

const labelOf = (line: object): string => {
  const label = read(line, 'policyLabel');
  return typeof label === 'string' ? `(${label})` : '';
};

function differences({ same, intact, differences: found, unlogged }: Replay): string[] {
  if (same) return [];
  const lines = found.map(
    ({ field, logged, replayed }) => `  ${field}: ${json(logged)} in the line, ${json(replayed)} now`,
  );
  const differs = (name: string): boolean => found.some(({ field }) => field === name);
  const isOther = differs('policy') || differs('total');
  const causes: readonly (readonly [boolean, string])[] = [
    [!intact, 'The line was changed after it was written: its fields do not have its decision id.'],
    [differs('policy'), 'The policy is not the one of the line.'],
    [differs('policy') && found.length === 1, 'It decides the same here.'],
    [differs('total'), 'The catalog is not the one of the line: it has another number of primitives.'],
    [intact && !isOther && unlogged.length === 0, 'The policy is the same, so the catalog is another one.'],
    [
      found.length > 0 && unlogged.length > 0,
      `A log line does not contain ${unlogged.join(', ')}. Pass --claim or --claims for claims, and --client for the name of the client.`,
    ],
  ];
  const told = causes.filter(([isCause]) => isCause).map(([, cause]) => `  ${cause}`);
  return ['', ...lines.map(plain), ...told];
}

function effective(concerns: object, sources: object): string {
  const told = nameValues(concerns).map((pair) => {
    const source = read(sources, pair.slice(0, pair.indexOf('=')));
    return typeof source === 'string' ? `${pair} (${source})` : pair;
  });
  const denied = Object.entries(sources).flatMap(([name, source]) =>
    read(concerns, name) === undefined ? [`${name} denied (${String(source)})`] : [],
  );
  return [...told, ...denied].join(', ') || 'nothing';
}

/** What the line says, with the reason as this policy words it. A reason that differs is among the differences. */
function outcome(policy: Policy, { logged: { line }, argument, decision, differences }: Replay): string {
  if (typeof argument === 'string') {
    const which = argument === '' ? 'an argument that the tool does not declare' : `its argument ${argument}`;
    return `refused because of ${which}; a log line has no arguments, so ask with "mcp-concerns explain" about a use`;
  }
  if (decision !== undefined) {
    const word = read(line, 'effect') === 'hide' ? 'hidden' : 'shown';
    if (differences.some(({ field }) => field === 'effect' || field === 'reason')) return word;
    const { effect, reason } = decision;
    const place = 'source' in reason ? ` (${reason.source})` : '';
    return `${word}: ${reasonInWords(policy, reason, effect === 'show')}${place}`;
  }
  const counts = Object.entries(membersOf(read(line, 'hidden'))).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([each, count]) => `${each} ${String(count)}`)
      : [`${name} ${String(value)}`],
  );
  const shown = `${text(read(line, 'shown'))} of ${text(read(line, 'total'))} shown`;
  return counts.length === 0 ? shown : `${shown}; hidden by ${counts.join(', ')}`;
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const json = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
