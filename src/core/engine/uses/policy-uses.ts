import type { CompiledEntry, CompiledPolicy } from '../compiled-policy.js';
import { compileExpression, type Evaluate } from '../expression/evaluate.js';
import {
  argumentIn,
  childrenOf,
  type Expression,
  pathsOf,
  readsPrimitive,
} from '../expression/expression.js';
import { compileGlob } from '../match/glob.js';
import type { Entry } from './policy-parts.js';
import { parseUse, type UseName } from './use-name.js';

/** What an entry or a pattern says about uses of tools. */
export interface NamedUse extends Entry, UseName {
  /** Whether `*` in it stands for any characters. */
  readonly isPattern: boolean;
  readonly matchesTool: (name: string) => boolean;
  readonly matchesArgument: (name: string) => boolean;
}

/** The argument that a rule reads. The rule decides about the uses of this argument only. */
export interface RuleArgument {
  readonly name: string;
  /** What the rule compares with it: the values that it tells apart. */
  readonly compared: readonly Evaluate[];
  /** Conditions on the tool that must hold, or the rule is about other tools. */
  readonly within: readonly Evaluate[];
}

/** The only values of an argument, see `bind`. */
export interface Bind {
  readonly name: string;
  readonly argument: string;
  readonly matchesTool: (name: string) => boolean;
  readonly evaluate: Evaluate;
  /** Dotted paths that it reads. */
  readonly paths: readonly string[];
}

/**
 * Prepares what a policy binds.
 *
 * @param compiled the policy
 * @param parse parses an expression
 * @returns nothing where calls are not checked: nothing would write the value into them
 */
export function bindsIn(
  { bind = [], settings }: Pick<CompiledPolicy, 'bind' | 'settings'>,
  parse: (from: unknown, what: string) => Expression,
): readonly Bind[] {
  if (settings.enforcement === 'advisory') return [];
  return bind.map(({ name, from }) => {
    const { tool, argument } = boundArgument(name);
    const { evaluate, paths } = compileExpression(parse(from, `"bind" of ${name}`));
    return { name, argument, matchesTool: compileGlob(tool), evaluate, paths };
  });
}

/**
 * Reads a key of `bind`.
 *
 * @example
 * boundArgument('project'); // { tool: '*', argument: 'project' }
 */
export function boundArgument(name: string): { readonly tool: string; readonly argument: string } {
  const use = parseUse(name);
  return use === undefined ? { tool: '*', argument: name } : { tool: use.tool, argument: use.argument };
}

/** Returns the entries that name tools. A tool whose name has the form of a use has no entry. */
export const toolsOnly = (entries: readonly CompiledEntry[]): readonly CompiledEntry[] =>
  entries.filter(({ name }) => parseUse(name) === undefined);

/**
 * Finds what a policy says about uses of tools.
 *
 * @param compiled the policy
 * @param toEntry prepares an entry
 * @returns the entries and patterns, weakest first
 */
export function usesIn(
  { primitives, patterns }: Pick<CompiledPolicy, 'primitives' | 'patterns'>,
  toEntry: (entry: CompiledEntry) => Entry,
): readonly NamedUse[] {
  const prepare = (entries: readonly CompiledEntry[], isPattern: boolean): readonly NamedUse[] =>
    entries.flatMap((entry) => {
      const use = parseUse(entry.name);
      if (use === undefined) return [];
      const matcher = (part: string) => (isPattern ? compileGlob(part) : (text: string) => text === part);
      const matches = { matchesTool: matcher(use.tool), matchesArgument: matcher(use.argument) };
      return [{ ...toEntry(entry), ...use, isPattern, ...matches }];
    });
  return [...prepare(patterns.tools, true), ...prepare(primitives.tools, false)];
}

/**
 * Finds the argument that a rule reads.
 *
 * @param when the condition of the rule
 * @returns `undefined` if it reads none
 */
export function ruleArgument(when: Expression): RuleArgument | undefined {
  const name = pathsOf(when)
    .map(argumentIn)
    .find((each) => each !== undefined);
  if (name === undefined) return undefined;
  return { name, compared: comparedIn(when), within: conjunctsOf(when).filter(isAboutTool).map(compiled) };
}

const compiled = (expression: Expression): Evaluate => compileExpression(expression).evaluate;

const readsArgument = (expression: Expression): boolean =>
  pathsOf(expression).some((path) => argumentIn(path) !== undefined);

function comparedIn(expression: Expression): readonly Evaluate[] {
  const operands = expression.type === 'operation' ? expression.operands : [];
  const isComparison = operands.some((each) => each.type === 'read' && argumentIn(each.path) !== undefined);
  const own = isComparison ? operands.filter((each) => !readsArgument(each)).map(compiled) : [];
  return [...own, ...childrenOf(expression).flatMap(comparedIn)];
}

/** All of these must be true, or the condition is false. */
const conjunctsOf = (expression: Expression): readonly Expression[] =>
  expression.type === 'operation' && expression.operator === 'and'
    ? expression.operands.flatMap(conjunctsOf)
    : [expression];

function isAboutTool(expression: Expression): boolean {
  const paths = pathsOf(expression);
  return paths.length > 0 && paths.every(readsPrimitive) && !readsArgument(expression);
}
