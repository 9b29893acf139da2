import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { nearest } from '../engine/nearest.js';
import type { Finding, FindingCode } from './findings.js';
import type { Path, Source } from './read.js';
import { type PolicyDocument, policySchema } from './schema.js';

let compiled: ValidateFunction<PolicyDocument> | undefined;

/** Compiling the schema takes some 40 ms: only who reads a policy pays for it. */
function validator(): ValidateFunction<PolicyDocument> {
  compiled ??= new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true }).compile<PolicyDocument>(
    policySchema,
  );
  return compiled;
}

/** What fits the schema, and what does not. */
export interface Shape {
  /** The document without its misshapen parts, so that the rest can be checked in the same run. */
  readonly document: PolicyDocument;
  /** Paths that were taken out, as strings; what refers to them is not wrong. */
  readonly removed: ReadonlySet<string>;
  /** As `Source.locate`, for paths of `document`, whose lists may have lost items. */
  locate: Source['locate'];
  readonly findings: readonly Finding[];
}

/**
 * Checks a file against the schema of the language.
 *
 * @param source a file that could be read
 * @returns the parts that fit, and a finding for each that does not
 * @example
 * checkShape(readPolicyText('version: 1', 'policy.yaml')).findings; // []
 */
export function checkShape(source: Source): Shape {
  const validate = validator();
  const findings: Finding[] = [];
  const removed = new Set<string>();
  const data: unknown = structuredClone(source.data ?? {});
  const indexes = new Map<unknown, number[]>();
  const locate: Source['locate'] = (path, what) => {
    let at: unknown = data;
    const original = path.map((step) => {
      const place = indexes.get(at)?.[Number(step)] ?? step;
      at = child(at, step);
      return place;
    });
    return source.locate(original, what);
  };
  // Each round takes the misshapen parts out; a round that finds nothing ends it.
  for (let round = 0; !validate(data); round++) {
    const first = round === 0;
    const misshapen = new Map<string, Path>();
    for (const error of validate.errors ?? []) {
      if (error.keyword === 'required' && error.instancePath === '' && isObject(data)) {
        data.version = 1;
        if (first) findings.push(toFinding(source, error, []));
        removed.add('version');
        continue;
      }
      // Says the same as the error of the name itself, which is there too.
      if (error.keyword === 'propertyNames') continue;
      const path = pathOf(error);
      if (first) findings.push(toFinding(source, error, path));
      misshapen.set(path.join('/'), path);
    }
    // From the back, so that the indexes of a list stay right.
    for (const [key, path] of [...misshapen].reverse()) {
      removed.add(key);
      if (!remove(data, path, indexes)) return { document: { version: 1 }, removed, locate, findings };
    }
  }
  return { document: data, removed, locate, findings };
}

function pathOf({ instancePath, keyword, params, propertyName }: ErrorObject): Path {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)];
  return propertyName === undefined ? path : [...path, propertyName];
}

/** @returns whether there was something to take out; the document itself cannot be */
function remove(data: unknown, path: Path, indexes: Map<unknown, number[]>): boolean {
  const last = path.at(-1);
  if (last === undefined) return false;
  let parent = data;
  for (const step of path.slice(0, -1)) parent = child(parent, step);
  if (Array.isArray(parent)) {
    const original = indexes.get(parent) ?? [...parent.keys()];
    indexes.set(parent, original);
    original.splice(Number(last), 1);
    parent.splice(Number(last), 1);
  } else if (typeof parent === 'object' && parent !== null) Reflect.deleteProperty(parent, last);
  return true;
}

function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

function child(parent: unknown, step: string | number): unknown {
  return typeof parent === 'object' && parent !== null && Object.hasOwn(parent, step)
    ? (parent as Record<string | number, unknown>)[step]
    : undefined;
}

function toFinding(source: Source, error: ErrorObject, path: Path): Finding {
  const onKey = error.keyword === 'additionalProperties' || error.propertyName !== undefined;
  const place = source.locate(path, onKey ? 'key' : 'value');
  return { ...place, severity: 'error', ...describe(error, path) };
}

function describe(error: ErrorObject, path: Path): { code: FindingCode; message: string } {
  const name = String(path.at(-1) ?? 'the policy');
  const { params, data, keyword } = error;
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {});
      const where = path.length === 1 ? 'a policy' : String(path.at(-2));
      const near = nearest(name, known);
      const hint = near === undefined ? '' : `; did you mean "${near}"?`;
      return {
        code: 'unknown-key',
        message: `"${name}" is no key of ${where} (${known.join(', ')})${hint || '.'}`,
      };
    }
    case 'required':
      return { code: 'missing-key', message: `${name} needs the key "${params.missingProperty}".` };
    case 'enum': {
      const allowed = params.allowedValues as readonly string[];
      const near = nearest(String(data), allowed);
      const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
      return { code: 'unknown-choice', message: `${name} must be one of ${allowed.join(', ')}${hint}` };
    }
    case 'const':
      return {
        code: 'unknown-version',
        message: `version must be 1, the only version of the language there is.`,
      };
    case 'pattern':
      return error.propertyName === undefined
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
    case 'minimum':
    case 'maximum':
      return { code: 'out-of-range', message: `${name} must be ${params.comparison} ${params.limit}.` };
    case 'type':
      return wrongType(path, data, params.type as string | readonly string[]);
    default:
      return { code: 'wrong-type', message: `${path.join('.')} ${error.message ?? 'is not allowed here'}.` };
  }
}

/** What YAML makes of an unquoted word is the usual surprise: `1`, `true` and `~` are no text. */
function wrongType(
  path: Path,
  data: unknown,
  expected: string | readonly string[],
): { code: FindingCode; message: string } {
  const types = typeof expected === 'string' ? [expected] : expected;
  const name = path.join('.') || 'the policy';
  const scalar = data === null || typeof data === 'number' || typeof data === 'boolean';
  if (scalar && types.includes('string')) {
    const kind = data === null ? 'null' : typeof data;
    return {
      code: 'unquoted',
      message: `${data} is a ${kind} in YAML; write "${data ?? '~'}" in quotes for the text.`,
    };
  }
  const words: Record<string, string> = {
    object: 'a mapping',
    array: 'a list',
    string: 'text',
    null: 'null',
  };
  const wanted = types.map((type) => words[type] ?? `a ${type}`).join(' or ');
  const hint = data === null && types.includes('object') ? '; write {} for an empty one' : '';
  return { code: 'wrong-type', message: `${name} must be ${wanted}${hint}.` };
}
