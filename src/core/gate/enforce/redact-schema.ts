import { isMembers, type Members } from '../../wire/messages.js';
import { rewriteJson } from '../../wire/rewrite-json.js';

/** How the texts of a schema are redacted. */
export interface SchemaRedaction {
  /** Redacts a text that people and models read. The same text if it names nothing hidden. */
  readonly redact: (text: string) => string;
  /** Whether a text under a keyword stays, because it is none of these. */
  readonly isKept: (keyword: string | undefined) => boolean;
}

interface Redacted {
  readonly schema: unknown;
  /** Whether the schema took hidden values only: without them it would take every value. */
  readonly isEmptied: boolean;
}

/** Keywords with a schema, or with a list of them. */
const SCHEMAS: ReadonlySet<string> = new Set([
  ...['items', 'additionalItems', 'unevaluatedItems', 'prefixItems', 'contains', 'contentSchema'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf'],
]);
/** Keywords with schemas by name. What a client sends has these names. */
const SCHEMAS_BY_NAME: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'],
]);
const ALTERNATIVES: ReadonlySet<string> = new Set(['oneOf', 'anyOf']);
const LISTS_OF_VALUES: ReadonlySet<string> = new Set(['enum', 'examples']);
const VALUES: ReadonlySet<string> = new Set(['const', 'default']);
/** No real schema is deeper. A deeper part that names something hidden takes every value. */
const MAX_DEPTH = 64;

/**
 * Removes what a schema says of hidden names. A value that has one is removed, never rewritten: a part of it would be another
 * value. What is left is valid, and does not say more than before: an `enum` without values, and an alternative that took hidden
 * values only, are removed; a parameter that took hidden values only is removed if it need not be sent. Otherwise it stays, and
 * takes more: a call with a hidden value is refused anyway.
 *
 * @param schema a JSON Schema
 * @param redaction what redacts its texts
 * @example
 * redactSchema({ enum: ['secret', 'open'], default: 'secret' }, redaction); // { enum: ['open'] }
 */
export const redactSchema = (schema: unknown, redaction: SchemaRedaction): unknown =>
  redacted(schema, redaction, 0).schema;

function redacted(schema: unknown, redaction: SchemaRedaction, depth: number): Redacted {
  if (!isMembers(schema)) return { schema, isEmptied: false };
  if (depth > MAX_DEPTH) return { schema: isClean(schema, redaction) ? schema : {}, isEmptied: false };
  const left = new Map<string, unknown>();
  let isEmptied = false;
  for (const [keyword, value] of Object.entries(schema)) {
    const found = member(keyword, value, schema, redaction, depth);
    if (found.isLeft) left.set(keyword, found.value);
    isEmptied ||= found.isEmptied;
  }
  if (Array.isArray(schema.enum)) fitToEnum(schema.enum, left);
  // Without its condition, a consequence would always apply.
  if (schema.if !== undefined && !left.has('if')) for (const each of ['then', 'else']) left.delete(each);
  return { schema: Object.fromEntries(left), isEmptied };
}

interface Member {
  readonly isLeft: boolean;
  readonly value?: unknown;
  readonly isEmptied: boolean;
}

const kept = (value: unknown, isEmptied = false): Member => ({ isLeft: true, value, isEmptied });
const gone = (isEmptied = false): Member => ({ isLeft: false, isEmptied });

function member(
  keyword: string,
  value: unknown,
  schema: Members,
  redaction: SchemaRedaction,
  depth: number,
): Member {
  if (redaction.isKept(keyword)) return kept(value);
  if (LISTS_OF_VALUES.has(keyword) && Array.isArray(value)) {
    const left = value.filter((each) => isClean(each, redaction));
    if (left.length === value.length) return kept(value);
    return left.length > 0 ? kept(left) : gone(keyword === 'enum');
  }
  if (LISTS_OF_VALUES.has(keyword) || VALUES.has(keyword))
    return isClean(value, redaction) ? kept(value) : gone(keyword === 'const');
  if (SCHEMAS_BY_NAME.has(keyword) && isMembers(value))
    return byName(keyword, value, schema, redaction, depth);
  if (!SCHEMAS.has(keyword)) return kept(rewriteJson(value, textOf(redaction), keyword));
  if (Array.isArray(value)) return listed(keyword, value, redaction, depth);
  const inner = redacted(value, redaction, depth + 1);
  // `not: {}` refuses everything, and `if: {}` is always true.
  const isLeft = !inner.isEmptied || (keyword !== 'not' && keyword !== 'if');
  return isLeft ? kept(inner.schema) : gone();
}

function byName(
  keyword: string,
  value: Members,
  schema: Members,
  redaction: SchemaRedaction,
  depth: number,
): Member {
  const needed: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  let isEmptied = false;
  const left = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const inner = redacted(each, redaction, depth + 1);
    const isNeeded = keyword !== 'properties' || needed.includes(name);
    isEmptied ||= inner.isEmptied && keyword === 'properties' && isNeeded;
    return inner.isEmptied && !isNeeded ? [] : [[name, inner.schema]];
  });
  return kept(Object.fromEntries(left), isEmptied);
}

function listed(
  keyword: string,
  value: readonly unknown[],
  redaction: SchemaRedaction,
  depth: number,
): Member {
  const all = value.map((each) => redacted(each, redaction, depth + 1));
  const isSelection = ALTERNATIVES.has(keyword) || keyword === 'allOf';
  const left = isSelection ? all.filter((each) => !each.isEmptied) : all;
  const schemas = left.map(({ schema }) => schema);
  const isEmptied = keyword === 'allOf' ? left.length < all.length : isSelection && left.length === 0;
  return left.length > 0 || value.length === 0
    ? kept(schemas, isEmptied && value.length > 0)
    : gone(isEmptied);
}

/** A default must be one of the values that are left, and the names of values stand in their order. */
function fitToEnum(before: readonly unknown[], left: Map<string, unknown>): void {
  const values = membersIn(left.get('enum'));
  if (values.length === before.length) return;
  const texts = new Set(values.map((each) => JSON.stringify(each)));
  if (left.has('default') && !texts.has(JSON.stringify(left.get('default')))) left.delete('default');
  const names = left.get('enumNames');
  if (Array.isArray(names) && names.length === before.length)
    left.set(
      'enumNames',
      names.filter((_name, at) => texts.has(JSON.stringify(before[at]))),
    );
}

const membersIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const isClean = (value: unknown, { redact }: SchemaRedaction): boolean =>
  rewriteJson(value, { text: redact, key: redact }) === value;

const textOf = ({ redact, isKept }: SchemaRedaction) => ({
  text: (text: string, keyword: string | undefined) => (isKept(keyword) ? text : redact(text)),
});
