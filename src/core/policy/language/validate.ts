import { follow } from './data-parts.js';
import type { Finding } from './findings.js';
import { validate } from './generated/policy-validator.js';
import { fixableFinding } from './problem.js';
import type { Located, Path, Source } from './read-yaml.js';
import { type PolicyDocument, policySchema } from './schema.js';
import { pathOf, type SchemaError, type Validator } from './schema-errors.js';
import { describeSchemaError, type Language } from './schema-messages.js';

/** Data without the parts that do not fit the schema. */
export interface Validated extends Located {
  /** The removed paths, with their steps joined by `/`. References to a removed part are not reported as wrong. */
  readonly removed: ReadonlySet<string>;
  readonly findings: Finding[];
}

/** A policy file after validation against the schema of the policy language. */
export interface ValidatedPolicy extends Validated {
  /** The document without the parts that do not fit the schema, so that the rest can be checked in the same run. */
  readonly document: PolicyDocument;
}

const POLICY: Language = { schema: policySchema, name: 'a policy' };

/**
 * Validates a policy file against the schema of the policy language.
 *
 * @param source a file that was read as YAML
 * @returns the parts that fit the schema, and one finding for each schema error
 * @example
 * validatePolicy(readPolicyText('version: 1', 'policy.yaml')).findings; // []
 */
export function validatePolicy(source: Source): ValidatedPolicy {
  // A policy without its version can still be checked. A concern without its values cannot.
  const keepsIncomplete = (path: Path) => path.length === 0;
  const validated = validateSource(source, POLICY, validate, keepsIncomplete);
  return { ...validated, document: documentOf(validated) };
}

/** Returns a policy file without some of its parts, so that the rest can be used. */
export function withoutParts<File extends ValidatedPolicy>(file: File, paths: readonly Path[]): File {
  const located = file.without(paths);
  return { ...file, ...located, document: documentOf(located) };
}

const documentOf = ({ data }: Located) => (data ?? { version: 1 }) as PolicyDocument;

/**
 * Validates a file against a schema, and removes the parts that do not fit it, so that the rest can be checked in the same run.
 *
 * @param source a file that was read as YAML
 * @param language the schema, and what messages call the file
 * @param validator the validator of the schema
 * @param keepsIncomplete whether a part at a path stays in the data if keys are missing from it
 * @returns the parts that fit the schema, `data` null if the whole file has the wrong type; one finding for each error
 * @example
 * validateSource(source, { schema, name: 'a policy' }, validate, () => true).data;
 */
export function validateSource(
  source: Source,
  language: Language,
  validator: Validator,
  keepsIncomplete: (path: Path) => boolean,
): Validated {
  const findings: Finding[] = [];
  const removed = new Set<string>();
  let located: Located = source;
  // Each round removes the wrong parts. Only the first round reports: later errors are caused by the removal.
  for (let first = true; !validator(located.data ?? {}); first = false) {
    const wrong: Path[] = [];
    for (const error of validator.errors ?? []) {
      // Ajv also reports these as an error of the key itself, and of the anyOf or oneOf as a whole.
      if (error.keyword === 'propertyNames' || /\/(anyOf|oneOf)\//.test(error.schemaPath)) continue;
      const path = pathOf(error);
      if (first) findings.push(findingOf(error, path, source, language));
      const isKept = MISSING_KEY.has(error.keyword) && keepsIncomplete(path);
      if (!isKept) wrong.push(path);
      removed.add(isKept ? missingPath(error, path) : path.join('/'));
    }
    if (wrong.length === 0 || located.data === null) break;
    located = located.without(wrong);
  }
  const { data, locate, without } = located;
  return { data, locate, without, removed, findings };
}

function findingOf(error: SchemaError, path: Path, source: Source, language: Language): Finding {
  const found = describeSchemaError(error, path, follow(source.data, path), language);
  const { key } = found;
  const onKey =
    key !== undefined || error.keyword === 'additionalProperties' || error.propertyName !== undefined;
  const place = source.locate(key === undefined ? path : [...path, key], onKey ? 'key' : 'value');
  return fixableFinding(source, place, 'error', found);
}

const MISSING_KEY = new Set(['required', 'anyOf', 'oneOf']);

const missingPath = ({ params }: SchemaError, path: Path): string =>
  [...path, String(params.missingProperty ?? '')].join('/');
