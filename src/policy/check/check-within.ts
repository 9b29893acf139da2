import { parentOf } from '../../engine/match/within.js';
import type { ConcernDeclaration, Reports } from './check-values.js';

/** Checks the values of a concern with `match: within`: dotted paths, each declared after the paths above it. */
export function checkWithin({ error }: Reports, name: string, { values, match }: ConcernDeclaration): void {
  if (match !== 'within') return;
  const path = ['concerns', name];
  if ('min' in values) {
    const message = `"match: within" compares names such as a.b, so ${name} needs a list of values, not a range.`;
    error([...path, 'match'], 'within-on-range', message);
    return;
  }
  const before = new Set<string>();
  const reported = new Set<string>();
  values.forEach((value, index) => {
    const at = [...path, 'values', index];
    if (value.split('.').includes('')) {
      const message = `"${value}" has an empty part. With "match: within", write a name before and after each dot.`;
      error(at, 'bad-name', message);
      return;
    }
    before.add(value);
    const missing: string[] = [];
    for (let above = parentOf(value); above !== undefined; above = parentOf(above)) {
      if (!before.has(above) && !reported.has(above)) missing.unshift(above);
      reported.add(above);
    }
    if (missing.length === 0) return;
    const [first = ''] = missing;
    const fix = values.includes(first) ? 'Move' : 'Add';
    const message = `A host can ask for everything in ${missing.join(' and ')}, so ${missing.length === 1 ? 'it' : 'each'} must be a value before "${value}". ${fix} ${missing.join(', ')}.`;
    error(at, 'missing-parent', message);
  });
}
