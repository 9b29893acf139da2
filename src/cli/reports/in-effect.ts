import type { Policy } from '../../engine/policy.js';
import { wrapped } from '../terminal/layout.js';
import type { Paper } from '../terminal/output.js';
import type { Report } from './list-report.js';

/**
 * Says what is in effect; if nothing is, what the policy lets one ask for.
 *
 * @param policy the policy
 * @param report the report
 * @param hidden how many primitives go
 * @param paper where it will stand
 * @returns the lines
 * @example
 * asked(policy, report, 53, paper); // ['In effect: effect=read-only']
 */
export function asked(policy: Policy, { configuration }: Report, hidden: number, paper: Paper): string[] {
  const inEffect = Object.entries(configuration).map(
    ([name, value]) => `${name}=${[value].flat().join(',')}`,
  );
  if (inEffect.length > 0) return wrapped('In effect: ', inEffect, ' ', paper.width);

  const shown = hidden === 0 ? ', so everything is shown' : '';
  const known = policy.concerns.map(({ name, values }): [string, readonly string[]] => [
    name,
    'min' in values ? [`${values.min} to ${values.max}`] : values,
  ]);
  if (policy.presets.size > 0) known.push(['preset', [...policy.presets.keys()]]);
  const longest = Math.max(...known.map(([name]) => name.length));
  return [
    `Nothing was asked for${shown}. --concern NAME=VALUE asks for:`,
    ...known.flatMap(([name, values]) => wrapped(`  ${name.padEnd(longest)}  `, values, ', ', paper.width)),
  ];
}
