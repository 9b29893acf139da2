import type { Policy } from '../../core/engine/policy.js';
import { wrapped } from '../../core/policy/language/wrapped.js';
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
