import { configurationFor } from '../../../engine/added-tools.js';
import type { Configuration } from '../../../engine/configuration.js';
import { type Decision, evaluate } from '../../../engine/evaluate.js';
import { readOwn } from '../../../engine/expression/evaluate.js';
import { argumentIn } from '../../../engine/expression/expression.js';
import type { Primitive } from '../../../engine/mapping.js';
import { argumentsOf, type Domain, valueIn } from '../../../engine/uses/domain.js';
import { type JudgedCall, judgeCall } from '../../../engine/uses/judge-call.js';
import { remainingOf } from '../../../engine/uses/remaining.js';
import type { ToolUses } from '../../../engine/uses/tool-uses.js';
import type { Lists, Target } from '../../request/decision.js';
import { listedDefinition } from '../narrow-definitions.js';
import { positionsOf } from '../visibility.js';
import { wrongArgument } from './argument-text.js';

/** What becomes of the arguments of a call of a visible tool. */
export type CallDecision =
  | Extract<JudgedCall, { effect: 'pass' }>
  | {
      readonly effect: 'refuse';
      /** What is wrong, from the listed schema alone: the same for a hidden value and for one that does not exist. */
      readonly text: string;
      /** The argument; empty if all of them are wrong. */
      readonly argument: string;
      readonly isDeclared: boolean;
      /** For the log: why the use is hidden. */
      readonly decision: Decision;
    };

/**
 * Decides about the arguments of a call of a visible tool. A server would name all values of an argument in its error, also hidden
 * ones, and may run something for a value that it does not know, so it is not asked.
 *
 * @param lists the server's lists
 * @param name the tool
 * @param sent what the call sends as its arguments
 * @param configuration the values in effect
 * @returns `undefined` if nothing of the tool is hidden: the server answers in its own words
 */
export function decideCall(
  { tools }: Lists,
  name: string,
  sent: unknown,
  configuration: Configuration,
): CallDecision | undefined {
  if (tools === undefined || !configuration.policy.isAboutArguments) return undefined;
  let passed: Extract<CallDecision, { effect: 'pass' }> | undefined;
  // If several tools have the name, the call must pass for each.
  for (const position of positionsOf(tools, name)) {
    const uses = tools.uses[position];
    if (uses === undefined) continue;
    const definition = listedDefinition(tools, position, configuration);
    if (isWhole(uses, definition, configuration)) continue;
    const judged = judgeOne(uses, definition, passed?.args ?? sent, configuration);
    if (judged.effect === 'refuse') return judged;
    passed = { ...judged, scopes: [...new Set([...(passed?.scopes ?? []), ...judged.scopes])] };
  }
  return passed;
}

/** Returns whether a list shows every use that a call makes. Under `lists: stable`, the preferences of the session do not count for it. */
export const isListedCall = ({ tools }: Lists, name: string, sent: unknown, listed: Configuration): boolean =>
  tools !== undefined &&
  positionsOf(tools, name).every((position) => {
    const uses = tools.uses[position];
    if (uses === undefined) return true;
    const definition = listedDefinition(tools, position, listed);
    return judgeOne(uses, definition, sent, listed).effect === 'pass';
  });

/**
 * Returns the headers of arguments that the gate writes into a call. A client is not shown them, so a header would say something that no
 * argument says, and what stands in front of the server would read it.
 *
 * @returns the names that the schema gives them, without `Mcp-Param-`
 */
export function boundHeaders(
  { tools }: Lists,
  { type, name }: Target,
  configuration: Configuration,
): readonly string[] {
  if (type !== 'tool' || tools === undefined || configuration.policy.binds.length === 0) return [];
  return positionsOf(tools, name).flatMap((position) => {
    const uses = tools.uses[position];
    if (uses === undefined) return [];
    const filled = remainingOf(uses, configuration).parts.filter(({ fill }) => fill !== undefined);
    const properties = readOwn(uses.primitive.inputSchema, 'properties');
    return filled.flatMap(({ argument }) => {
      const header = readOwn(readOwn(properties, argument.name), 'x-mcp-header');
      return typeof header === 'string' ? [header] : [];
    });
  });
}

/** Whether every call passes that the server takes. A tool of which no argument is decided can still be sent one in other letters. */
function isWhole(uses: ToolUses, definition: Primitive, configuration: Configuration): boolean {
  if (uses.arguments.length === 0 || !remainingOf(uses, configuration).isWhole) return false;
  const listed = listedDomains(uses, definition);
  return uses.arguments.every(({ name, domain }) => {
    const now = listed.get(name);
    return domain.type !== 'closed' || (now?.type === 'closed' && now.values.length === domain.values.length);
  });
}

function judgeOne(
  uses: ToolUses,
  definition: Primitive,
  sent: unknown,
  configuration: Configuration,
): CallDecision {
  const judged = judgeCall(uses, sent, configuration);
  const removed = judged.effect === 'pass' ? removedValue(uses, definition, judged.args) : undefined;
  if (judged.effect === 'pass' && removed === undefined) return judged;
  const argument = judged.effect === 'refuse' ? judged.argument : (removed ?? '');
  const use = judged.effect === 'refuse' ? judged.use : undefined;
  const own = configurationFor(configuration, 'tools', uses.tool);
  // A log has no names and values that a caller chose.
  const isDeclared = uses.declared.has(argument);
  return {
    effect: 'refuse',
    text: wrongArgument(uses.tool, definition, argument, sent),
    argument,
    isDeclared,
    decision:
      use === undefined
        ? { effect: 'hide', reason: { code: 'argument', argument: isDeclared ? argument : '' } }
        : withoutSent(evaluate(use.mapping, own)),
  };
}

/** A rule tells what it read, also what the call sends. */
function withoutSent(decision: Decision): Decision {
  const { effect, reason } = decision;
  if (reason.code !== 'rule') return decision;
  const read = Object.entries(reason.values).filter(([path]) => argumentIn(path) === undefined);
  return { effect, reason: { ...reason, values: Object.fromEntries(read) } };
}

function listedDomains(uses: ToolUses, definition: Primitive): ReadonlyMap<string, Domain> {
  const isAbout = (name: string) => uses.arguments.some((each) => each.name === name);
  return new Map(argumentsOf(definition, isAbout).map(({ name, domain }) => [name, domain]));
}

/** A value that names a hidden primitive is not listed, and does not pass. */
function removedValue(
  uses: ToolUses,
  definition: Primitive,
  args: Readonly<Record<string, unknown>>,
): string | undefined {
  const listed = listedDomains(uses, definition);
  return uses.arguments.find(({ name, domain, bound }) => {
    if (domain.type !== 'closed' || !Object.hasOwn(args, name)) return false;
    const now = listed.get(name);
    // What the gate writes into calls is not listed either.
    if (now === undefined) return bound.length === 0;
    return now.type === 'closed' && valueIn(now, readOwn(args, name)) === undefined;
  })?.name;
}
