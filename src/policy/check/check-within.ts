import { parentOf } from '../../engine/match/within.js';
import { problem } from '../language/problem.js';
import type { ConcernDeclaration, Reports } from './check-values.js';

/** Checks the values of a concern with `match: within`: dotted paths, each declared after the paths above it. */
export function checkWithin({ error }: Reports, name: string, { values, match }: ConcernDeclaration): void {
  if (match !== 'within') return;
  const path = ['concerns', name];
  if ('min' in values) return error([...path, 'match'], problem('within-on-range', { name }));
  const before = new Set<string>();
  const reported = new Set<string>();
  for (const [index, value] of values.entries()) {
    const at = [...path, 'values', index];
    if (value.split('.').includes('')) {
      error(at, problem('bad-name.within', { value }));
      continue;
    }
    before.add(value);
    const missing: string[] = [];
    for (let above = parentOf(value); above !== undefined; above = parentOf(above)) {
      if (!before.has(above) && !reported.has(above)) missing.unshift(above);
      reported.add(above);
    }
    if (missing.length === 0) continue;
    const [first = ''] = missing;
    const fix = values.includes(first) ? 'Move' : 'Add';
    const each = missing.length === 1 ? 'it' : 'each';
    const parents = missing.join(' and ');
    error(at, problem('missing-parent', { parents, each, value, fix, missing: missing.join(', ') }));
  }
}
