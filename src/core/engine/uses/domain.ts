import { changedText, numberOf } from '../../exact-json.js';
import { isObject, readOwn } from '../expression/evaluate.js';
import type { Primitive } from '../mapping.js';
import type { Scalar } from './use-name.js';

/** The values that an argument can have by the schema of its tool. */
export type Domain =
  /** Every value is named: `enum`, `const`, alternatives of them, boolean. */
  | { readonly type: 'closed'; readonly values: readonly Scalar[] }
  | { readonly type: 'text'; readonly isNullable: boolean }
  | NumberDomain
  /** An object, a list, several types, or anything else of which not every value can be decided. */
  | { readonly type: 'other' };

export interface NumberDomain extends Bounds {
  readonly type: 'number';
  readonly isInteger: boolean;
  readonly isNullable: boolean;
}

/** Numbers between two bounds. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Whether the bound itself is left out. */
  readonly isMinOut: boolean;
  readonly isMaxOut: boolean;
}

/** An argument that a tool declares. */
export interface DeclaredArgument {
  readonly name: string;
  readonly domain: Domain;
  readonly isRequired: boolean;
  /** What a call means that leaves it out, if the schema says so. */
  readonly byDefault: Scalar | undefined;
}

const OTHER: Domain = { type: 'other' };

/**
 * Reads the arguments at the top level of the schema of a tool.
 *
 * @param tool a tool as the server lists it
 * @param isWanted which arguments are read: most policies are about few of them
 * @example
 * argumentsOf({ inputSchema: { properties: { action: { enum: ['list'] } } } })[0]?.domain.type; // 'closed'
 */
export function argumentsOf(
  { inputSchema }: Primitive,
  isWanted: (name: string) => boolean = () => true,
): readonly DeclaredArgument[] {
  const properties = readOwn(inputSchema, 'properties');
  if (!isObject(properties)) return [];
  const required = readOwn(inputSchema, 'required');
  const wanted = Object.entries(properties).filter(([name]) => isWanted(name));
  return wanted.map(([name, written]) => {
    const schema = followRef(inputSchema, written);
    const byDefault = readOwn(written, 'default') ?? readOwn(schema, 'default');
    return {
      name,
      domain: domainOf(inputSchema, schema),
      isRequired: Array.isArray(required) && required.includes(name),
      // `null` as a default is how Python writes "left out".
      byDefault: isScalar(byDefault) && byDefault !== null ? byDefault : undefined,
    };
  });
}

/** @returns the names of the arguments at the top level of the schema of a tool */
export function argumentNames({ inputSchema }: Primitive): readonly string[] {
  const properties = readOwn(inputSchema, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

/** Follows one reference into the same schema. What stands beside it may say more about values, so it must not. */
function followRef(root: unknown, schema: unknown): unknown {
  const ref = readOwn(schema, '$ref');
  if (!isObject(schema) || typeof ref !== 'string') return schema;
  const isAlone = Object.keys(schema).every((key) => key === '$ref' || isSilent(key));
  return isAlone ? atPointer(root, ref) : undefined;
}

/** @returns what a local reference refers to; `undefined` if there is no such part */
export function atPointer(root: unknown, ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => readOwn(at, key.replaceAll('~1', '/').replaceAll('~0', '~')), root);
}

/** Keywords that say nothing about which values are valid. */
const SILENT: ReadonlySet<string> = new Set([
  ...['type', 'title', 'description', 'default', 'examples', 'deprecated', '$comment', 'enumNames'],
  ...['readOnly', 'writeOnly'],
]);
const isSilent = (key: string): boolean => SILENT.has(key) || key.startsWith('x-');
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const isBound = (key: string): boolean => (BOUNDS as readonly string[]).includes(key);

/** Alternatives of alternatives are not decided: a reference could lead back to them, and never end. */
function domainOf(root: unknown, schema: unknown, isAlternative = false): Domain {
  if (!isObject(schema)) return OTHER;
  const keys = Object.keys(schema).filter((key) => !isSilent(key));
  const [key, ...others] = keys;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (others.length === 0) {
    if (key === 'const') return closed([schema.const], types);
    if (key === 'enum' && Array.isArray(schema.enum)) return closed(schema.enum, types);
    const parts = key === 'anyOf' || key === 'oneOf' ? schema[key] : undefined;
    if (Array.isArray(parts) && types.length === 0 && !isAlternative)
      return joined(parts.map((each) => domainOf(root, followRef(root, each), true)));
  }
  const isNullable = types.includes('null');
  const [type, ...more] = types.filter((each) => each !== 'null');
  if (more.length > 0) return OTHER;
  if (type === undefined) return isNullable && keys.length === 0 ? closed([null], types) : OTHER;
  if (type === 'boolean' && keys.length === 0)
    return closed(isNullable ? [true, false, null] : [true, false], types);
  // `format` is an annotation. Any other keyword leaves out texts, and which ones is not decided here.
  if (type === 'string' && keys.every((each) => each === 'format')) return { type: 'text', isNullable };
  if ((type === 'number' || type === 'integer') && keys.every(isBound))
    return numbers(schema, type === 'integer', isNullable);
  return OTHER;
}

/** Two numbers that JavaScript cannot tell apart would be one value, so such a list is not decided. */
function closed(written: readonly unknown[], types: readonly unknown[]): Domain {
  if (written.some((each) => changedText(each) !== undefined)) return OTHER;
  const values = written.map(numberOf);
  if (!values.every(isScalar)) return OTHER;
  const fits = (value: Scalar): boolean =>
    types.length === 0 ||
    types.includes(value === null ? 'null' : typeof value) ||
    (types.includes('integer') && Number.isInteger(value));
  return { type: 'closed', values: [...new Set(values.filter(fits))] };
}

/** Alternatives: named values, and `null` beside texts or numbers. */
function joined(parts: readonly Domain[]): Domain {
  const named = parts.flatMap((part) => (part.type === 'closed' ? part.values : []));
  const open = parts.filter((part) => part.type !== 'closed');
  const [only] = open;
  if (only === undefined) return { type: 'closed', values: [...new Set(named)] };
  if (open.length > 1 || only.type === 'other' || named.some((each) => each !== null)) return OTHER;
  return { ...only, isNullable: only.isNullable || named.length > 0 };
}

function numbers(schema: Record<string, unknown>, isInteger: boolean, isNullable: boolean): Domain {
  if (BOUNDS.some((key) => changedText(schema[key]) !== undefined)) return OTHER;
  const bound = (key: (typeof BOUNDS)[number]): number | undefined => {
    const value = readOwn(schema, key);
    return typeof value === 'number' ? value : undefined;
  };
  const [least = -Infinity, most = Infinity, above = -Infinity, below = Infinity] = BOUNDS.map(bound);
  const bounds = {
    min: Math.max(least, above),
    max: Math.min(most, below),
    isMinOut: above >= least && above !== -Infinity,
    isMaxOut: below <= most && below !== Infinity,
  };
  return {
    type: 'number',
    isInteger,
    isNullable,
    ...(isInteger ? inIntegers(bounds) : bounds),
  };
}

/** @returns the same bounds of integers, both within */
export const inIntegers = ({ min, max, isMinOut, isMaxOut }: Bounds): Bounds => ({
  min: isMinOut ? Math.floor(min) + 1 : Math.ceil(min),
  max: isMaxOut ? Math.ceil(max) - 1 : Math.floor(max),
  isMinOut: false,
  isMaxOut: false,
});

/**
 * Returns the value that a call sends, if it is one of the domain. Nothing is converted. Two numbers that JavaScript cannot
 * tell apart are refused: an integer above 2^53 - 1, or digits that it does not keep.
 *
 * @returns `undefined` if the value is not one of the domain
 */
export function valueIn(domain: Domain, sent: unknown): { readonly value: Scalar } | undefined {
  if (changedText(sent) !== undefined) return undefined;
  const value = numberOf(sent);
  return isScalar(value) && isIn(domain, value) ? { value } : undefined;
}

/** Returns whether a value is one of the domain. */
export function isIn(domain: Domain, value: Scalar): boolean {
  switch (domain.type) {
    case 'closed':
      return domain.values.includes(value);
    case 'text':
      return value === null ? domain.isNullable : typeof value === 'string';
    case 'number':
      if (value === null) return domain.isNullable;
      return typeof value === 'number' && isNumberIn(domain, value);
    case 'other':
      return false;
  }
}

function isNumberIn({ min, max, isMinOut, isMaxOut, isInteger }: NumberDomain, value: number): boolean {
  const isWhole = Number.isInteger(value);
  if (!Number.isFinite(value) || (isWhole ? !Number.isSafeInteger(value) : isInteger)) return false;
  return (isMinOut ? value > min : value >= min) && (isMaxOut ? value < max : value <= max);
}
