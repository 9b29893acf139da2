import { follow, PrunedData } from './data-parts.js';
import { replacing } from './edits/fixes.js';
import type { Finding } from './findings.js';
import { validate } from './generated/policy-validator.js';
import { findingAt } from './problem.js';
import type { Path, Source } from './read-yaml.js';
import { type PolicyDocument, policySchema } from './schema.js';
import { pathOf, type SchemaError, type Validator } from './schema-errors.js';
import { describeSchemaError, type Language } from './schema-messages.js';

/** Data without the parts that do not fit the schema. */
export interface Validated {
  readonly data: unknown;
  /** The removed paths, with their steps joined by `/`. References to a removed part are not reported as wrong. */
  readonly removed: ReadonlySet<string>;
  /** As `Source.locate`, but for paths of `data`, where items of lists can be missing. */
  locate: Source['locate'];
}

/** A policy file after validation against the schema of the policy language. */
export interface ValidatedPolicy extends Omit<Validated, 'data'> {
  /** The document without the parts that do not fit the schema, so that the rest can be checked in the same run. */
  readonly document: PolicyDocument;
  readonly findings: readonly Finding[];
}

const POLICY: Language = {
  schema: policySchema,
  nameOf: (path) => (path.length === 0 ? 'a policy' : undefined),
};

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
  const { findings, data, ...rest } = validateSource(source, POLICY, validate, keepsIncomplete);
  return { document: (data ?? { version: 1 }) as PolicyDocument, findings, ...rest };
}

/**
 * Validates a file against a schema, and removes the parts that do not fit it, so that the rest can be checked in the same run.
 *
 * @param source a file that was read as YAML
 * @param language the schema and the names of its parts
 * @param validator the validator of the schema
 * @param keepsIncomplete whether a part at a path stays in the data if keys are missing from it
 * @returns the parts that fit the schema, `data` undefined if the whole file has the wrong type; one finding for each error
 * @example
 * validateSource(source, { schema, nameOf: () => undefined }, validate, () => true).data;
 */
export function validateSource(
  source: Source,
  language: Language,
  validator: Validator,
  keepsIncomplete: (path: Path) => boolean,
): Validated & { findings: Finding[] } {
  const findings: Finding[] = [];
  const whole: unknown = source.data ?? {};
  const removed = new Set<string>();
  // A copy of thousands of entries takes longer than their validation, and only data with errors changes below.
  if (validator(whole)) return { data: whole, removed, locate: source.locate, findings };
  const pruned = new PrunedData(whole, source.locate);
  const { data, locate } = pruned;
  const report = (error: SchemaError, path: Path): void => {
    const found = describeSchemaError(error, path, follow(data, path), language);
    const { key, replacement } = found;
    const onKey =
      key !== undefined || error.keyword === 'additionalProperties' || error.propertyName !== undefined;
    const place = source.locate(key === undefined ? path : [...path, key], onKey ? 'key' : 'value');
    findings.push({ ...findingAt(place, 'error', found), ...replacing(source, place, replacement) });
  };
  // Each round removes the wrong parts. Only the first round reports: later errors are caused by the removal.
  for (let first = true; !validator(data); first = false) {
    const wrong = new Map<string, Path>();
    for (const error of validator.errors ?? []) {
      // Ajv also reports these as an error of the key itself, and of the anyOf or oneOf as a whole.
      if (error.keyword === 'propertyNames' || /\/(anyOf|oneOf)\//.test(error.schemaPath)) continue;
      const path = pathOf(error);
      if (first) report(error, path);
      if (MISSING_KEY.has(error.keyword) && keepsIncomplete(path)) removed.add(missingPath(error, path));
      else wrong.set(path.join('/'), path);
    }
    if (wrong.size === 0) break;
    // Remove from the end, so that earlier indexes of a list stay valid.
    for (const [key, path] of [...wrong].reverse()) {
      removed.add(key);
      if (!pruned.remove(path)) return { data: undefined, removed, locate, findings };
    }
  }
  return { data, removed, locate, findings };
}

const MISSING_KEY = new Set(['required', 'anyOf', 'oneOf']);

const missingPath = ({ params }: SchemaError, path: Path): string =>
  [...path, String(params.missingProperty ?? '')].join('/');
