import { follow, PrunedData } from './data-parts.js';
import type { Path, Source } from './read-yaml.js';

/** A part of a file that does not fit the schema, as ajv reports it. */
export interface SchemaError {
  /** The place in the data, as a JSON pointer (RFC 6901). */
  readonly instancePath: string;
  /** The place in the schema, as a JSON pointer in a URI fragment (RFC 6901, section 6). */
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The key that does not fit, if the error is about a key and not about its value. */
  readonly propertyName?: string;
}

/** The validator of a schema. `npm run generate` writes such functions. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** Data without the parts that do not fit the schema. */
export interface Validated {
  readonly data: unknown;
  /** The removed paths, with their steps joined by `/`. References to a removed part are not reported as wrong. */
  readonly removed: ReadonlySet<string>;
  /** As `Source.locate`, but for paths of `data`, where items of lists can be missing. */
  locate: Source['locate'];
}

/**
 * Removes the parts of a file that do not fit the schema, so that the rest can be checked in the same run.
 *
 * @param source a file that was read as YAML
 * @param validate the validator of the schema
 * @param report called once for each schema error, with the path of the part and the data at that path
 * @param keepsIncomplete whether a part at a path stays in the data if keys are missing from it
 * @returns the remaining data, undefined if the whole file has the wrong type; and the removed paths
 * @example
 * removeSchemaErrors(source, validate, (error, path) => console.log(error.keyword, path), () => false).data;
 */
export function removeSchemaErrors(
  source: Source,
  validate: Validator,
  report: (error: SchemaError, path: Path, data: unknown) => void,
  keepsIncomplete: (path: Path) => boolean,
): Validated {
  const whole: unknown = source.data ?? {};
  const removed = new Set<string>();
  // A copy of thousands of entries takes longer than their validation, and only data with errors changes below.
  if (validate(whole)) return { data: whole, removed, locate: source.locate };
  const pruned = new PrunedData(whole, source.locate);
  const { data, locate } = pruned;
  // Each round removes the wrong parts. Only the first round reports: later errors are caused by the removal.
  for (let first = true; !validate(data); first = false) {
    const wrong = new Map<string, Path>();
    for (const error of validate.errors ?? []) {
      // Ajv also reports these as an error of the key itself, and of the anyOf or oneOf as a whole.
      if (error.keyword === 'propertyNames' || /\/(anyOf|oneOf)\//.test(error.schemaPath)) continue;
      const path = pathOf(error);
      if (first) report(error, path, follow(data, path));
      if (MISSING_KEY.has(error.keyword) && keepsIncomplete(path)) removed.add(missingPath(error, path));
      else wrong.set(path.join('/'), path);
    }
    if (wrong.size === 0) break;
    // Remove from the end, so that earlier indexes of a list stay valid.
    for (const [key, path] of [...wrong].reverse()) {
      removed.add(key);
      if (!pruned.remove(path)) return { data: undefined, removed, locate };
    }
  }
  return { data, removed, locate };
}

const MISSING_KEY = new Set(['required', 'anyOf', 'oneOf']);

const missingPath = ({ params }: SchemaError, path: Path): string =>
  [...path, String(params.missingProperty ?? '')].join('/');

function pathOf({ instancePath, keyword, params, propertyName }: SchemaError): Path {
  const path = stepsOf(instancePath);
  if (keyword === 'additionalProperties') return [...path, String(params.additionalProperty)];
  return propertyName === undefined ? path : [...path, propertyName];
}

/**
 * Splits a JSON pointer into its steps (RFC 6901, sections 3 and 4).
 *
 * @param pointer the pointer, as `/a/0`
 * @returns the unescaped steps
 * @example
 * stepsOf('/tools/a~1b'); // ['tools', 'a/b']
 */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
