import { membersOf } from '../../engine/expression/evaluate.js';
import { read } from '../../wire/messages.js';
import { LOGGED_REASONS } from '../terminal/generated/reasons.js';
import { nameValues, type Paper, plain } from '../terminal/output.js';
import type { Replay } from './replay.js';

/**
 * Writes a replayed decision: the result, then who asked for what, when, under which policy.
 *
 * @param replayed the decision
 * @param paper where the text is written
 * @returns the text
 * @example
 * replayToText(replay(logged, policy, catalog), paper);
 */
export function replayToText(replayed: Replay, { paint }: Paper): string {
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
    ['policy', logged.policy],
    ['outcome', outcome(line)],
    ['decision', logged.decision],
  ];
  const rows = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `  ${name.padEnd(10)}${plain(value)}`);
  return `${[first, ...rows, ...differences(replayed)].join('\n')}\n`;
}

function differences({ same, intact, differences: found, unlogged }: Replay): string[] {
  if (same) return [];
  const lines = found.map(
    ({ field, logged, replayed }) => `  ${field}: ${json(logged)} in the line, ${json(replayed)} now`,
  );
  const fields = new Set(found.map(({ field }) => field));
  const causes = [
    intact ? '' : 'The line was changed after it was written: its fields do not have its decision id.',
    fields.has('policy') ? 'The policy is not the one of the line.' : '',
    fields.has('policy') && fields.size === 1 ? 'It decides the same here.' : '',
    fields.has('total') ? 'The catalog is not the one of the line: it has another number of primitives.' : '',
    intact && !fields.has('policy') && !fields.has('total') && found.length > 0
      ? `The policy is the same, so ${unlogged.length === 0 ? '' : `rules read other values of ${unlogged.join(', ')}, or `}the catalog is not the one of the line.`
      : '',
    found.length > 0 && unlogged.length > 0
      ? `A log line does not contain ${unlogged.join(', ')}. Pass --claim or --claims for claims, and --client for the name of the client.`
      : '',
  ];
  return ['', ...lines.map(plain), ...causes.filter((cause) => cause !== '').map((cause) => `  ${cause}`)];
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

function outcome(line: object): string {
  const effect = read(line, 'effect');
  if (effect !== undefined) {
    return `${effect === 'hide' ? 'hidden' : 'shown'}: ${because(read(line, 'reason'))}`;
  }
  const counts = Object.entries(membersOf(read(line, 'hidden'))).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([each, count]) => `${each} ${String(count)}`)
      : [`${name} ${String(value)}`],
  );
  const shown = `${text(read(line, 'shown'))} of ${text(read(line, 'total'))} shown`;
  return counts.length === 0 ? shown : `${shown}; hidden by ${counts.join(', ')}`;
}

function because(reason: unknown): string {
  const source = read(reason, 'source');
  const place = typeof source === 'string' ? ` (${source})` : '';
  const code = read(reason, 'code');
  switch (code) {
    case 'concern-mismatch': {
      const words = (name: string) => [read(reason, name)].flat().join(' or ');
      const preferred = words('preferred');
      return `its ${text(read(reason, 'concern'))} is ${words('actual')}, but ${preferred === '' ? 'no claim of the caller gives it a value' : `${preferred} is in effect`}${place}`;
    }
    case 'rule':
      return `rule ${text(read(reason, 'rule'))}${place}`;
    default:
      return new Map<unknown, string>(Object.entries(LOGGED_REASONS)).get(code) ?? LOGGED_REASONS.fits;
  }
}

const text = (value: unknown): string => (value === undefined || value === null ? '' : String(value));
const json = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
