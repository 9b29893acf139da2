import { claimName } from '../../engine/claims.js';
import {
  childrenOf,
  type Expression,
  isTextOperator,
  type JsonPath,
  type Operation,
  type Quantified,
  type Read,
  RULE_LIMITS,
  readsData,
  readsPrimitive,
} from '../../engine/expression/expression.js';
import { exceedsLimits, parseExpression } from '../../engine/expression/parse.js';
import { listNames } from '../../engine/match/list-names.js';
import { isScopeClaim } from '../../engine/scope-claims.js';
import { type Problem, problem } from '../language/problem.js';
import type { Path } from '../language/read-yaml.js';
import type { Declared, FileCheck } from './check-values.js';
import { ALWAYS } from './generated/rule-paths.js';
import { HINT_DEFAULTS, type PathType, typeOfPath, undeclaredPath } from './rule-paths.js';
import { hasFallback, isNull, isScalar, presentPaths } from './rule-presence.js';
import { describeProblem } from './rule-problem.js';

/** The declared concerns, and the functions that receive the findings. */
type RuleScope = Pick<FileCheck, 'declared' | 'error' | 'warn'>;

interface Context {
  /** Paths that have a value whenever this part matters. */
  readonly present: ReadonlySet<string>;
  /** Inside `some`, `all` or `none`, where `var` reads one item. */
  readonly scoped: boolean;
}

/** Claims that are lists by RFC 9068 (section 2.2.3.1), also with a prefix as providers write them. */
const SEVERAL_VALUES = /(?:^|[.:/])(?:groups|roles|entitlements)$/;

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
  check.checkTruth(expression);
  check.check(expression, { present: new Set(ALWAYS), scoped: false });
}

class RuleCheck {
  constructor(
    private readonly scope: RuleScope,
    private readonly root: Path,
    /** Parts that are reported already. */
    private readonly invalid: ReadonlySet<Expression>,
    private readonly isAssign: boolean,
  ) {}

  check(expression: Expression, context: Context): void {
    if (this.invalid.has(expression)) return;
    switch (expression.type) {
      case 'quantified':
        return this.checkQuantified(expression, context);
      case 'operation':
        return this.checkOperation(expression, context);
      case 'read':
        this.checkPath(expression.path, [...expression.place, 'var'], context);
        break;
      case 'missing':
        for (const path of expression.paths) this.checkPath(path, [...expression.place, 'missing'], context);
    }
    for (const child of childrenOf(expression)) this.check(child, context);
  }

  /** Reports texts, numbers and lists where a condition is expected: each of them would always be true, or always false. */
  checkTruth(expression: Expression): void {
    if (this.invalid.has(expression) || expression.type === 'read' || expression.type === 'missing') return;
    if (expression.type === 'quantified') return this.checkTruth(expression.condition);
    if (expression.type === 'operation') {
      if (/^(and|or|!!?|if)$/.test(expression.operator))
        expression.operands.forEach((each) => this.checkTruth(each));
      return;
    }
    if (expression.type === 'literal' && typeof expression.value === 'boolean') return;
    const { declared } = this.scope;
    const isList = expression.type === 'list';
    const text = !isList && typeof expression.value === 'string' ? expression.value : undefined;
    const isPath = text !== undefined && typeOfPath(text, declared) !== undefined;
    const what = isPath ? 'path' : isList ? 'list' : text === undefined ? 'other' : 'text';
    const value = JSON.stringify(expression.json);
    const fixed = { scalar: text ?? '', yaml: `{ var: ${text} }` };
    this.error(
      expression.place,
      problem(`not-a-condition.${what}`, { value, path: text ?? '' }, isPath ? fixed : undefined),
    );
  }

  private checkQuantified({ operator, list, condition }: Quantified, context: Context): void {
    if (this.comparesWithin(operator, [list], context)) return;
    this.needList(operator, list, context, 'first');
    this.check(list, context);
    this.check(condition, { ...context, scoped: true });
  }

  private checkOperation(expression: Operation, context: Context): void {
    const { operator, operands } = expression;
    const isEquality = operator === '===' || operator === '!==';
    const hasNull = operands.some(isNull);
    // Everything else about a hierarchy would only repeat that it cannot be compared.
    const isWithin =
      (isEquality || operator === 'in') && !hasNull && this.comparesWithin(operator, operands, context);
    if (operator === 'in' && !isWithin) this.checkMembership(operands, context);
    else if (isEquality && !isWithin) this.checkEquality(expression, context);
    else if (isTextOperator(operator)) this.needTexts(expression, context);
    else if (/^[<>]/.test(operator)) this.needNumbers(expression, context);
    const isOneOf = operator === 'in' && operands[1]?.type === 'list';
    if ((isOneOf || isTextOperator(operator) || isEquality) && !hasNull) {
      for (const operand of operands) this.checkClaim('text', operator, operand, context);
    }
    for (const [index, operand] of operands.entries()) {
      this.check(operand, { ...context, present: presentPaths(operator, operands, index, context.present) });
    }
  }

  private checkPath(path: string, at: JsonPath, { scoped }: Context): void {
    const { declared } = this.scope;
    if (scoped && !readsData(path)) return;
    if (typeOfPath(path, declared) === undefined) this.error(at, undeclaredPath(path, declared.keys()));
    else if (this.isAssign && !readsPrimitive(path)) this.error(at, problem('assign-reads-caller', { path }));
  }

  /** The type of an operand that reads a path. Problems of the path are reported when the operand itself is checked. */
  private typeOf(operand: Expression, context: Context): PathType | undefined {
    const read = this.readOf(operand, context);
    return read && typeOfPath(read.path, this.scope.declared);
  }

  /** The operand, if it reads a path of the data; `undefined` also for what reads one item of a list. */
  private readOf(operand: Expression, { scoped }: Context): Read | undefined {
    if (operand.type !== 'read' || operand.path === '' || this.invalid.has(operand)) return undefined;
    if (scoped && !readsData(operand.path)) return undefined;
    return operand;
  }

  private needList(operator: string, operand: Expression, context: Context, which: string): void {
    this.checkClaim('list', operator, operand, context);
    const type = this.typeOf(operand, context);
    const constant = isScalar(operand) || isNull(operand);
    if (!constant && (type === undefined || type.type === 'list' || type.type === 'anything')) return;
    this.error(operand.place, problem('list-expected', { which, operator }));
  }

  /**
   * A claim is a list in some tokens and a text in others. An operator on lists does not search the text, and comparing the
   * claim as one text misses values of a list, and of a text that has several.
   */
  private checkClaim(as: 'list' | 'text', operator: string, operand: Expression, context: Context): void {
    const path = this.readOf(operand, context)?.path;
    if (path === undefined || !path.startsWith('claims.')) return;
    const name = path.slice('claims.'.length);
    const setsBy = ({ concern: { claim } }: Declared) => claim !== undefined && claimName(claim) === name;
    const [concern, declared] = [...this.scope.declared].find(([, each]) => setsBy(each)) ?? [];
    const isScope = isScopeClaim(name);
    const isPart = operator === 'contains';
    const isSeveral = declared === undefined ? SEVERAL_VALUES.test(name) : declared.concern.multiple === true;
    const isWrong = as === 'list' ? declared !== undefined && !isSeveral : isPart || isSeveral;
    if (!isWrong && !isScope) return;
    const text = isPart
      ? '"contains" also finds a value inside of a longer one, such as "admin" in "not-admin"'
      : `"${operator}" compares ${path} as one text, but a token can have several values in it`;
    const why = as === 'list' ? `"${operator}" finds nothing in ${path} where the claim is a text` : text;
    const own =
      concern ?? `<name>, after you declare the concern with "set-by: operator" and "claim: ${name}"`;
    const fix = isScope ? 'Use "in" with caller.scopes, which is always a list.' : `Compare concerns.${own}.`;
    if (as === 'text' || !isScope) return this.warn(operand.place, problem('text-claim', { why, fix }));
    const replacement = { scalar: 'caller.scopes', yaml: 'caller.scopes' };
    this.warn([...operand.place, 'var'], problem('text-claim', { why, fix }, replacement));
  }

  private needTexts({ operator, operands }: Operation, context: Context): void {
    for (const operand of operands) {
      const type = this.typeOf(operand, context)?.type;
      const isOther =
        operand.type === 'list' || (operand.type === 'literal' && typeof operand.value !== 'string');
      if (!isOther && type !== 'list' && type !== 'number') continue;
      this.error(operand.place, problem('text-expected', { operator }));
    }
  }

  private needNumbers({ operator, operands }: Operation, context: Context): void {
    for (const operand of operands) {
      const type = this.typeOf(operand, context);
      if (type?.type !== 'text' || type.values === undefined) continue;
      // The other operand is a name too, and reporting it would only repeat this.
      return this.error(operand.place, problem('order-on-list', { operator }));
    }
    for (const operand of operands) {
      const type = this.typeOf(operand, context)?.type;
      const notNumber = (isScalar(operand) && typeof operand.value !== 'number') || isNull(operand);
      if (notNumber || type === 'text' || type === 'list') {
        this.error(operand.place, problem('number-expected', { operator }));
        continue;
      }
      const read = this.readOf(operand, context);
      if (type !== 'number' || read === undefined || context.present.has(read.path) || hasFallback(read))
        continue;
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
      if (operator === '!==' && !isNull(other) && !context.present.has(path) && !hasFallback(read))
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
    this.needList('in', list, context, 'second');
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
