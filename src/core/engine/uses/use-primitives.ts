import {
  identityOf,
  type ListedPrimitive,
  type Mapping,
  type Primitive,
  primitivesIn,
  type ServerCatalog,
} from '../mapping.js';
import type { Policy } from '../policy.js';
import { boundValues } from './bound-values.js';
import { isWildcard, mappingsOf, type PolicyArgument, type ToolUses, usesOf } from './tool-uses.js';
import { type Scalar, useName } from './use-name.js';

/** A use as a primitive, for commands that explain, compare and test: it has the name of the use. */
interface Use {
  readonly of: Primitive;
  readonly argument: string;
  readonly value: Scalar | undefined | typeof OTHER_VALUE;
}

/** Any value that nothing names, of an argument that is bound. */
const OTHER_VALUE = Symbol('other value');

const useOf = new WeakMap<Primitive, Use>();

/**
 * Returns the uses of a tool that a policy tells apart, as primitives with names of their own.
 *
 * @param policy the policy
 * @param tool the tool as the server lists it
 * @example
 * usePrimitives(policy, tool).map(({ name }) => name); // ['projects(action=list)', 'projects(action=delete)']
 */
export function usePrimitives(policy: Policy, tool: Primitive): readonly Primitive[] {
  const uses = usesOf(policy, tool);
  return (uses?.arguments ?? []).flatMap((argument) =>
    [...new Set(valuesOf(argument))].map((value) => {
      const name = identityOf('tools', tool);
      const use = value === OTHER_VALUE ? `${name}(${argument.name})` : useName(name, argument.name, value);
      const primitive: Primitive = { ...tool, name: use };
      useOf.set(primitive, { of: tool, argument: argument.name, value });
      return primitive;
    }),
  );
}

/** The values that have names: all of a closed argument, those of the policy of an open one, and none. */
function valuesOf({
  domain,
  valued,
  isRequired,
  isUndecidable,
  bound,
}: PolicyArgument): readonly Use['value'][] {
  const absent = isRequired ? [] : [undefined];
  if (bound.length > 0) return [OTHER_VALUE];
  if (isUndecidable || domain.type === 'other') return absent;
  if (domain.type === 'closed') return [...domain.values, ...absent];
  const named = valued.filter((each) => !isWildcard(each) && each.value !== '*' && each.value !== '');
  const texts = named.map(({ value }) => value);
  if (domain.type === 'text') return [...texts, ...absent];
  return [...texts.filter((each) => String(Number(each)) === each).map(Number), ...absent];
}

/** Returns all primitives of a catalog, and after each tool the uses that the policy tells apart. */
export const listedIn = (policy: Policy, catalog: ServerCatalog): readonly ListedPrimitive[] =>
  primitivesIn(catalog).flatMap((each) => {
    if (each.kind !== 'tools') return [each];
    const uses = usePrimitives(policy, each.primitive);
    return [
      each,
      ...uses.map((primitive) => ({ kind: each.kind, name: identityOf('tools', primitive), primitive })),
    ];
  });

/** Returns whether a primitive is a use of a tool. */
export const isUse = (primitive: Primitive): boolean => useOf.has(primitive);

/**
 * Returns the mapping of a use, within that of its tool.
 *
 * @param mapTool maps the tool
 * @returns `undefined` if the primitive is not a use
 */
export function mapUse(
  policy: Policy,
  primitive: Primitive,
  mapTool: (tool: Primitive) => Mapping,
): Mapping | undefined {
  const use = useOf.get(primitive);
  if (use === undefined) return undefined;
  const tool = mapTool(use.of);
  const uses = usesOf(policy, use.of);
  const argument = uses?.arguments.find(({ name }) => name === use.argument);
  return uses === undefined || argument === undefined ? tool : withinTool(uses, argument, use.value, tool);
}

function withinTool(uses: ToolUses, argument: PolicyArgument, value: Use['value'], tool: Mapping): Mapping {
  const sent = value === OTHER_VALUE ? null : value;
  const [own, any] = mappingsOf(uses, argument, sent);
  const mapping = { ...own, tool: any === undefined ? tool : { ...any, tool } };
  if (argument.bound.length === 0) return mapping;
  // Only the values that `bind` gives pass, and leaving the argument out stands for the only one.
  return {
    ...mapping,
    impossible: (configuration) => {
      const bound = boundValues(argument, configuration) ?? [];
      const isLeft = value === undefined ? bound.length === 1 : bound.some((each) => each === value);
      return isLeft ? undefined : argument.name;
    },
  };
}
