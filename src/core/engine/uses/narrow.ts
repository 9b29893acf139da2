import { numberOf } from '../../exact-json.js';
import { isObject, membersOf, readOwn } from '../expression/evaluate.js';
import type { Primitive } from '../mapping.js';
import { HARMLESS_HINTS } from '../present.js';
import { argumentsOf, atPointer, type Bounds, type Domain } from './domain.js';
import type { LeftValues } from './left.js';
import { isUntouched, type Remaining, type ToolRemaining } from './remaining.js';
import type { ToolUses } from './tool-uses.js';
import { type Scalar, useName } from './use-name.js';

/**
 * Writes what is left of a tool into its definition. What is not narrowed stays as it is.
 *
 * @param uses what the policy says about the arguments of the tool
 * @param left what the configuration leaves
 * @param definition the definition as hosts get it: names of hidden primitives may be missing from it
 * @param isEnforced whether calls are checked. Without that, hints of what is left would not be true.
 * @returns the same definition if nothing is taken away
 * @example
 * narrowTool(uses, remainingOf(uses, configuration), tool, true).inputSchema;
 */
export function narrowTool<T extends Primitive>(
  uses: ToolUses,
  left: ToolRemaining,
  definition: T,
  isEnforced: boolean,
): T {
  if (left.isSame) return definition;
  const { required: needed, properties: before, ...rest } = membersOf(definition.inputSchema);
  const changed = left.parts.filter((part) => !isUntouched(part));
  const names = new Set(changed.map(({ argument }) => argument.name));
  const budget = { refs: MAX_REFS };
  const inlined = (part: unknown) => withoutRefs(part, names, definition.inputSchema, budget);
  const properties = new Map(Object.entries(membersOf(inlined(before))));
  const required = new Set<unknown>(Array.isArray(needed) ? needed : []);
  const domains = new Map(argumentsOf(definition).map(({ name, domain }) => [name, domain]));
  for (const part of changed) {
    const { name } = part.argument;
    const values = withoutRemoved(part, domains.get(name));
    if (values.type === 'none' || part.fill !== undefined) {
      properties.delete(name);
      required.delete(name);
      continue;
    }
    if (!part.canBeAbsent) required.add(name);
    const written = readOwn(before, name);
    if (written !== undefined) properties.set(name, narrowed(written, { ...part, values }));
  }
  const inputSchema = {
    ...membersOf(inlined(rest)),
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
    additionalProperties: false,
  };
  const hints = isEnforced ? hintsOf(uses, left) : {};
  const annotations = { ...membersOf(definition.annotations), ...hints };
  return { ...definition, inputSchema, ...(Object.keys(hints).length === 0 ? {} : { annotations }) };
}

/** A value that names a hidden primitive was removed from the definition already, and must not come back. */
function withoutRemoved({ values, argument }: Remaining, there: Domain | undefined): LeftValues {
  const { domain } = argument;
  if (values.type !== 'values' || domain.type !== 'closed' || there?.type !== 'closed') return values;
  const kept = values.values.filter((each) => there.values.includes(each));
  return kept.length === 0
    ? { type: argument.isRequired ? 'all' : 'none' }
    : { type: 'values', values: kept };
}

function narrowed(written: unknown, { values, argument, canBeAbsent }: Remaining): object {
  const { default: byDefault, examples, enumNames, ...property } = membersOf(written);
  const isLeft = (value: unknown): boolean =>
    values.type !== 'values' || (values.values as readonly unknown[]).includes(numberOf(value));
  const named = Array.isArray(property.enum) ? property.enum : [];
  const kept = {
    ...(byDefault !== undefined && canBeAbsent && isLeft(byDefault) ? { default: byDefault } : {}),
    ...(Array.isArray(examples) && examples.some(isLeft) ? { examples: examples.filter(isLeft) } : {}),
    ...(Array.isArray(enumNames) && enumNames.length === named.length
      ? { enumNames: enumNames.filter((_name, at) => isLeft(named[at])) }
      : {}),
  };
  if (values.type === 'all' || values.type === 'none') return { ...property, ...kept };
  const { anyOf: _any, oneOf: _one, $ref: _ref, enum: _enum, const: _const, ...plain } = property;
  const isInteger = argument.domain.type === 'number' && argument.domain.isInteger;
  switch (values.type) {
    case 'values':
      return { ...plain, ...valuesIn(values.values, named, isInteger), ...kept };
    case 'texts':
      return { ...plain, type: orNull('string', values.orNull), pattern: values.pattern, ...kept };
    case 'range':
      return {
        ...rangeIn(plain, values),
        type: orNull(isInteger ? 'integer' : 'number', values.orNull),
        ...kept,
      };
  }
}

/** In the words of the server where it has words: a number keeps its digits. */
function valuesIn(values: readonly Scalar[], named: readonly unknown[], isInteger: boolean): object {
  const own = named.filter((each) => (values as readonly unknown[]).includes(numberOf(each)));
  const types = new Set(values.map((each) => typeOf(each, isInteger)));
  return { type: types.size === 1 ? [...types][0] : [...types], enum: own.length === 0 ? values : own };
}

function typeOf(value: Scalar, isInteger: boolean): string {
  if (value === null) return 'null';
  return typeof value === 'number' && isInteger ? 'integer' : typeof value;
}

const orNull = (type: string, isNullable: boolean): string | readonly string[] =>
  isNullable ? [type, 'null'] : type;

function rangeIn(property: object, { min, max, isMinOut, isMaxOut }: Bounds): object {
  const {
    minimum: _minimum,
    maximum: _maximum,
    exclusiveMinimum: _above,
    exclusiveMaximum: _below,
    ...plain
  }: Record<string, unknown> = { ...property };
  return {
    ...plain,
    ...(min === -Infinity ? {} : { [isMinOut ? 'exclusiveMinimum' : 'minimum']: min }),
    ...(max === Infinity ? {} : { [isMaxOut ? 'exclusiveMaximum' : 'maximum']: max }),
  };
}

const PROPERTIES = '#/properties/';
/** How many references of a definition are followed: parts that refer to themselves, ten times each, would never end. */
const MAX_REFS = 64;

/** Other parts may refer to a property that changes: they get what it was. */
function withoutRefs(
  value: unknown,
  names: ReadonlySet<string>,
  root: unknown,
  budget: { refs: number },
): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutRefs(each, names, root, budget));
  if (!isObject(value)) return value;
  const ref = readOwn(value, '$ref');
  if (typeof ref === 'string' && ref.startsWith(PROPERTIES)) {
    const [name = ''] = ref.slice(PROPERTIES.length).split('/');
    if (names.has(name.replaceAll('~1', '/').replaceAll('~0', '~')))
      return budget.refs-- > 0 ? withoutRefs(atPointer(root, ref), names, root, budget) : {};
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutRefs(each, names, root, budget)]),
  );
}

/** The hints that hold for every use that is left of an argument, if the policy says so of each. */
function hintsOf({ policy, tool }: ToolUses, { parts }: ToolRemaining): Readonly<Record<string, boolean>> {
  const hints: Record<string, boolean> = {};
  for (const { argument, values, canBeAbsent, fill } of parts) {
    if (fill !== undefined || argument.domain.type !== 'closed' || values.type !== 'values') continue;
    const left = [...values.values, ...(canBeAbsent ? [undefined] : [])];
    for (const [hint, harmless] of HARMLESS_HINTS) {
      const isPresented = (value: Scalar | undefined): boolean =>
        policy.presentedUses.get(useName(tool, argument.name, value))?.[hint] === harmless;
      if (left.every(isPresented)) hints[hint] = harmless;
    }
  }
  return hints;
}
