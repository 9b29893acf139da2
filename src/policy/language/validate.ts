import type { Finding } from './findings.js';
import { replacing } from './fixes.js';
import { validate } from './generated/policy-validator.js';
import type { Path, Source } from './read-yaml.js';
import { type PolicyDocument, policySchema } from './schema.js';
import { removeSchemaErrors, type SchemaError, type Validated, type Validator } from './schema-errors.js';
import { describeSchemaError, type Language } from './schema-messages.js';

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
 * Validates a file against a schema.
 *
 * @param source a file that was read as YAML
 * @param language the schema and the names of its parts
 * @param validator the validator of the schema
 * @param keepsIncomplete whether a part at a path stays in the data if keys are missing from it
 * @returns the parts that fit the schema, and one finding for each schema error
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
  const report = (error: SchemaError, path: Path, data: unknown): void => {
    const { key, replacement, ...text } = describeSchemaError(error, path, data, language);
    const onKey =
      key !== undefined || error.keyword === 'additionalProperties' || error.propertyName !== undefined;
    const place = source.locate(key === undefined ? path : [...path, key], onKey ? 'key' : 'value');
    findings.push({ ...place, severity: 'error', ...text, ...replacing(source, place, replacement) });
  };
  return { ...removeSchemaErrors(source, validator, report, keepsIncomplete), findings };
}
