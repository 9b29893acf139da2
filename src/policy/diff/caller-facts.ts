import type { CompiledPolicy, CompiledRulePart } from '../../engine/policy.js';
import { compileRule } from '../../engine/rule.js';

/**
 * Makes everything that rules ask of a caller a fact that can be chosen: what callers have in their claims, or can do,
 * is not known where policies are compared. Each comparison becomes a claim that is true or false.
 */
export class CallerFacts {
  private readonly known = new Map<string, { readonly claim: string; readonly text: string }>();

  /** @returns the same policy, whose rules read the facts instead of the caller */
  free(compiled: CompiledPolicy): CompiledPolicy {
    return { ...compiled, rules: compiled.rules.map((rule) => this.freeRule(rule)) };
  }

  /** All facts that rules read, by the claim that stands for each. */
  get all(): ReadonlyMap<string, string> {
    return new Map([...this.known.values()].map(({ claim, text }) => [claim, text]));
  }

  private freeRule(rule: CompiledRulePart): CompiledRulePart {
    const { paths } = compileRule(rule.when);
    const when = this.rewrite(rule.when);
    // A rule that reads what a client can do does not fire while that is unknown.
    const readsClient = paths.some((path) => path.startsWith('client.'));
    if (!readsClient) return { ...rule, when };
    return { ...rule, when: { and: [this.fact('client', 'it is known what the client can do'), when] } };
  }

  private rewrite(logic: unknown): unknown {
    const operation = operationOf(logic);
    if (operation === undefined) return logic;
    const { operator, operands } = operation;
    if (['and', 'or', '!', '!!', 'if'].includes(operator) && operands.some(operationOf)) {
      return { [operator]: operands.map((operand) => this.rewrite(operand)) };
    }
    const reads = compileRule(logic).paths.some((path) => /^(claims|client)\b/.test(path));
    return reads ? this.fact(JSON.stringify(logic), inWords(logic)) : logic;
  }

  private fact(key: string, text: string): unknown {
    const fact = this.known.get(key) ?? { claim: `#${this.known.size + 1}`, text };
    this.known.set(key, fact);
    return { '!!': { var: `claims.${fact.claim}` } };
  }
}

function operationOf(logic: unknown): { operator: string; operands: readonly unknown[] } | undefined {
  if (typeof logic !== 'object' || logic === null || Array.isArray(logic)) return undefined;
  const [entry] = Object.entries(logic);
  if (entry === undefined) return undefined;
  const [operator, given] = entry;
  return { operator, operands: Array.isArray(given) ? given : [given] };
}

const BETWEEN: Readonly<Record<string, string>> = {
  '===': 'is',
  '!==': 'is not',
  in: 'is in',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** A comparison as one would say it; what is too involved for that stays JSON. */
function inWords(logic: unknown): string {
  const operation = operationOf(logic);
  if (operation === undefined) return typeof logic === 'string' ? logic : JSON.stringify(logic);
  const { operator, operands } = operation;
  const [first, second] = operands;
  if (operator === 'var') return String(first);
  if (operator === '!!') return `${inWords(first)} is set`;
  if (operator === '!') return `${inWords(first)} is not set`;
  const between = BETWEEN[operator];
  if (between === undefined || operands.length !== 2) return JSON.stringify(logic);
  return `${inWords(first)} ${between} ${inWords(second)}`;
}
