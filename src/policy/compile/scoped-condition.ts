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
export function scoped(part: ServerPart, shared: SharedConcerns, when: unknown): unknown {
  const own = part.concerns;
  const reads = new Map(
    [...own].map(([name, concern]) => [name, new ConcernRead(name, concern, part, shared)]),
  );
  // A name that no concern has: for its rules, a concern that does not take part is never set.
  const known = (path: string): string =>
    path.startsWith(CONCERN) && !own.has(path.slice(CONCERN.length)) ? `${CONCERN}${part.slug}/` : path;
  const translated = (json: unknown): unknown => {
    if (Array.isArray(json)) return json.map(translated);
    const operation = operationIn(json);
    if (operation === undefined) return json;
    const [operator, operands] = operation;
    if (operator === 'missing') return { missing: operands.map((path) => known(String(path))) };
    if (operator === 'var') {
      const [path, ...fallback] = operands.map((each, index) =>
        index === 0 ? String(each) : translated(each),
      );
      const name = String(path);
      const read = { var: [known(name), ...fallback] };
      const names = OWN_PATHS.get(name);
      // A resource has a name too, which is the same outside.
      if (names !== undefined) return { var: [names, read] };
      return reads.get(name.slice(CONCERN.length))?.inOwnWords({ var: known(name) }, fallback[0]) ?? read;
    }
    const [first, ...others] = operands;
    // Inside `some`, `all` and `none`, `var` reads one item of the list.
    const isQuantifier = /^(?:some|all|none)$/.test(operator);
    const all = isQuantifier ? [translated(first), ...others] : operands.map(translated);
    const list = operands.flatMap((each) => reads.get(pathIn(each).slice(CONCERN.length)) ?? [])[0];
    return { [operator]: list === undefined ? all : all.map((each) => list.inSharedWords(each)) };
  };
  return { and: [{ '===': [{ var: 'primitive.server' }, part.slug] }, translated(when)] };
}

/** What a rule of one server reads of a concern whose values have other names outside. */
class ConcernRead {
  /** For each value of its policy, the values outside for which a primitive with it is the last that fits. */
  private readonly meanings: readonly (readonly [own: string, outside: readonly string[]])[];

  constructor(
    private readonly name: string,
    private readonly own: ConcernDeclaration,
    private readonly part: ServerPart,
    private readonly shared: SharedConcerns,
  ) {
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
    this.meanings = isSame
      ? []
      : there.map((value) => [value, values.filter((_each, index) => ownOf[index] === value)]);
  }

  /** One value is translated where it is read, because several values outside can mean one of the policy. */
  inOwnWords(read: object, fallback: unknown): unknown {
    if (this.meanings.length === 0 || this.own.multiple === true) return undefined;
    const cases = this.meanings.flatMap(([value, outside]) => [{ in: [read, outside] }, value]);
    return { if: [...cases, fallback ?? null] };
  }

  /** No operator translates a list, so the constants that are compared with it are translated. */
  inSharedWords(json: unknown): unknown {
    if (this.meanings.length === 0 || this.own.multiple !== true) return json;
    if (typeof json === 'string') return sharedValue(this.part, this.shared, this.name, json);
    if (Array.isArray(json)) return json.map((each) => this.inSharedWords(each));
    const [operator, operands] = operationIn(json) ?? [];
    if (operator === undefined || operator === 'var') return json;
    return { [operator]: operands?.map((each) => this.inSharedWords(each)) };
  }
}

function operationIn(json: unknown): [operator: string, operands: readonly unknown[]] | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const [operation] = Object.entries(json);
  return operation && [operation[0], Array.isArray(operation[1]) ? operation[1] : [operation[1]]];
}

/** The path that an operand reads; empty if it is something else. */
const pathIn = (json: unknown): string => {
  const [operator, operands] = operationIn(json) ?? [];
  return operator === 'var' ? String(operands?.[0]) : '';
};
