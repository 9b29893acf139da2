import { parentOf } from '../../engine/match/within.js';
import { isScopeClaim } from '../../engine/scope-claims.js';
import type { Finding } from '../language/findings.js';
import { problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import { RESERVED, VALUE_NAME } from '../language/schema.js';
import {
  type ConcernDeclaration,
  checkValue,
  type Declared,
  declarationOf,
  type FileCheck,
  type Reports,
  reportsIn,
  uniqueNames,
} from './check-values.js';
import type { ServerPart, SharedConcerns } from './servers/server-parts.js';

/** Finds the concerns that the files of a policy declare, and reports those that are declared twice. */
export function collectConcerns(
  reports: readonly Reports[],
  complete: boolean,
  parts: readonly ServerPart[],
  shared: SharedConcerns | undefined,
): { declared: Map<string, Declared>; incomplete: boolean } {
  const declared = new Map<string, Declared>();
  const checkName = uniqueNames('concern');
  let incomplete = !complete;
  for (const each of reports) {
    const { file, error } = each;
    const documents = new Map(Object.entries(file.document.concerns ?? {}));
    const removed = [...file.removed].filter((path) => path.startsWith('concerns/'));
    const broken = new Set(removed.map((path) => path.split('/')[1] ?? ''));
    incomplete ||= file.removed.has('concerns') || file.removed.has('');
    for (const name of new Set([...broken, ...documents.keys()])) {
      const path = ['concerns', name];
      checkName(each, name, path);
      if (name === RESERVED.concern) error(path, problem('reserved-name.concern', { name }), 'key');
      if (declared.has(name)) continue;
      const concern = declarationOf(documents.get(name) ?? { values: [] });
      const isEmpty = 'min' in concern.values && concern.values.min > concern.values.max;
      declared.set(name, { concern, file, path, broken: isEmpty || broken.has(name) });
    }
  }
  // The concerns of servers, and what they add to those that the policy declares.
  for (const [name, concern] of shared?.concerns ?? []) {
    const own = declared.get(name);
    const [file] = parts.find((part) => part.concerns.has(name))?.files ?? [];
    const place = own ?? (file && { file, path: ['concerns', name], broken: false });
    if (place !== undefined) declared.set(name, { ...place, concern });
  }
  return { declared, incomplete };
}

/** Checks what one file declares of a concern. */
export function checkConcern(check: FileCheck, name: string, concern: ConcernDeclaration): void {
  const { file, error, warn } = check;
  const path = ['concerns', name];
  const { values, multiple, match, model } = concern;
  const operator = concern['set-by'] === 'operator';
  if (!('min' in values)) {
    const reserved = values.indexOf(RESERVED.value);
    if (reserved !== -1) error([...path, 'values', reserved], problem('reserved-name.value', RESERVED));
    values.forEach((value, index) => {
      // A value with a description is a key.
      if (!operator && !VALUE.test(value))
        error([...path, 'values', index, value], problem('bad-name.host', { value }), 'key');
      if (values.indexOf(value) === index) return;
      error([...path, 'values', index], problem('duplicate.value', { value, name }));
    });
  } else if (values.min > values.max) {
    error([...path, 'values'], problem('empty-range', { name, ...values }));
  }
  if (file.document.concerns?.[name]?.values === 'servers' && check.parts.length === 0) {
    error([...path, 'values'], problem('empty.servers', { name }));
  }
  checkWithin(check, name, concern);
  const hasOrder = match === 'at-least' || match === 'at-most';
  if (multiple === true && ('min' in values || hasOrder)) {
    error([...path, 'multiple'], problem('multiple-not-exact', { name }), 'key');
  }
  if (concern.default !== undefined) checkValue(check, [...path, 'default'], name, concern.default);

  checkClaim(check, name, concern);
  if (operator && model !== undefined) {
    error([...path, 'model'], problem('model-not-host', { name }), 'key');
  }
  if (operator && showsMoreByDefault(concern)) {
    warn([...path, 'default'], problem('open-without-claim.default', { value: String(concern.default) }));
  }
  if (check.settings.invalid === 'clamp' && !('min' in values) && !operator) {
    warn(path, problem('clamp-on-list', { name }), 'key');
  }
}

/** Whether callers without the claim see more than some callers that have it. */
function showsMoreByDefault({ values, match, default: given }: ConcernDeclaration): boolean {
  if (given === undefined || (match !== 'at-least' && match !== 'at-most')) return false;
  const [first, last] = 'min' in values ? [values.min, values.max] : [values[0], values.at(-1)];
  return given !== (match === 'at-most' ? first : last);
}

const VALUE = new RegExp(VALUE_NAME);

/** Checks the values of a concern with `match: within`: dotted paths, each declared after the paths above it. */
function checkWithin({ error }: Reports, name: string, { values, match }: ConcernDeclaration): void {
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

/** A scope, as a header can name it: https://datatracker.ietf.org/doc/html/rfc6749#section-3.3 */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/;
const BLANK = /\s/;

/** Checks which claim sets a concern, and what the claim contains for its values. */
function checkClaim(check: FileCheck, name: string, concern: ConcernDeclaration): void {
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

/**
 * The characters of preferences, as JSON, that fit into a session id of 1,024. The others are its random part, and what is
 * sealed with the preferences: the time, how the client can switch, and 28 bytes of the seal, all in base64.
 */
const ROOM = 637;

/** No JavaScript number is written longer. */
const NUMBER = 24;

/** Reports concerns whose preferences can be too long for a session id: then only the session store has them. */
export function checkSealed(declared: readonly (readonly [string, Declared])[], findings: Finding[]): void {
  const lengths = declared
    .filter(([, { concern }]) => concern['set-by'] !== 'operator')
    // With a colon, and a comma or a brace.
    .map(([name, at]) => ({ name, at, length: JSON.stringify(name).length + longest(at.concern) + 2 }))
    .sort((one, other) => other.length - one.length);
  const [first] = lengths;
  const length = lengths.reduce((sum, each) => sum + each.length, 1);
  if (first === undefined || length <= ROOM) return;
  const { name, at } = first;
  const found = problem('long-preferences', { length, room: ROOM, name });
  reportsIn(at.file, findings).warn(at.path, found, 'key');
}

/** Returns how many characters of JSON a preference for a concern can have. */
function longest({ values, multiple }: ConcernDeclaration): number {
  if ('min' in values) return NUMBER;
  if (multiple === true) return JSON.stringify(values).length;
  return Math.max('null'.length, ...values.map((value) => JSON.stringify(value).length));
}
