import { isScopeClaim } from '../../../engine/scope-claims.js';
import { problem } from '../../language/problem.js';
import type { Path } from '../../language/read-yaml.js';
import { type ConcernDeclaration, checkValue, type FileCheck } from '../check-values.js';

/** A scope, as a header can name it: https://datatracker.ietf.org/doc/html/rfc6749#section-3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const BLANK = /\s/;

/** Checks which claim sets a concern, and what the claim contains for its values. */
export function checkClaim(check: FileCheck, name: string, concern: ConcernDeclaration): void {
  const { file, error } = check;
  const { claim, values } = concern;
  const path = ['concerns', name];
  const texts = concern['claim-values'] ?? {};
  /** The values that a claim contains by their name. */
  const named = 'min' in values ? [] : values.filter((value) => !Object.hasOwn(texts, value));
  const operator = concern['set-by'] === 'operator';
  if (operator && claim === undefined && !file.removed.has(`concerns/${name}/claim`)) {
    error([...path, 'set-by'], problem('missing-claim', { name }));
  }
  for (const key of operator ? [] : (['claim', 'claim-values', 'obtainable'] as const)) {
    if (concern[key] === undefined) continue;
    error([...path, key], problem('claim-without-operator', { key, name }), 'key');
  }
  if (concern.obtainable === true && operator) {
    const scopes = [...named, ...Object.values(texts).flat()];
    const other = scopes.find((scope) => !SCOPE.test(scope) && !BLANK.test(scope));
    const needs = [
      ...(isScopeClaim(claim) ? [] : ['"claim: scope"']),
      ...(concern.multiple === true
        ? []
        : ['"multiple: true", because callers keep the scopes that they have']),
      ...(other === undefined ? [] : [`values that can be scopes, which "${other}" cannot`]),
      ...(check.settings.enforcement === 'enforce' ? [] : ['"enforcement: enforce", which checks calls']),
    ];
    if (needs.length > 0)
      error([...path, 'obtainable'], problem('not-obtainable', { needs: needs.join(', and '), name }), 'key');
  }
  const checkScope = (place: Path, scope: string): void => {
    const isScope = operator && isScopeClaim(claim);
    if (isScope && BLANK.test(scope)) error(place, problem('blank-in-scope', { scope }));
  };
  for (const value of named) checkScope([...path, 'values', Object(values).indexOf(value)], value);
  if (concern['claim-values'] === undefined || !operator) return;
  const at = [...path, 'claim-values'];
  if ('min' in values) return error(at, problem('claim-values-on-range', { name }), 'key');
  const meant = new Map(named.map((value) => [value, value]));
  for (const [value, list] of Object.entries(texts)) {
    checkValue(check, [...at, value], name, value, 'key');
    list.forEach((text, index) => {
      checkScope([...at, value, index], text);
      const other = meant.get(text);
      meant.set(text, value);
      if (other === undefined) return;
      error([...at, value, index], problem('duplicate.claimed', { text, other, name }));
    });
  }
}
