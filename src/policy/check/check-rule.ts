import { nearest } from '../../engine/match/nearest.js';
import { OPERATORS, RULE_LIMITS } from '../../engine/rule.js';
import type { FindingCode } from '../language/findings.js';
import type { Path } from '../language/read-yaml.js';
import { HINT_DEFAULTS, type PathConcern, type PathType, pathRead, typeOfPath } from './rule-paths.js';
import { presentPaths } from './rule-presence.js';

export interface RuleScope {
  readonly concerns: ReadonlyMap<string, PathConcern>;
  /** Roots that may be read: `assign` decides before anybody asks, so it reads the primitive alone. */
  readonly roots?: readonly string[];
  /** Concerns that always have a value. */
  readonly always: ReadonlySet<string>;
  error(path: Path, code: FindingCode, message: string): void;
  warn(path: Path, code: FindingCode, message: string): void;
}

/** How many operands each operator takes. */
const OPERANDS: Readonly<Record<string, readonly [number, number]>> = {
  var: [1, 2],
  missing: [1, 64],
  '===': [2, 2],
  '!==': [2, 2],
  '!': [1, 1],
  '!!': [1, 1],
  and: [1, 256],
  or: [1, 256],
  if: [2, 256],
  in: [2, 2],
  '<': [2, 3],
  '<=': [2, 3],
  '>': [2, 2],
  '>=': [2, 2],
  some: [2, 2],
  all: [2, 2],
  none: [2, 2],
};

interface Place {
  readonly path: Path;
  /** Paths that have a value wherever this part decides anything. */
  readonly present: ReadonlySet<string>;
  /** Inside `some`, `all` or `none`, where `var` reads one item. */
  readonly scoped: boolean;
}

/**
 * Checks an expression of JSON Logic: only operators whose meaning does not surprise, only paths that are declared, and
 * none of the comparisons that read as one thing and mean another.
 *
 * @param logic the expression as YAML gives it
 * @param path where it stands in the document
 * @param scope what is declared, and where findings go
 * @example
 * checkRule({ '==': [1, 1] }, ['rules', 0, 'when'], scope); // reports loose-equality
 */
export function checkRule(logic: unknown, path: Path, scope: RuleScope): void {
  const nodes = countNodes(logic, 0);
  if (nodes.depth > RULE_LIMITS.depth || nodes.count > RULE_LIMITS.nodes) {
    const { depth, nodes: most } = RULE_LIMITS;
    scope.error(
      path,
      'rule-too-large',
      `A rule has at most ${most} parts, nested ${depth} deep; split it into several.`,
    );
    return;
  }
  new RuleCheck(scope).check(logic, { path, present: scope.always, scoped: false });
}

class RuleCheck {
  constructor(private readonly scope: RuleScope) {}

  check(logic: unknown, place: Place): void {
    if (Array.isArray(logic)) {
      logic.forEach((item, index) => {
        this.check(item, { ...place, path: [...place.path, index] });
      });
      return;
    }
    if (typeof logic !== 'object' || logic === null) return;
    const entries = Object.entries(logic);
    const [entry] = entries;
    if (entry === undefined || entries.length > 1) {
      const what = entries.length === 0 ? 'without a key' : `with ${entries.length} keys`;
      const message = `A mapping ${what} is data to JSON Logic, which is always true; write one operator, or "and" over several.`;
      return this.scope.error(place.path, 'rule-is-data', message);
    }
    const [operator, given] = entry;
    const at = [...place.path, operator];
    if (!(OPERATORS as readonly string[]).includes(operator))
      return this.refuseOperator(operator, place.path);
    const operands: readonly unknown[] = Array.isArray(given) ? given : [given];
    const [least = 0, most = 0] = OPERANDS[operator] ?? [];
    if (operands.length < least || operands.length > most) {
      const takes = least === most ? `${least}` : `${least} to ${most}`;
      const message = `"${operator}" takes ${takes} operand${most === 1 ? '' : 's'}, not ${operands.length}.`;
      return this.scope.error(at, 'operand-count', message);
    }
    const pathOf = (index: number): Path => (Array.isArray(given) ? [...at, index] : at);
    this.checkOperation(operator, operands, place, at, pathOf);
  }

  private checkOperation(
    operator: string,
    operands: readonly unknown[],
    place: Place,
    at: Path,
    pathOf: (index: number) => Path,
  ): void {
    const below = (index: number, more: Partial<Place> = {}): void =>
      this.check(operands[index], { ...place, path: pathOf(index), ...more });
    switch (operator) {
      case 'var':
        this.checkPath(operands[0], place, at);
        return operands.length > 1 ? below(1) : undefined;
      case 'missing':
        for (const name of Array.isArray(operands[0]) ? operands[0] : operands)
          this.checkPath(name, place, at);
        return undefined;
      case 'some':
      case 'all':
      case 'none':
        this.needList(operator, operands[0], place, pathOf(0), 'first');
        below(0);
        return below(1, { scoped: true });
      case 'in':
        this.needList(operator, operands[1], place, pathOf(1), 'second');
        this.compareMembership(operands, place, pathOf);
        break;
      case '===':
      case '!==':
        this.checkEquality(operator, operands, place, at, pathOf);
        break;
      case '<':
      case '<=':
      case '>':
      case '>=':
        this.needNumbers(operator, operands, place, pathOf);
        break;
      default:
        break;
    }
    operands.forEach((_operand, index) => {
      below(index, { present: presentPaths(operator, operands, index, place.present) });
    });
  }

  private refuseOperator(operator: string, path: Path): void {
    if (operator === '==' || operator === '!=') {
      const message = `"${operator}" is loose ("high" == ["high"] is true, and 1 == "1"); write "${operator}=".`;
      return this.scope.error(path, 'loose-equality', message);
    }
    const near = nearest(operator, OPERATORS);
    const hint = near === undefined ? `use ${OPERATORS.join(', ')}.` : `did you mean "${near}"?`;
    this.scope.error(path, 'unknown-operator', `"${operator}" is no operator of rules; ${hint}`);
  }

  /** @returns what the path holds, if it is declared */
  private checkPath(path: unknown, place: Place, at: Path): PathType | undefined {
    if (place.scoped) return undefined;
    if (typeof path !== 'string' || path === '') {
      this.scope.error(
        at,
        'computed-path',
        'A path is written out, like concerns.security, so that it can be checked.',
      );
      return undefined;
    }
    const type = typeOfPath(path, this.scope.concerns);
    if (typeof type === 'string') {
      this.scope.error(at, 'unknown-path', type);
      return undefined;
    }
    const root = path.split('.')[0] ?? '';
    if (this.scope.roots !== undefined && !this.scope.roots.includes(root)) {
      const message = `"assign" gives values before anybody asks, so it reads the primitive alone, not ${path}; use a rule.`;
      this.scope.error(at, 'assign-reads-caller', message);
    }
    return type;
  }

  /** The type of an operand that is a path; findings about the path come when the operand itself is checked. */
  private typeOf(operand: unknown, place: Place): PathType | undefined {
    const path = pathRead(operand);
    if (path === undefined || place.scoped) return undefined;
    const type = typeOfPath(path, this.scope.concerns);
    return typeof type === 'string' ? undefined : type;
  }

  private needList(operator: string, operand: unknown, place: Place, at: Path, which: string): void {
    const type = this.typeOf(operand, place);
    const literal = typeof operand !== 'object' || operand === null;
    if (!literal && (type === undefined || type.type === 'list' || type.type === 'anything')) return;
    const message = `The ${which} operand of "${operator}" must be a list, or a path that holds one; in a text it would look for a part.`;
    this.scope.error(at, 'list-expected', message);
  }

  private needNumbers(
    operator: string,
    operands: readonly unknown[],
    place: Place,
    pathOf: (index: number) => Path,
  ): void {
    const types = operands.map((operand) => this.typeOf(operand, place));
    const ordered = types.findIndex((type) => type?.type === 'text' && type.values !== undefined);
    // What it is compared with is a name then too, which would say the same once more.
    if (ordered !== -1) {
      const message = `"${operator}" compares texts by the alphabet, not in your order ("high" < "low"); list the values with "in".`;
      return this.scope.error(pathOf(ordered), 'order-on-list', message);
    }
    operands.forEach((operand, index) => {
      const type = types[index];
      const literal = typeof operand !== 'object' || operand === null;
      const path = pathRead(operand);
      if ((literal && typeof operand !== 'number') || type?.type === 'text' || type?.type === 'list') {
        this.scope.error(pathOf(index), 'number-expected', `"${operator}" compares numbers only.`);
      } else if (
        type?.type === 'number' &&
        path !== undefined &&
        !place.present.has(path) &&
        !hasFallback(operand)
      ) {
        const message = `An unset ${path} counts as 0 here; add {"!!": {var: ${path}}} with "and" if the rule is not meant then.`;
        this.scope.warn(pathOf(index), 'order-on-unset', message);
      }
    });
  }

  private checkEquality(
    operator: string,
    operands: readonly unknown[],
    place: Place,
    at: Path,
    pathOf: (index: number) => Path,
  ): void {
    for (const [index, otherIndex] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const other = operands[otherIndex];
      const operand = operands[index];
      const path = pathRead(operand);
      if (path === undefined || place.scoped) continue;
      this.compareValue(operand, other, place, pathOf(otherIndex));
      if (this.typeOf(operand, place)?.type === 'list') {
        this.scope.error(
          at,
          'list-compared',
          `${path} holds a list, which equals nothing; use "in" or "some".`,
        );
      }
      if (operator === '!==' && other !== null && !place.present.has(path) && !hasFallback(operand)) {
        const message = `"!==" is true where ${path} is unset; add {"!!": {var: ${path}}} with "and", or compare with "===".`;
        this.scope.error(at, 'unset-is-true', message);
      }
      const hint = HINT_DEFAULTS.get(path);
      if (hint !== undefined && operator === '===' && other === hint && !hasFallback(operand)) {
        const name = path.split('.').at(-1);
        const message = `An absent ${name} means ${hint} in MCP but equals nothing here; write {var: [${path}, ${hint}]} to count it.`;
        this.scope.warn(at, 'hint-default', message);
      }
    }
  }

  private compareMembership(
    [member, list]: readonly unknown[],
    place: Place,
    pathOf: (index: number) => Path,
  ): void {
    if (!Array.isArray(list)) return this.compareValue(list, member, place, pathOf(0));
    list.forEach((each, index) => {
      this.compareValue(member, each, place, [...pathOf(1), index]);
    });
  }

  /** A text that a concern cannot have makes a comparison that never holds. */
  private compareValue(operand: unknown, other: unknown, place: Place, at: Path): void {
    const type = this.typeOf(operand, place);
    if (type === undefined || !('values' in type) || type.values === undefined) return;
    if (typeof other === 'object' || type.values.includes(String(other))) return;
    const near = nearest(String(other), type.values);
    const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
    const message = `${JSON.stringify(other)} is no value of ${pathRead(operand)} (${type.values.join(', ')})${hint}`;
    this.scope.error(at, 'unknown-value', message);
  }
}

/** Whether a value that is written out stands for a path without one; an expression may come to nothing, too. */
function hasFallback(logic: unknown): boolean {
  const { var: given } = logic as { var: unknown };
  return Array.isArray(given) && given.length > 1 && typeof given[1] !== 'object';
}

function countNodes(logic: unknown, depth: number): { count: number; depth: number } {
  // Deeper than that is refused anyway; stopping here keeps the stack small.
  if (typeof logic !== 'object' || logic === null || depth > RULE_LIMITS.depth) return { count: 1, depth };
  let [count, deepest] = [1, depth];
  const isList = Array.isArray(logic);
  for (const each of Object.values(logic)) {
    const below = countNodes(each, isList ? depth : depth + 1);
    count += below.count;
    deepest = Math.max(deepest, below.depth);
  }
  return { count, depth: deepest };
}
