import type { ConcernDeclaration } from '../check/check-values.js';
import { type ServerPart, type SharedConcerns, sharedValue } from '../check/servers/server-parts.js';

/** What a server calls a primitive is kept beside the name that it has outside. */
const OWN_PATHS = new Map([
  ['primitive.name', 'primitive.own.name'],
  ['primitive.uri', 'primitive.own.uri'],
]);
const CONCERN = 'concerns.';

/**
 * Limits a condition of the policy of one server to the primitives of this server. What it reads becomes what it would read
 * alone, so its constants stay as they are.
 *
 * @param part the server
 * @param shared the concerns of all servers
 * @param when the condition, as the policy of the server has it
 * @returns the condition for the policy of all servers
 * @example
 * scoped(files, shared, { '===': [{ var: 'primitive.name' }, 'write'] });
 */
export const scoped = (part: ServerPart, shared: SharedConcerns, when: unknown): unknown => ({
  and: [{ '===': [{ var: 'primitive.server' }, part.slug] }, inOuterWords(part, shared, when)],
});

/** Returns an expression of the policy of one server, so that it reads of all servers what it would read alone. */
export function inOuterWords(part: ServerPart, shared: SharedConcerns, when: unknown): unknown {
  const own = part.concerns;
  const meanings = new Map(
    [...own].map(([name, concern]) => [name, meaningsOf(name, concern, part, shared)]),
  );
  /** Whether values of the concern have other names outside, and whether it takes several of them. */
  const isRenamed = (name: string, multiple: boolean): boolean =>
    (meanings.get(name) ?? []).length > 0 && (own.get(name)?.multiple ?? false) === multiple;
  // A name that no concern has: for its rules, a concern that does not take part is never set.
  const known = (path: string): string =>
    path.startsWith(CONCERN) && !own.has(concernIn(path)) ? `${CONCERN}${part.slug}/` : path;
  // No operator translates a list, so the constants that are compared with it are translated.
  const inSharedWords = (json: unknown, concern: string): unknown => {
    if (typeof json === 'string') return sharedValue(part, shared, concern, json);
    if (Array.isArray(json)) return json.map((each) => inSharedWords(each, concern));
    const [operator, operands] = operationIn(json) ?? [];
    if (operator === undefined || operator === 'var') return json;
    return { [operator]: operands?.map((each) => inSharedWords(each, concern)) };
  };
  const translated = (json: unknown): unknown => {
    if (Array.isArray(json)) return json.map(translated);
    const operation = operationIn(json);
    if (operation === undefined) return json;
    const [operator, operands] = operation;
    const [first, ...others] = operands;
    if (operator === 'missing') return { missing: operands.map((path) => known(String(path))) };
    if (operator === 'var') {
      const path = String(first);
      const fallback = others.map(translated);
      const read = { var: [known(path), ...fallback] };
      const names = OWN_PATHS.get(path);
      // A resource has a name too, which is the same outside.
      if (names !== undefined) return { var: [names, read] };
      const concern = concernIn(path);
      if (!isRenamed(concern, false)) return read;
      // One value is translated where it is read, because several values outside can mean one of the policy.
      const cases = (meanings.get(concern) ?? []).flatMap(([value, outside]) => [
        { in: [{ var: known(path) }, outside] },
        value,
      ]);
      return { if: [...cases, fallback[0] ?? null] };
    }
    // Inside `some`, `all` and `none`, `var` reads one item of the list.
    const isQuantifier = /^(?:some|all|none)$/.test(operator);
    const all = isQuantifier ? [translated(first), ...others] : operands.map(translated);
    const list = operands.map((each) => concernIn(pathIn(each))).find((concern) => isRenamed(concern, true));
    return { [operator]: list === undefined ? all : all.map((each) => inSharedWords(each, list)) };
  };
  return translated(when);
}

/**
 * Returns what the values of the policy of one server mean outside: for each, the values for which a primitive with it is the
 * last that fits. Nothing if they have the same names there.
 */
function meaningsOf(name: string, own: ConcernDeclaration, part: ServerPart, shared: SharedConcerns) {
  const there = 'min' in own.values ? [] : own.values;
  const here = shared.concerns.get(name)?.values ?? [];
  const values = 'min' in here ? [] : here;
  const places = there.map((value) => values.indexOf(sharedValue(part, shared, name, value)));
  const fits = (place: number, preferred: number): boolean => {
    if (own.match === 'at-most') return place <= preferred;
    return own.match === 'at-least' ? place >= preferred : place === preferred;
  };
  const ownOf = values.map((_value, preferred) => {
    const fitting = there.filter((_own, index) => fits(places[index] ?? -1, preferred));
    return own.match === 'at-most' ? fitting.at(-1) : fitting[0];
  });
  const isSame = there.length === values.length && there.every((value, index) => value === values[index]);
  if (isSame) return [];
  return there.map((value) => [value, values.filter((_each, index) => ownOf[index] === value)] as const);
}

function operationIn(json: unknown): [operator: string, operands: readonly unknown[]] | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const [operation] = Object.entries(json);
  return operation && [operation[0], Array.isArray(operation[1]) ? operation[1] : [operation[1]]];
}

/** The concern that a path reads; empty if it reads something else, such as a claim. */
const concernIn = (path: string): string => (path.startsWith(CONCERN) ? path.slice(CONCERN.length) : '');

/** The path that an operand reads; empty if it is something else. */
const pathIn = (json: unknown): string => {
  const [operator, operands] = operationIn(json) ?? [];
  return operator === 'var' ? String(operands?.[0]) : '';
};
