import type { Policy } from '../../engine/policy.js';
import { wrapped } from '../../policy/language/wrapped.js';
import { nameValues, type Paper, plain } from '../terminal/output.js';
import type { ListReport } from './list-report.js';

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
export function inEffectLines(
  policy: Policy,
  { configuration }: ListReport,
  hidden: number,
  paper: Paper,
): string[] {
  const inEffect = nameValues(configuration);
  if (inEffect.length > 0) return wrapped('In effect: ', inEffect, ' ', paper.width);

  const shown = hidden === 0 ? ', so everything is shown' : '';
  const known = policy.concerns.map(({ name, values }): [string, readonly string[]] => [
    name,
    'min' in values ? [`${values.min} to ${values.max}`] : values,
  ]);
  if (policy.presets.size > 0) known.push(['preset', [...policy.presets.keys()]]);
  const longest = Math.max(...known.map(([name]) => name.length));
  return [
    `No preferences were given${shown}. Pass --concern NAME=VALUE:`,
    ...known.flatMap(([name, values]) => [
      ...wrapped(`  ${name.padEnd(longest)}  `, values, ', ', paper.width),
      ...described(policy, name).flatMap(([value, text]) =>
        wrapped(`  ${' '.repeat(longest)}    ${value}: `, plain(text).split(' '), ' ', paper.width),
      ),
    ]),
  ];
}

/** @returns the values of a concern that have a description, in the order of the policy */
function described({ concerns, indexOf }: Policy, name: string): [value: string, text: string][] {
  const { values = [], valueDescriptions = {} } = concerns[indexOf.get(name) ?? -1] ?? {};
  if ('min' in values) return [];
  return values.flatMap((value): [string, string][] => {
    const text = Object.hasOwn(valueDescriptions, value) ? valueDescriptions[value] : undefined;
    return text === undefined ? [] : [[value, text]];
  });
}
