import { didYouMean } from '../../engine/match/did-you-mean.js';
import { KINDS } from '../../engine/policy.js';
import { follow } from './data-parts.js';
import { SYNONYMS, TYPES } from './generated/findings.js';
import { nearestReplacement, type Problem, problem } from './problem.js';
import type { Path } from './read-yaml.js';
import { CLAIMED_VALUE, SERVER_VALUES } from './schema.js';
import { type SchemaError, stepsOf } from './schema-errors.js';
import { toQuotedYaml, toYamlFlow, toYamlScalar } from './yaml-scalars.js';

/** A schema and the names that messages use for its parts. */
export interface Language {
  readonly schema: object;
  /** Names a part that has no key of its own: the whole file or an entry of a list. Undefined for other parts. */
  nameOf(path: Path): string | undefined;
}

/** The problem of a schema error. */
interface SchemaProblem extends Problem {
  /** The key below the path that the finding is about; undefined if it is about the whole part. */
  readonly key?: string;
}

/**
 * Turns a schema error into a finding code and a message.
 *
 * @param error the schema error
 * @param path the path of the part that the error is about
 * @param data the data at that path
 * @param language the schema and the names of its parts
 * @returns the code, the message and, if the finding is about one key of the part, that key
 * @example
 * describeSchemaError(error, ['settings', 'unmapped'], 'hid', POLICY).message;
 * // '"hid" is not a valid value for unmapped (show, hide). Did you mean "hide"?'
 */
export function describeSchemaError(
  error: SchemaError,
  path: Path,
  data: unknown,
  language: Language,
): SchemaProblem {
  const name = nameOf(path, language);
  const { params, keyword } = error;
  const limit = String(params.limit);
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(error, path, language);
    case 'required':
      return problem('missing-key.one', { key: String(params.missingProperty), name });
    case 'anyOf':
    case 'oneOf':
      return wrongChoice(error, name, language);
    case 'enum': {
      const known = textsOf(params.allowedValues);
      const names = { value: quote(data), name, known: known.join(', ') };
      return problem('unknown-choice', names, { scalar: String(data), known });
    }
    case 'const': {
      const version = String(params.allowedValue);
      const text = data === version ? 'quoted' : 'other';
      return problem(`unknown-version.${text}`, { version }, { scalar: version, yaml: version });
    }
    case 'pattern': {
      if (params.pattern === SERVER_VALUES) return problem('wrong-type.values', { path: path.join('.') });
      const text = params.pattern === CLAIMED_VALUE ? 'claimed' : 'name';
      return problem(`bad-name.${text}`, { name: String(error.propertyName ?? data) });
    }
    case 'uniqueItems':
      return problem('duplicate.item', { name });
    case 'maxItems':
    case 'maxProperties':
      return problem(params.limit === 1 ? 'too-many.names' : 'too-many.entries', { name, limit });
    case 'minItems':
    case 'minLength':
      return problem('empty.part', { name });
    case 'minProperties':
      return problem('empty.mapping', { name, keys: knownKeys(error, language).join(', ') });
    case 'minimum':
    case 'maximum':
      return problem(`out-of-range.${keyword}`, { name, limit });
    case 'type':
      return wrongType(error, path, data, language);
    default:
      return problem('wrong-type.keyword', { path: path.join('.'), keyword });
  }
}

/** The strings of a list, or a single string as a list: ajv reports one type as a string and several as a list. */
function textsOf(value: unknown): readonly string[] {
  return [value].flat().map(String);
}

/** A scalar as the author could write it; a list or mapping by its type, because it can be long. */
function quote(data: unknown): string {
  if (typeof data !== 'object' || data === null) return JSON.stringify(data);
  return Array.isArray(data) ? 'A list' : 'A mapping';
}

/** The part of the schema that the error violates. */
function partOf({ schemaPath }: SchemaError, { schema }: Language): object {
  const path = stepsOf(schemaPath.slice(1)).slice(0, -1).map(decodeURIComponent);
  const part = follow(schema, path);
  return typeof part === 'object' && part !== null ? part : {};
}

function knownKeys(error: SchemaError, language: Language): string[] {
  const properties = follow(partOf(error, language), ['properties']);
  return Object.keys(properties ?? {});
}

/** A part needs exactly one of several keys, and has none or more than one. */
function wrongChoice(error: SchemaError, name: string, language: Language): SchemaProblem {
  const choices = follow(partOf(error, language), [error.keyword]);
  const all = (Array.isArray(choices) ? choices : []).map((choice) =>
    String(follow(choice, ['required', 0])),
  );
  const keys = all.join(', ');
  const passing = error.params.passingSchemas;
  if (!Array.isArray(passing)) return problem('missing-key.any', { keys, name });
  return { ...problem('duplicate.choice', { keys, name }), key: all[Number(passing[1])] ?? '' };
}

function unknownKey(error: SchemaError, path: Path, language: Language): Problem {
  const key = String(path.at(-1));
  const known = knownKeys(error, language);
  const parent = path.slice(0, -1);
  const where = language.nameOf(parent) ?? nameOf(parent, language);
  const kinds: readonly string[] = KINDS;
  const meant = new Map<string, string>(Object.entries(SYNONYMS)).get(key);
  const synonym = meant !== undefined && known.includes(meant);
  const hint =
    kinds.includes(key) && known.includes('primitives')
      ? ` Put it under "primitives:".`
      : synonym
        ? ` Did you mean "${meant}"?`
        : didYouMean(key, known);
  const replacement = synonym ? { scalar: key, yaml: toYamlScalar(meant) } : nearestReplacement(key, known);
  return problem('unknown-key', { key, where, known: known.join(', '), hint }, replacement);
}

function nameOf(path: Path, language: Language): string {
  const own = language.nameOf(path);
  if (own !== undefined) return own.replace(/^a /, 'the ');
  const [list, last] = path.slice(-2);
  // Users count from one.
  return isIndex(last) ? `entry ${Number(last) + 1} of ${list}` : String(last ?? list);
}

const isIndex = (step: string | number | undefined): boolean => /^\d+$/.test(String(step));

/** Authors often forget the quotes: YAML does not read the unquoted words `1`, `true` and `~` as text. */
function wrongType(error: SchemaError, path: Path, data: unknown, language: Language): Problem {
  const types = textsOf(error.params.type);
  const scalar = data === null || typeof data === 'number' || typeof data === 'boolean';
  if (scalar && types.includes('string')) {
    const found = data === null ? 'This value is null' : `${data} is a ${typeof data}`;
    const text = String(data ?? '~');
    return problem('unquoted.text', { found, text }, { scalar: String(data), yaml: toQuotedYaml(text) });
  }
  const own = path.slice(path.findLastIndex(isIndex) + 1);
  const name = own.length === 0 ? nameOf(path, language) : own.join('.');
  const names = new Map<string, string>(Object.entries(TYPES));
  const expected = types.map((type) => names.get(type) ?? `a ${type}`).join(' or ');
  const isEmpty = data === null && types.includes('object');
  const empty = isEmpty ? ' Write {} for an empty mapping.' : '';
  const example = isEmpty ? '' : exampleOf(error, types, language);
  return problem('wrong-type.type', { name, expected, example, empty });
}

/** An example of a list or a mapping. A scalar needs none, and a long one would hide the message. */
function exampleOf(error: SchemaError, types: readonly string[], language: Language): string {
  const examples = follow(partOf(error, language), ['examples']);
  const fitting = (Array.isArray(examples) ? examples : []).filter(
    (each) => typeof each === 'object' && types.includes(Array.isArray(each) ? 'array' : 'object'),
  );
  const [shortest] = fitting.map(toYamlFlow).sort((a, b) => a.length - b.length);
  return shortest === undefined || shortest.length > MAX_EXAMPLE ? '' : ` such as ${shortest}`;
}

const MAX_EXAMPLE = 80;
