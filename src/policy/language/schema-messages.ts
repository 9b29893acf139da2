import { nearest } from '../../engine/match/nearest.js';
import type { FindingCode } from './findings.js';
import type { Path } from './read-yaml.js';
import { follow, type Misfit, stepsOf } from './schema-errors.js';

/** A schema, and what its parts are called. */
export interface Language {
  readonly schema: object;
  /** What somebody calls the part at a path, for what only the whole and the entries of lists have no key. */
  nameOf(path: Path): string | undefined;
}

/** A finding without its place. */
export interface Words {
  readonly code: FindingCode;
  readonly message: string;
  /** The key at the path that is meant, where it is not the part as a whole. */
  readonly key?: string;
}

/**
 * Says what does not fit a schema, and what to do about it.
 *
 * @param misfit what does not fit
 * @param path where
 * @param data what is there
 * @param language the schema
 * @returns the code and one sentence
 * @example
 * describeMisfit(misfit, ['settings', 'unmapped'], 'hid', POLICY).message; // 'unmapped must be one of show, hide; did ...'
 */
export function describeMisfit(misfit: Misfit, path: Path, data: unknown, language: Language): Words {
  const name = nameOf(path, language);
  const { params, keyword, propertyName } = misfit;
  switch (keyword) {
    case 'additionalProperties':
      return unknownKey(misfit, path, language);
    case 'required':
      return { code: 'missing-key', message: `${name} needs the key "${params.missingProperty}".` };
    case 'anyOf':
    case 'oneOf':
      return wrongChoice(misfit, name, language);
    case 'enum': {
      const allowed = params.allowedValues as readonly string[];
      return {
        code: 'unknown-choice',
        message: `${name} must be one of ${allowed.join(', ')}${hint(String(data), allowed)}`,
      };
    }
    case 'const':
      return {
        code: 'unknown-version',
        message: 'version must be 1, the only version of the language there is.',
      };
    case 'pattern':
      return propertyName === undefined
        ? {
            code: 'bad-name',
            message: `"${data}" is no name of a value; use letters, digits, "_", "." and "-", beginning with a letter or digit, at most 64 characters.`,
          }
        : {
            code: 'bad-name',
            message: `"${name}" is no name here; use lower-case letters, digits, "_" and "-", beginning with a letter, at most 64 characters.`,
          };
    case 'uniqueItems':
      return { code: 'duplicate', message: `${name} holds a value twice; keep one.` };
    case 'maxItems':
    case 'maxProperties':
      return {
        code: 'too-many',
        message: `${name} holds more than the ${params.limit} allowed; take some out.`,
      };
    case 'minItems':
    case 'minLength':
      return { code: 'empty', message: `${name} must not be empty.` };
    case 'minProperties':
      return { code: 'empty', message: `${name} must not be empty; add one of ${keysOf(misfit, language)}.` };
    case 'minimum':
    case 'maximum':
      return { code: 'out-of-range', message: `${name} must be ${params.comparison} ${params.limit}.` };
    case 'type':
      return wrongType(path, data, [params.type as string | readonly string[]].flat(), language);
    default:
      return { code: 'wrong-type', message: `${path.join('.')} is not allowed here (${keyword}).` };
  }
}

/** The part of a schema that something does not fit. */
function partOf({ schemaPath }: Misfit, { schema }: Language): Readonly<Record<string, unknown>> {
  const path = stepsOf(schemaPath.slice(1)).slice(0, -1).map(decodeURIComponent);
  return (follow(schema, path) ?? {}) as Readonly<Record<string, unknown>>;
}

function knownKeys(misfit: Misfit, language: Language): string[] {
  return Object.keys((partOf(misfit, language).properties as object | undefined) ?? {});
}

const keysOf = (misfit: Misfit, language: Language): string => knownKeys(misfit, language).join(', ');

/** A part needs one of some keys, and has none, or several. */
function wrongChoice(misfit: Misfit, name: string, language: Language): Words {
  const choices = partOf(misfit, language)[misfit.keyword] as readonly { readonly required: [string] }[];
  const keys = choices.map(({ required: [key] }) => key);
  const [, second] = (misfit.params.passingSchemas as readonly [number, number] | null | undefined) ?? [];
  const all = keys.join(', ');
  return second === undefined
    ? { code: 'missing-key', message: `${name} needs one of the keys ${all}.` }
    : {
        code: 'duplicate',
        message: `${name} has several of the keys ${all}; keep one.`,
        key: keys[second] ?? '',
      };
}

function unknownKey(misfit: Misfit, path: Path, language: Language): Words {
  const key = String(path.at(-1));
  const known = knownKeys(misfit, language);
  const parent = path.slice(0, -1);
  const where = language.nameOf(parent) ?? nameOf(parent, language);
  return {
    code: 'unknown-key',
    message: `"${key}" is no key of ${where} (${known.join(', ')})${hint(key, known)}`,
  };
}

function nameOf(path: Path, language: Language): string {
  const own = language.nameOf(path);
  if (own !== undefined) return own.replace(/^a /, 'the ');
  const [list, last] = path.slice(-2);
  // A place in a list says nothing to who counts from one.
  return isIndex(last) ? `entry ${Number(last) + 1} of ${list}` : String(last ?? list);
}

const isIndex = (step: string | number | undefined): boolean => /^\d+$/.test(String(step));

function hint(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '.' : `; did you mean "${near}"?`;
}

const TYPES: Readonly<Record<string, string>> = {
  object: 'a mapping',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  null: 'null',
};

/** What YAML makes of an unquoted word is the usual surprise: `1`, `true` and `~` are no text. */
function wrongType(path: Path, data: unknown, types: readonly string[], language: Language): Words {
  const scalar = data === null || typeof data === 'number' || typeof data === 'boolean';
  if (scalar && types.includes('string')) {
    const kind = data === null ? 'null' : typeof data;
    return {
      code: 'unquoted',
      message: `${data} is a ${kind} in YAML; write "${data ?? '~'}" in quotes for the text.`,
    };
  }
  const own = path.slice(path.findLastIndex(isIndex) + 1);
  const name = own.length === 0 ? nameOf(path, language) : own.join('.');
  const wanted = types.map((type) => TYPES[type] ?? `a ${type}`).join(' or ');
  const empty = data === null && types.includes('object') ? '; write {} for an empty one' : '';
  return { code: 'wrong-type', message: `${name} must be ${wanted}${empty}.` };
}
