import { didYouMean } from '../../engine/match/did-you-mean.js';
import { KINDS } from '../../engine/policy.js';
import { follow } from './data-parts.js';
import { SYNONYMS, TYPES } from './generated/findings.js';
import { nearestReplacement, type Problem, problem } from './problem.js';
import type { Path } from './read-yaml.js';
import { CLAIMED_VALUE, SERVER_VALUES } from './schema.js';
import { type SchemaError, stepsOf } from './schema-errors.js';
import { toQuotedYaml, toYamlFlow, toYamlScalar } from './yaml-scalars.js';

/** A schema, and what messages call a file that it describes. */
export interface Language {
  readonly schema: object;
  readonly name: `a ${string}`;
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
  const part = partOf(error, language);
  const known = Object.keys(follow(part, ['properties']) ?? {});
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(path, known, language);
    case 'required':
      return problem('missing-key.one', { key: String(params.missingProperty), name });
    case 'anyOf':
    case 'oneOf':
      return wrongChoice(follow(part, [keyword]), params.passingSchemas, name);
    case 'enum': {
      const choices = textsOf(params.allowedValues);
      const names = { value: quote(data), name, known: choices.join(', ') };
      return problem('unknown-choice', names, { scalar: String(data), known: choices });
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
      return problem('empty.mapping', { name, keys: known.join(', ') });
    case 'minimum':
    case 'maximum':
      return problem(`out-of-range.${keyword}`, { name, limit });
    case 'type':
      return wrongType(path, data, textsOf(params.type), follow(part, ['examples']), language);
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
const partOf = ({ schemaPath }: SchemaError, { schema }: Language): unknown =>
  follow(schema, stepsOf(schemaPath.slice(1)).slice(0, -1).map(decodeURIComponent));

/** A part needs exactly one of several keys, and has none or more than one. */
function wrongChoice(choices: unknown, passing: unknown, name: string): SchemaProblem {
  const all = [choices].flat().map((choice) => String(follow(choice, ['required', 0])));
  const keys = all.join(', ');
  if (!Array.isArray(passing)) return problem('missing-key.any', { keys, name });
  return { ...problem('duplicate.choice', { keys, name }), key: all[Number(passing[1])] ?? '' };
}

function unknownKey(path: Path, known: readonly string[], language: Language): Problem {
  const key = String(path.at(-1));
  const parent = path.slice(0, -1);
  const where = parent.length === 0 ? language.name : nameOf(parent, language);
  const kinds: readonly string[] = KINDS;
  const meant = new Map<string, string>(Object.entries(SYNONYMS)).get(key);
  const names = { key, where, known: known.join(', ') };
  if (meant !== undefined && known.includes(meant)) {
    const replacement = { scalar: key, yaml: toYamlScalar(meant) };
    return problem('unknown-key', { ...names, hint: ` Did you mean "${meant}"?` }, replacement);
  }
  const isKind = kinds.includes(key) && known.includes('primitives');
  const hint = isKind ? ' Put it under "primitives:".' : didYouMean(key, known);
  return problem('unknown-key', { ...names, hint }, nearestReplacement(key, known));
}

function nameOf(path: Path, language: Language): string {
  if (path.length === 0) return language.name.replace(/^a /, 'the ');
  const [list, last] = path.slice(-2);
  // Users count from one.
  return isIndex(last) ? `entry ${Number(last) + 1} of ${list}` : String(last ?? list);
}

const isIndex = (step: string | number | undefined): boolean => /^\d+$/.test(String(step));

/** Authors often forget the quotes: YAML does not read the unquoted words `1`, `true` and `~` as text. */
function wrongType(
  path: Path,
  data: unknown,
  types: readonly string[],
  examples: unknown,
  language: Language,
): Problem {
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
  const example = isEmpty ? '' : exampleOf(types, examples);
  return problem('wrong-type.type', { name, expected, example, empty });
}

/** An example of a list or a mapping. A scalar needs none, and a long one would hide the message. */
function exampleOf(types: readonly string[], examples: unknown): string {
  const fitting = [examples].flat().filter((each: unknown) => {
    const type = Array.isArray(each) ? 'array' : typeof each;
    return typeof each === 'object' && types.includes(type);
  });
  const [shortest = ''] = fitting.map(toYamlFlow).sort((a, b) => a.length - b.length);
  return shortest === '' || shortest.length > MAX_EXAMPLE ? '' : ` such as ${shortest}`;
}

const MAX_EXAMPLE = 80;
