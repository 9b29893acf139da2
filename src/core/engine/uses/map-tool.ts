import type { Mapping } from '../mapping.js';
import { remainingOf, samplesOf } from './remaining.js';
import { mappingsOf, type PolicyArgument, type ToolUses } from './tool-uses.js';

/**
 * Returns the mapping of a tool with what the policy says about its arguments: a tool of which no call is left is hidden.
 *
 * @param uses what the policy says about them; `undefined` if it says nothing
 * @param mapping what the policy says about the tool
 */
export function withUses(uses: ToolUses | undefined, mapping: Mapping): Mapping {
  if (uses === undefined || uses.arguments.length === 0) return mapping;
  return {
    ...mapping,
    impossible: (configuration) => remainingOf(uses, configuration).gone,
    alternatives: () => uses.arguments.map((argument) => alternativesOf(uses, argument)),
  };
}

function alternativesOf(uses: ToolUses, argument: PolicyArgument): readonly (readonly Mapping[])[] {
  const { isRequired, byDefault } = argument;
  const sent = samplesOf(argument).map((value) => mappingsOf(uses, argument, value));
  if (isRequired) return sent;
  const absent = mappingsOf(uses, argument, undefined);
  return [...sent, byDefault === undefined ? absent : [...absent, ...mappingsOf(uses, argument, byDefault)]];
}
