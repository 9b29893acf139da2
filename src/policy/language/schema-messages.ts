import { didYouMean } from '../../engine/match/did-you-mean.js';
import { KINDS } from '../../engine/policy.js';
import { follow } from './data-parts.js';
import { nearestReplacement, type Replacement } from './edits/fixes.js';
import type { FindingCode } from './finding-codes.js';
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

/** A finding without its place. */
export interface SchemaMessage {
  readonly code: FindingCode;
  readonly message: string;
  /** The key below the path that the finding is about; undefined if it is about the whole part. */
  readonly key?: string;
  readonly replacement?: Replacement | undefined;
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
): SchemaMessage {
  const name = nameOf(path, language);
  const { params, keyword } = error;
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(error, path, language);
    case 'required':
      return { code: 'missing-key', message: `The key "${params.missingProperty}" is required in ${name}.` };
    case 'anyOf':
    case 'oneOf':
      return wrongChoice(error, name, language);
    case 'enum': {
      const allowed = textsOf(params.allowedValues);
      const message = `${quote(data)} is not a valid value for ${name} (${allowed.join(', ')}).${didYouMean(String(data), allowed)}`;
      return { code: 'unknown-choice', message, replacement: nearestReplacement(String(data), allowed) };
    }
    case 'const':
      return {
        code: 'unknown-version',
        message:
          data === String(params.allowedValue)
            ? `version must be the number ${data}. Remove the quotes.`
            : 'version must be 1, the only version of the policy language.',
        replacement: { scalar: String(params.allowedValue), yaml: String(params.allowedValue) },
      };
    case 'pattern': {
      if (params.pattern === SERVER_VALUES) {
        const message = `${path.join('.')} must be a list or a mapping such as [low, medium, high], or servers.`;
        return { code: 'wrong-type', message };
      }
      const rule =
        params.pattern === CLAIMED_VALUE
          ? 'for a value. Use 1 to 256 characters, without control characters'
          : 'here. Use lowercase letters, digits, "_" and "-", starting with a letter, at most 64 characters';
      const written = error.propertyName ?? data;
      return { code: 'bad-name', message: `"${written}" is not a valid name ${rule}.` };
    }
    case 'uniqueItems':
      return { code: 'duplicate', message: `${name} contains the same value twice. Remove one.` };
    case 'maxItems':
    case 'maxProperties': {
      const message =
        params.limit === 1
          ? `${name} names more than one value. Begin each value with "-" on its own line.`
          : `${name} has more than ${params.limit} entries. Remove some.`;
      return { code: 'too-many', message };
    }
    case 'minItems':
    case 'minLength':
      return { code: 'empty', message: `${name} must not be empty.` };
    case 'minProperties': {
      const message = `${name} must not be empty. Add one of the keys ${knownKeys(error, language).join(', ')}.`;
      return { code: 'empty', message };
    }
    case 'minimum':
      return { code: 'out-of-range', message: `${name} must be at least ${params.limit}.` };
    case 'maximum':
      return { code: 'out-of-range', message: `${name} must be at most ${params.limit}.` };
    case 'type':
      return wrongType(error, path, data, language);
    default:
      return { code: 'wrong-type', message: `${path.join('.')} is not allowed here (${keyword}).` };
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
function wrongChoice(error: SchemaError, name: string, language: Language): SchemaMessage {
  const choices = follow(partOf(error, language), [error.keyword]);
  const keys = (Array.isArray(choices) ? choices : []).map((choice) =>
    String(follow(choice, ['required', 0])),
  );
  const all = keys.join(', ');
  const passing = error.params.passingSchemas;
  if (!Array.isArray(passing)) {
    return { code: 'missing-key', message: `One of the keys ${all} is required in ${name}.` };
  }
  return {
    code: 'duplicate',
    message: `Only one of the keys ${all} is allowed in ${name}. Remove the others.`,
    key: keys[Number(passing[1])] ?? '',
  };
}

function unknownKey(error: SchemaError, path: Path, language: Language): SchemaMessage {
  const key = String(path.at(-1));
  const known = knownKeys(error, language);
  const parent = path.slice(0, -1);
  const where = language.nameOf(parent) ?? nameOf(parent, language);
  const kinds: readonly string[] = KINDS;
  const meant = SYNONYMS.get(key);
  const synonym = meant !== undefined && known.includes(meant);
  const hint =
    kinds.includes(key) && known.includes('primitives')
      ? ` Put it under "primitives:".`
      : synonym
        ? ` Did you mean "${meant}"?`
        : didYouMean(key, known);
  return {
    code: 'unknown-key',
    message: `"${key}" is not a valid key of ${where} (${known.join(', ')}).${hint}`,
    replacement: synonym ? { scalar: key, yaml: toYamlScalar(meant) } : nearestReplacement(key, known),
  };
}

/** Keys of other languages that authors write, and the keys that they mean here. */
const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['if', 'when'],
  ['condition', 'when'],
  ['deny', 'hide'],
  ['block', 'hide'],
  ['allow', 'show'],
  ['name', 'id'],
]);

function nameOf(path: Path, language: Language): string {
  const own = language.nameOf(path);
  if (own !== undefined) return own.replace(/^a /, 'the ');
  const [list, last] = path.slice(-2);
  // Users count from one.
  return isIndex(last) ? `entry ${Number(last) + 1} of ${list}` : String(last ?? list);
}

const isIndex = (step: string | number | undefined): boolean => /^\d+$/.test(String(step));

const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  null: 'null',
};

/** Authors often forget the quotes: YAML does not read the unquoted words `1`, `true` and `~` as text. */
function wrongType(error: SchemaError, path: Path, data: unknown, language: Language): SchemaMessage {
  const types = textsOf(error.params.type);
  const scalar = data === null || typeof data === 'number' || typeof data === 'boolean';
  if (scalar && types.includes('string')) {
    const found = data === null ? 'This value is null' : `${data} is a ${typeof data}`;
    return {
      code: 'unquoted',
      message: `${found} in YAML, but text is expected here. Write it in quotes: "${data ?? '~'}".`,
      replacement: { scalar: String(data), yaml: toQuotedYaml(String(data ?? '~')) },
    };
  }
  const own = path.slice(path.findLastIndex(isIndex) + 1);
  const name = own.length === 0 ? nameOf(path, language) : own.join('.');
  const expected = types.map((type) => TYPES[type] ?? `a ${type}`).join(' or ');
  const isEmpty = data === null && types.includes('object');
  const empty = isEmpty ? ' Write {} for an empty mapping.' : '';
  const shape = isEmpty ? '' : exampleOf(error, types, language);
  return { code: 'wrong-type', message: `${name} must be ${expected}${shape}.${empty}` };
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
