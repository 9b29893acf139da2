import {
  argumentIn,
  childrenOf,
  type Expression,
  type JsonPath,
  type OperandType,
  type Operation,
  operandType,
  type Quantified,
  type Read,
  RULE_LIMITS,
  readsData,
  readsPrimitive,
} from '../../engine/expression/expression.js';
import { exceedsLimits, parseExpression } from '../../engine/expression/parse.js';
import { listNames } from '../../engine/match/list-names.js';
import { type Problem, problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import { toYamlScalar } from '../language/yaml-scalars.js';
import type { FileCheck } from './check-values.js';
import { ALWAYS } from './generated/rule-paths.js';
import { HINT_DEFAULTS, type PathType, typeOfPath, undeclaredPath } from './rule-paths.js';
import { hasFallback, isNull, isScalar, presentPaths } from './rule-presence.js';
import { describeProblem } from './rule-problem.js';

/** The declared concerns, and the functions that receive the findings. */
type RuleScope = Pick<FileCheck, 'declared' | 'error' | 'warn'>;

interface Context {
  /** Paths that have a value whenever this part matters. */
  readonly present: ReadonlySet<string>;
  /** Inside `some`, `all` or `none`: what `var` reads one of. */
  readonly items: 'texts' | 'anything' | undefined;
}

/** Follows a path that no item of the list has. */
const TEXT_ITEMS = ' The items of this list are texts. Read an item with {var: ""}.';

/**
 * Checks an expression of JSON Logic. It rejects operators with surprising meanings, paths that are not declared, and
 * comparisons that do not mean what they appear to mean.
 *
 * @param json the expression as YAML gives it
 * @param path the position of the expression in the document
 * @param scope the declared concerns, and the functions that receive the findings
 * @param isAssign whether it is decided before any request, so that it can read only the primitive
 * @example
 * checkRule({ '==': [1, 1] }, ['rules', 0, 'when'], scope); // reports loose-equality
 */
export function checkRule(json: unknown, path: Path, scope: RuleScope, isAssign = false): void {
  if (exceedsLimits(json)) return scope.error(path, problem('rule-too-large', RULE_LIMITS));
  const { expression, problems, invalid } = parseExpression(json);
  for (const each of problems) scope.error([...path, ...each.place], describeProblem(each));
  const check = new RuleCheck(scope, path, invalid, isAssign);
  check.checkCondition(expression, { present: new Set(ALWAYS), items: undefined });
}

class RuleCheck {
  constructor(
    private readonly scope: RuleScope,
    private readonly root: Path,
    /** Parts that are reported already. */
    private readonly invalid: ReadonlySet<Expression>,
    private readonly isAssign: boolean,
  ) {}

  checkCondition(expression: Expression, context: Context): void {
    const found = this.notACondition(expression);
    if (found !== undefined) this.error(expression.place, found);
    this.check(expression, context, 'truth');
  }

  /** @param as what the expression must be */
  private check(expression: Expression, context: Context, as: OperandType): void {
    if (this.invalid.has(expression)) return;
    switch (expression.type) {
      case 'quantified':
        return this.checkQuantified(expression, context);
      case 'operation':
        return this.checkOperation(expression, context, as);
      case 'read':
        this.checkPath(expression.path, [...expression.place, 'var'], context);
        break;
      case 'missing':
        for (const path of expression.paths) this.checkPath(path, [...expression.place, 'missing'], context);
    }
    for (const child of childrenOf(expression)) this.check(child, context, 'anything');
  }

  private checkQuantified({ operator, list, condition }: Quantified, context: Context): void {
    if (this.comparesWithin(operator, [list], context)) return;
    this.expect('list', list, operator, context);
    this.check(list, context, 'list');
    const items = list.type === 'list' ? list.items : undefined;
    const isTexts = items?.every(isText) ?? this.typeOf(list, context)?.type === 'list';
    this.checkCondition(condition, { ...context, items: isTexts ? 'texts' : 'anything' });
  }

  private checkOperation(expression: Operation, context: Context, as: OperandType): void {
    const { operator, operands } = expression;
    const isEquality = operator === '===' || operator === '!==';
    const hasNull = operands.some(isNull);
    // Everything else about a hierarchy would only repeat that it cannot be compared.
    const isWithin =
      (isEquality || operator === 'in') && !hasNull && this.comparesWithin(operator, operands, context);
    // The other operand of an order of names is a name too, and reporting it would only repeat this.
    const name = /^[<>]/.test(operator) ? operands.find((each) => this.isName(each, context)) : undefined;
    const checked = isWithin ? [] : operands.filter((operand) => name === undefined || operand === name);
    for (const operand of checked) {
      this.expect(operandType(expression, operands.indexOf(operand), as), operand, operator, context);
    }
    if (operator === 'in' && !isWithin) this.checkMembership(operands, context);
    else if (isEquality && !isWithin) this.checkEquality(expression, context);
    else if (/^[<>]/.test(operator)) this.checkUnsetNumbers(operands, context);
    for (const [index, operand] of operands.entries()) {
      const present = presentPaths(operator, operands, index, context.present);
      this.check(operand, { ...context, present }, operandType(expression, index, as));
    }
  }

  private isName(operand: Expression, context: Context): boolean {
    const type = this.typeOf(operand, context);
    return type?.type === 'text' && type.values !== undefined;
  }

  /** Reports an operand with which the operator does something else than it appears to do. */
  private expect(type: OperandType, operand: Expression, operator: string, context: Context): void {
    if (this.invalid.has(operand)) return;
    const found =
      type === 'truth' ? this.notACondition(operand) : this.notOfType(type, operand, operator, context);
    if (found !== undefined) this.error(operand.place, found);
  }

  /** A text, number or list where a condition is expected is always true or always false. */
  private notACondition(operand: Expression): Problem | undefined {
    if (this.invalid.has(operand)) return undefined;
    if (operand.type === 'list') return problem('not-a-condition.list', {});
    if (operand.type !== 'literal' || typeof operand.value === 'boolean') return undefined;
    const value = JSON.stringify(operand.value);
    if (typeof operand.value !== 'string') return problem('not-a-condition.other', { value });
    const path = operand.value;
    // A condition of another language can begin with a path.
    const isPath = !/[\s=<>!&|()'"]/.test(path) && typeOfPath(path, this.scope.declared) !== undefined;
    if (!isPath) return problem('not-a-condition.text', { value });
    return problem(
      'not-a-condition.path',
      { path },
      { scalar: path, yaml: `{ var: ${toYamlScalar(path)} }` },
    );
  }

  private notOfType(
    type: Exclude<OperandType, 'truth'>,
    operand: Expression,
    operator: string,
    context: Context,
  ): Problem | undefined {
    const known = this.typeOf(operand, context)?.type;
    const constant = operand.type === 'literal' ? typeof operand.value : operand.type;
    switch (type) {
      case 'list': {
        const which = operator === 'in' ? 'second' : 'first';
        const isOther = operand.type === 'literal' || (known !== undefined && !/list|anything/.test(known));
        return isOther ? problem('list-expected', { which, operator }) : undefined;
      }
      case 'text': {
        const isOther = operand.type === 'list' || (operand.type === 'literal' && constant !== 'string');
        return isOther || /list|number/.test(known ?? '')
          ? problem('text-expected', { operator })
          : undefined;
      }
      case 'number': {
        if (this.isName(operand, context)) return problem('order-on-list', { operator });
        const isOther = operand.type === 'literal' && constant !== 'number';
        return isOther || /text|list/.test(known ?? '')
          ? problem('number-expected', { operator })
          : undefined;
      }
      default:
        return undefined;
    }
  }

  private checkPath(path: string, at: JsonPath, { items }: Context): void {
    const { declared } = this.scope;
    if (items !== undefined && !readsData(path)) {
      if (items === 'texts' && path !== '')
        this.error(at, problem('unknown-path', { path, hint: TEXT_ITEMS }));
      return;
    }
    if (typeOfPath(path, declared) === undefined) this.error(at, undeclaredPath(path, declared.keys()));
    else if (this.isAssign && (!readsPrimitive(path) || argumentIn(path) !== undefined))
      this.error(at, problem('assign-reads-caller', { path }));
  }

  /** The type of an operand that reads a path. Problems of the path are reported when the operand itself is checked. */
  private typeOf(operand: Expression, context: Context): PathType | undefined {
    const read = this.readOf(operand, context);
    return read && typeOfPath(read.path, this.scope.declared);
  }

  /** The operand, if it reads a path of the data; `undefined` also for what reads one item of a list. */
  private readOf(operand: Expression, { items }: Context): Read | undefined {
    if (operand.type !== 'read' || operand.path === '' || this.invalid.has(operand)) return undefined;
    if (items !== undefined && !readsData(operand.path)) return undefined;
    return operand;
  }

  /** Whether a host or server can leave the value out. What callers leave out counts as what hides most. */
  private mayBeUnset(path: string, { present }: Context): boolean {
    if (present.has(path)) return false;
    // Leaving an argument out is a use of its own.
    if (argumentIn(path) !== undefined) return false;
    if (!path.startsWith('concerns.')) return readsPrimitive(path);
    return this.scope.declared.get(path.slice('concerns.'.length))?.concern['set-by'] !== 'operator';
  }

  private checkUnsetNumbers(operands: readonly Expression[], context: Context): void {
    for (const operand of operands) {
      const read = this.readOf(operand, context);
      if (read === undefined || this.typeOf(read, context)?.type !== 'number' || hasFallback(read)) continue;
      if (!this.mayBeUnset(read.path, context)) continue;
      this.warn(operand.place, problem('order-on-unset', { path: read.path }));
    }
  }

  private checkEquality({ operator, operands, place }: Operation, context: Context): void {
    const at = [...place, operator];
    for (const [index, operand] of operands.entries()) {
      const read = this.readOf(operand, context);
      const other = operands[1 - index];
      if (read === undefined || other === undefined) continue;
      const { path } = read;
      this.compareValue(read, other, context);
      if (this.typeOf(read, context)?.type === 'list') this.error(at, problem('list-compared', { path }));
      if (operator === '!==' && !isNull(other) && !hasFallback(read) && this.mayBeUnset(path, context))
        this.error(at, problem('unset-is-true', { path }));
      const hint = HINT_DEFAULTS.get(path);
      const comparesDefault = isScalar(other) && other.value === hint;
      if (hint !== undefined && operator === '===' && comparesDefault && !hasFallback(read)) {
        this.warn(at, problem('hint-default', { name: path.split('.').at(-1), hint, path }));
      }
    }
  }

  private checkMembership([member, list]: readonly Expression[], context: Context): void {
    if (member === undefined || list === undefined) return;
    if (list.type !== 'list') return this.compareValue(list, member, context);
    for (const item of list.items) this.compareValue(member, item, context);
  }

  /** Reports an operator that compares the value of a concern with `match: within` with single values. */
  private comparesWithin(operator: string, operands: readonly Expression[], context: Context): boolean {
    const within = operands.find((operand) => {
      const path = this.readOf(operand, context)?.path ?? '';
      const name = path.startsWith('concerns.') ? path.slice('concerns.'.length) : '';
      return this.scope.declared.get(name)?.concern.match === 'within';
    });
    if (within?.type !== 'read') return false;
    this.error(within.place, problem('within-compared.rule', { operator, path: within.path }));
    return true;
  }

  /** A comparison with a text that the concern cannot have never holds. */
  private compareValue(operand: Expression, other: Expression, context: Context): void {
    const { values } = this.typeOf(operand, context) ?? {};
    if (operand.type !== 'read' || values === undefined || !isScalar(other)) return;
    const text = String(other.value);
    if (values.includes(text)) return;
    const names = { value: JSON.stringify(other.value), name: operand.path, known: listNames(values) };
    this.error(other.place, problem('unknown-value.value', names, { scalar: text, known: values }));
  }

  private error(place: JsonPath, found: Problem): void {
    this.scope.error([...this.root, ...place], found);
  }

  private warn(place: JsonPath, found: Problem): void {
    this.scope.warn([...this.root, ...place], found);
  }
}

const isText = (item: Expression): boolean => item.type === 'literal' && typeof item.value === 'string';
