import { closedWithoutFacts } from '../../engine/expression/closed.js';
import {
  type Expression,
  isComputed,
  type Need,
  neededFacts,
  pathsOf,
  readsCaller,
} from '../../engine/expression/expression.js';
import { parseExpression } from '../../engine/expression/parse.js';
import type { CompiledPolicy, CompiledRulePart } from '../../engine/policy.js';
import { getOrMake } from '../../once.js';

/**
 * Replaces everything that rules read of a caller by facts that can be chosen freely. The claims and capabilities of
 * callers are not known when two policies are compared, so each comparison becomes a claim that is true or false.
 */
export class CallerFacts {
  private readonly known = new Map<string, { readonly claim: string; readonly text: string }>();

  /** @returns the same policy with rules that read the facts instead of the caller */
  free(compiled: CompiledPolicy): CompiledPolicy {
    return { ...compiled, rules: compiled.rules.map((rule) => this.freeRule(rule)) };
  }

  /** The text of every fact that the rules read, by the name of its claim. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.known.values()].map(({ claim, text }) => [claim, text]));
  }

  private freeRule(rule: CompiledRulePart): CompiledRulePart {
    // Concerns keep their values, so that the policy itself closes what reads them.
    const expression = closedWithoutFacts(parseExpression(rule.when).expression, rule.effect, () => false);
    const when = this.rewrite(expression);
    if (!neededFacts(pathsOf(expression)).includes('client.capabilities')) return { ...rule, when };
    // A rule that reads the capabilities of the client does not fire while they are not known.
    return {
      ...rule,
      when: { and: [this.fact('client', 'the capabilities of the client are known'), when] },
    };
  }

  /** @returns JSON Logic that reads facts instead of the caller */
  private rewrite(expression: Expression): unknown {
    if (expression.type === 'closed') {
      const { part, needs, counts } = expression;
      const answer = this.rewrite(part);
      const lacking = needs.map((need): unknown => this.fact(lackInWords(need), lackInWords(need)));
      return counts
        ? { or: [answer, ...lacking] }
        : { and: [answer, ...lacking.map((each) => ({ '!': each }))] };
    }
    if (isLogical(expression) && expression.operands.some(isComputed)) {
      return { [expression.operator]: expression.operands.map((operand) => this.rewrite(operand)) };
    }
    const { json } = expression;
    if (!isComputed(expression) || !pathsOf(expression).some(readsCaller)) return json;
    return this.fact(JSON.stringify(json), inWords(expression));
  }

  private fact(key: string, text: string): unknown {
    const fact = getOrMake(this.known, key, () => ({ claim: `#${this.known.size + 1}`, text }));
    // With a fallback, because the absence of a fact means nothing.
    return { '!!': { var: [`claims.${fact.claim}`, false] } };
  }
}

const LOGICAL: ReadonlySet<string> = new Set(['and', 'or', '!', '!!', 'if']);

function isLogical(expression: Expression): expression is Expression & { readonly type: 'operation' } {
  return expression.type === 'operation' && LOGICAL.has(expression.operator);
}

/** What the path of a need is called where it does not have the type. */
const TYPES = { scalar: 'a single value', text: 'a text', number: 'a number', list: 'a list' } as const;

/** @returns why a part has no answer for a caller, in words */
export const lackInWords = ({ path, as }: Need): string =>
  as === 'anything' ? `${path} is missing` : `${path} is not ${TYPES[as]}`;

/** The operators that a sentence says in other words. */
const BETWEEN: Readonly<Record<string, string>> = { '===': 'is', '!==': 'is not', in: 'is in' };

/**
 * Writes a comparison in words, or as JSON if it is too complex for that.
 *
 * @param expression the comparison
 * @param quote writes a text of the policy; left out, the text stands as it is
 * @returns one line
 * @example
 * inWords(parseExpression({ '===': [{ var: 'claims.plan' }, 'trial'] }).expression); // 'claims.plan is trial'
 */
export function inWords(expression: Expression, quote: (text: string) => string = asItIs): string {
  const words = (part: Expression): string => inWords(part, quote);
  if (expression.type === 'closed') return words(expression.part);
  if (expression.type === 'read') {
    // Inside `some`, `all` and `none` the empty path is the item itself.
    const name = expression.path || 'item';
    return expression.fallback === undefined ? name : `(${name} or ${words(expression.fallback)})`;
  }
  if (expression.type === 'missing') return `${expression.paths.join(' or ')} is missing`;
  if (expression.type === 'quantified')
    return `${expression.operator} of ${words(expression.list)}: ${words(expression.condition)}`;
  if (expression.type === 'literal' && typeof expression.value === 'string') return quote(expression.value);
  if (expression.type === 'operation') {
    const { operator, operands } = expression;
    const [first, second] = operands;
    const between = BETWEEN[operator] ?? operator.replace('-', ' ');
    if (first !== undefined && operator === '!!') return `${words(first)} is set`;
    if (first !== undefined && operator === '!') return `${words(first)} is not set`;
    if (first !== undefined && second !== undefined && operands.length === 2 && !isLogical(expression)) {
      return `${words(first)} ${between} ${words(second)}`;
    }
  }
  return JSON.stringify(expression.json);
}

const asItIs = (text: string): string => text;
