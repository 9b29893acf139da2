import type { Policy } from '../../engine/policy.js';
import { wrapped } from '../terminal/layout.js';
import { nameValues } from '../terminal/name-values.js';
import type { Paper } from '../terminal/output.js';
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
    ...known.flatMap(([name, values]) => wrapped(`  ${name.padEnd(longest)}  `, values, ', ', paper.width)),
  ];
}
